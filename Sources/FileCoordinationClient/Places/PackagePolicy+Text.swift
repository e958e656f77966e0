// SPDX-License-Identifier: Apache-2.0
//
// The package policy as text: the configuration file, the additions through the API, and the
// announcement of the server, which is both, one after the other (Rule 1.11).
//
//     # Any directory with this extension is a package.
//     package scene
//     # Only if it holds Contents/, Info.plist or Index/.
//     package-with-contents plugin
//     # Never a package by its name, whatever is built in or said above.
//     directory framework
//
// Each line has one statement. A "#" at the beginning of a word starts a comment. If lines
// disagree, the last one counts. An extension may be written with its dot; ASCII letters are
// compared without case. The text is UTF-8. An invalid line is ignored and reported, so that a
// misspelling affects only its own line.

extension PackagePolicy {
    /// The most bytes of a policy's text, which is what the server can announce.
    ///
    /// Of a longer text, the whole lines that fit are used, and the rest is reported.
    package static let configurationLimit = 16 << 10

    /// Creates the built-in policy, changed line by line by `text`.
    ///
    /// Each line has one statement: `package EXT`, `package-with-contents EXT` or `directory EXT`.
    /// The last statement about an extension counts; `#` starts a comment. Errors are collected in
    /// ``complaints``.
    package init(text: [UInt8]) {
        self = .builtIn
        if text.isEmpty { return }
        let newline = UInt8(ascii: "\n")
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for (index, line) in text.split(separator: newline, omittingEmptySubsequences: false)
            .enumerated()
        {
            guard line.endIndex <= Self.configurationLimit else {
                complain(line: index + 1, .tooLong)
                return
            }
            // Some editors write a byte order mark at the beginning.
            let isMarked = index == 0 && line.starts(with: mark)
            do throws(Complaint) {
                try Statement(line: line.dropFirst(isMarked ? mark.count : 0))?.apply(to: &self)
            } catch {
                complain(line: index + 1, error)
            }
        }
    }

    private mutating func complain(line: Int, _ complaint: Complaint) {
        complaints.append("line \(line): \(complaint)")
    }

    /// Returns `text` with `statements` appended, which therefore take precedence.
    package static func text(_ text: [UInt8], adding statements: [Statement]) -> [UInt8] {
        statements.reduce(into: text) { result, statement in
            let isInLine = result.last.map { $0 != UInt8(ascii: "\n") } ?? false
            result += Array("\(isInLine ? "\n" : "")\(statement.text)\n".utf8)
        }
    }

    /// Why a line or a statement is invalid, and what to do.
    package struct Complaint: Error, Hashable, Sendable, CustomStringConvertible {
        /// The problem and its correction, for people.
        package let description: String

        fileprivate init(_ description: String) { self.description = description }

        fileprivate static let tooLong = Complaint(
            "the text has more than \(configurationLimit) bytes, and is not read from here on; "
                + "shorten it")
    }
}

extension PackagePolicy {
    /// One statement of a policy: what directories with an extension are.
    package struct Statement: Hashable, Sendable {
        /// The kinds of statements; the raw value is the keyword.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Such directories are packages, whatever they contain.
            case package
            /// Such directories are packages if they contain `Contents/`, `Info.plist` or `Index/`.
            case packageWithContents = "package-with-contents"
            /// Such directories are not packages, unless they have the attribute.
            case directory
        }

        /// The kind of the statement.
        package let kind: Kind
        /// The extension, without dot and in lower case.
        package let fileExtension: String

        /// Creates a statement about directories with `fileExtension`.
        ///
        /// The extension is the part of a name after its last dot. It may be given with or without
        /// the dot.
        package init(_ kind: Kind, _ fileExtension: String) throws(Complaint) {
            let bytes = fileExtension.utf8.map(PackagePolicy.withoutCase)
            let bare = bytes.dropFirst(bytes.first == PackagePolicy.dot ? 1 : 0)
            let shown = String(reflecting: fileExtension)
            guard !bare.isEmpty, bare.first != UInt8(ascii: "#") else {
                throw Complaint("\(shown) is no extension; write one such as \"rtfd\"")
            }
            guard !bare.contains(PackagePolicy.dot) else {
                throw Complaint("\(shown) is more than one extension; write the last alone")
            }
            guard !bare.contains(where: Self.isForbidden) else {
                throw Complaint(
                    "\(shown) holds a space, a slash or a control character; leave that out")
            }
            self.kind = kind
            self.fileExtension = String(decoding: bare, as: UTF8.self)
        }

        /// The statement as a line of text, without newline.
        package var text: String { "\(kind.rawValue) \(fileExtension)" }

        /// Parses a line; returns nil if it is empty or only a comment.
        fileprivate init?(line: ArraySlice<UInt8>) throws(Complaint) {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw Complaint("this is no UTF-8; save the text as UTF-8")
            }
            let words = text.utf8.split(whereSeparator: Self.isBlank)
                .prefix { $0.first != UInt8(ascii: "#") }.map { String(Substring($0)) }
            guard let first = words.first else { return nil }
            guard let kind = Kind(rawValue: first) else {
                throw Complaint(
                    "\(String(reflecting: first)) is no statement; "
                        + "write \"package\", \"package-with-contents\" or \"directory\"")
            }
            guard words.count == 2 else {
                throw Complaint("write one extension after \"\(first)\", and nothing else")
            }
            try self.init(kind, words[1])
        }

        fileprivate func apply(to policy: inout PackagePolicy) {
            let evidence: Evidence? =
                switch kind {
                case .package: .name
                case .packageWithContents: .contents
                case .directory: nil
                }
            policy.setEvidence(evidence, for: Array(fileExtension.utf8))
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains(byte)
        }

        private static func isForbidden(_ byte: UInt8) -> Bool {
            byte <= UInt8(ascii: " ") || byte == 0x7F || byte == UInt8(ascii: "/")
        }
    }
}
