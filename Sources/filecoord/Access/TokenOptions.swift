// SPDX-License-Identifier: Apache-2.0
//
// The options about tokens (Rule 18.16): in which state the files must be, and where to write the
// state that is read or left.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// The states in which the files of a command must be.
struct ConditionOptions: ParsableArguments {
    /// The part of the manual about tokens.
    static let manual = """
        With --only-if nothing is done unless the file is just as it was when TOKEN was taken, by \
        "filecoord token", --token-to or a library: else the status is 73, and what another \
        program has written is still there. Editors save first, and one that does not answer \
        makes it fail with 70.
        """

    @Option(
        name: .customLong("only-if"),
        help: ArgumentHelp(
            "Do nothing unless the file is as TOKEN says; once for each PATH, in order. \"absent\" "
                + "means that there is none, \"any\" sets no condition.", valueName: "token"),
        transform: { try Condition(argument: $0) })
    var conditions: [Condition] = []

    @Option(
        name: .customLong("only-if-from"),
        help: ArgumentHelp("Take the tokens from FILE, a line each.", valueName: "file"),
        completion: .file())
    var file: String?

    func validate() throws {
        guard conditions.isEmpty || file == nil else {
            throw ValidationError("Use --only-if or --only-if-from, not both.")
        }
    }

    /// Returns what is wrong, if there is not one condition for each path.
    func complaint(paths counts: ClosedRange<Int>) -> String? {
        guard !conditions.isEmpty, !counts.contains(conditions.count) else { return nil }
        return Conditions.complaint(conditions.count, paths: counts)
    }

    /// The values of the options.
    var terms: Conditions { Conditions(given: conditions.map(\.token), file: file) }
}

/// The state in which one file must be.
struct Condition: Hashable {
    /// Nil for any.
    let token: ItemToken?

    private static let any = "any"

    /// Reads what the user gave.
    init(argument text: String) throws {
        do {
            try self.init(text: text)
        } catch {
            throw ValidationError(error.lines.joined(separator: " "))
        }
    }

    /// Reads a token, `any` or `absent`.
    init(text: String) throws(Failure) {
        guard text != Self.any else {
            token = nil
            return
        }
        do throws(ItemToken.TextError) {
            token = try ItemToken(text: text)
        } catch {
            throw Failure(error, text)
        }
    }
}

extension Failure {
    /// The failure of a text that is no token.
    init(_ error: ItemToken.TextError, _ text: String) {
        let shown = UserText.text(ArgumentText.decode(text))
        switch error {
        case .unknownVersion:
            self.init(
                .usage, "\"\(shown)\" is a token of another version: take it anew with this one.")
        case .malformed:
            self.init(.usage, "\"\(shown)\" is no token: \"filecoord token PATH\" prints one.")
        }
    }
}

/// The option that names the file for tokens.
struct TokenFileOption: ParsableArguments {
    @Option(
        name: .customLong("token-to"),
        help: ArgumentHelp(
            "Write the tokens of the files to FILE, a line each, of what is read or left.",
            valueName: "file"),
        completion: .file())
    var file: String?
}

/// The states in which files must be, as the options say.
struct Conditions: Hashable {
    /// One for each path, or none.
    var given: [ItemToken?] = []
    /// The file that has them instead, a line each.
    var file: String?

    /// Whether there may be a condition.
    var isEmpty: Bool { given.isEmpty && file == nil }

    /// Returns the states for so many paths, one for each.
    func tokens(paths counts: ClosedRange<Int>) throws(Failure) -> [ItemToken?] {
        var tokens = given
        if let file { tokens = try TokenFile.read(file) }
        if isEmpty { return Array(repeating: nil, count: counts.upperBound) }
        guard counts.contains(tokens.count) else {
            throw Failure(.usage, Self.complaint(tokens.count, paths: counts))
        }
        return tokens + Array(repeating: nil, count: counts.upperBound - tokens.count)
    }

