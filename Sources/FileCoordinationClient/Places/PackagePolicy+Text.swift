// SPDX-License-Identifier: Apache-2.0
//
// The package policy as text: what stands in the configuration file, what the API adds to it, and
// what the server announces to its clients, which is both, one after the other (Rule 1.11).
//
//     # Any directory with this extension is a package.
//     package scene
//     # Only if it holds Contents/, Info.plist or Index/.
//     package-with-contents plugin
//     # Never a package by its name, whatever is built in or said above.
//     directory framework
//
// One statement a line; "#" at the head of a word makes the rest of the line a comment. Later lines
// win. An extension may be written with its dot, and is compared without the case of ASCII letters.
// UTF-8. A line that is not understood is left out and complained of: who misspells a line is worse
// off by that line, and not by all the others.

extension PackagePolicy {
    /// The most bytes that a policy's text may have: what the server can announce.
    ///
    /// Of a longer one, the reader takes the whole lines that fit, and reports the rest.
    package static let configurationLimit = 16 << 10

    /// The built-in policy, changed line by line by `text`.
    ///
    /// One statement a line: `package EXT`, `package-with-contents EXT` or `directory EXT`, where
    /// later ones win; `#` starts a comment. Never fails: see ``complaints``.
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
            // Some editors begin a text with a byte order mark.
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

    /// `text` with `statements` after it, which therefore win.
    package static func text(_ text: [UInt8], adding statements: [Statement]) -> [UInt8] {
        statements.reduce(into: text) { result, statement in
            let isInLine = result.last.map { $0 != UInt8(ascii: "\n") } ?? false
            result += Array("\(isInLine ? "\n" : "")\(statement.text)\n".utf8)
        }
    }

    /// Why a line, or what it would be made of, was not understood, and what to do.
    package struct Complaint: Error, Hashable, Sendable, CustomStringConvertible {
        /// For people: what is wrong, and what to write instead.
        package let description: String

        fileprivate init(_ description: String) { self.description = description }

        fileprivate static let tooLong = Complaint(
            "the text has more than \(configurationLimit) bytes, and is not read from here on; "
                + "shorten it")
    }
}

extension PackagePolicy {
    /// One statement of a policy's text: what directories with some extension are.
    package struct Statement: Hashable, Sendable {
        /// What a statement says; its raw value is the word for it.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Packages, whatever they hold.
            case package
            /// Packages if they hold `Contents/`, `Info.plist` or `Index/`.
            case packageWithContents = "package-with-contents"
            /// No packages, unless they carry the attribute.
            case directory
        }

        /// What is said.
        package let kind: Kind
        /// Of which extension: without dot and capital letters.
        package let fileExtension: String

        /// States that directories with `fileExtension` are of a kind.
        ///
        /// One extension, with its dot or without: what comes after a name's last dot.
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

        /// The statement as a line of a policy's text, without the line's end.
        package var text: String { "\(kind.rawValue) \(fileExtension)" }

        /// What the line says, if it is neither empty nor all comment.
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