    static func complaint(_ count: Int, paths counts: ClosedRange<Int>) -> String {
        let tokens = count == 1 ? "There is 1 token" : "There are \(count) tokens"
        let paths = counts.lowerBound == 1 ? "1 PATH" : "\(counts.lowerBound) PATHS"
        return "\(tokens) for \(paths): give one for each, in order; \"any\" sets no condition."
    }
}

extension NativePath {
    /// Returns the token of what is at the path now; a link at the end is not followed.
    func token(withDigest: Bool = false) throws(Failure) -> ItemToken {
        do throws(SystemError) {
            return try ItemToken.take(at: bytes, withDigest: withDigest)
        } catch {
            throw Failure(errorNumber: error.code, doing: "look at", path: self)
        }
    }
}

/// Where the tokens of what was read or left are written.
struct TokenFile {
    private let path: NativePath
    private let file: Descriptor
    private let isRegular: Bool

    /// Opens the file before anything is done, so that a mistake in its name costs nothing.
    ///
    /// For a read, it is empty from then on: tokens of an earlier one would be taken for its.
    init?(_ text: String?, isEmptied: Bool = false) throws(Failure) {
        guard let text else { return nil }
        path = try UserPath.path(text)
        do throws(SystemError) {
            file = try path.open(O_WRONLY | O_CREAT, mode: 0o666)
            isRegular = try file.status().kind == .regular
            if isEmptied, isRegular { try FileSpace.truncate(file, length: 0) }
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
    }

    /// Writes the tokens, a line each.
    ///
    /// One that is not known is an empty line, which ``read(_:)`` refuses.
    func write(_ tokens: [ItemToken?]) throws(Failure) {
        let text = tokens.map { ($0?.text ?? "") + "\n" }.joined()
        guard isRegular else {
            // A pipe or a device, which has no length.
            let bytes = Array(text.utf8)
            _ = unsafe Glibc.write(file.number, bytes, bytes.count)
            return
        }
        do throws(SystemError) {
            try FileSpace.truncate(file, length: 0)
            try file.write(contents: Array(text.utf8))
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
    }

    /// Writes the tokens of what is at paths now.
    func write(ofItemsAt paths: [NativePath]) throws(Failure) {
        // What cannot be looked at is not known.
        try write(paths.map { try? $0.token() })
    }

    /// The most bytes of a file with tokens.
    private static let limit = 16 << 20

    /// Reads tokens, a line each.
    static func read(_ text: String) throws(Failure) -> [ItemToken?] {
        let path = try UserPath.path(text)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try path.open(O_RDONLY).contents(limit: limit)
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: path)
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        var tokens: [ItemToken?] = []
        for line in lines {
            guard !line.isEmpty else {
                throw Failure(
                    .usage,
                    "\(path) has an empty line, where a state was not known: read that "
                        + "file again")
            }
            tokens.append(try Condition(text: ArgumentText.encode(Array(line))).token)
        }
        return tokens
    }
}

/// The state in which an item of `filecoord access` must be: `PATH=TOKEN`.
struct ItemCondition: Hashable {
    private let path: String
    private let condition: Condition

    /// Reads what the user gave, split at the last "=".
    init(argument text: String) throws {
        guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "=")),
            let path = String(text.utf8[..<sign]),
            let token = String(text.utf8[text.utf8.index(after: sign)...])
        else {
            throw ValidationError("--only-if takes PATH=TOKEN here, with a PATH of the items.")
        }
        self.path = path
        condition = try Condition(argument: token)
    }

    /// Returns the items with the states in which they must be.
    static func apply(
        _ conditions: [ItemCondition], to items: [ClaimedItem]
    ) throws(Failure) -> [ClaimedItem] {
        var items = items
        for condition in conditions {
            let path = try UserPath.item(condition.path)
            let indices = items.indices.filter { items[$0].path == path }
            guard !indices.isEmpty else {
                throw Failure(
                    .usage,
                    "--only-if is about \(path), which is none of the items: name it with "
                        + "--read or --write")
            }
            for index in indices { items[index].onlyIf = condition.condition.token }
        }
        return items
    }
}
