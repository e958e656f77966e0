// SPDX-License-Identifier: Apache-2.0
//
// Inserts the accessor's paths into COMMAND's arguments and environment. Only an argument that
// consists of a mark alone is replaced. "{}" inside a longer argument is left alone, because find,
// jq and awk use it too, and because a path must never become a part of a shell script.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient

/// Which arguments of COMMAND stand for paths.
enum PathMark: Hashable {
    /// `{}` stands for the first item, and `{1}`, `{2}` … for each item.
    case braces
    /// An argument equal to this text stands for the first item.
    case other(String)
    /// No argument stands for a path.
    case none
}

/// The options that choose the marks.
struct TemplateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Put the first path where an argument of COMMAND is MARK, and leave {} alone.",
            valueName: "mark"))
    var replace: String?

    @Flag(help: "Leave all arguments of COMMAND as they are.")
    var noReplace = false

    /// The mark that the options choose.
    var mark: PathMark {
        guard !noReplace else { return .none }
        return replace.map { .other($0) } ?? .braces
    }

    func validate() throws {
        guard replace == nil || !noReplace else {
            throw ValidationError("Use --replace or --no-replace, not both.")
        }
        guard replace != "" else { throw ValidationError("--replace takes a mark.") }
    }
}

/// A command and the marks in it.
struct CommandTemplate {
    private let words: [String]
    private let mark: PathMark

    /// A command as the user typed it; not empty.
    init(_ words: [String], mark: PathMark = .braces) {
        self.words = words
        self.mark = mark
    }

    /// The part of the manual about COMMAND.
    static let manual = """
        With COMMAND, it runs while the claim is held, and the claim is held until COMMAND has \
        ended; what COMMAND left running in the background is not covered. Its environment has the \
        paths in $FILECOORD_PATH_1, $FILECOORD_PATH_2 …, which is the safe way for any name, also \
        in a shell's script; $FILECOORD_PURPOSE is the purpose for accesses of its own. An \
        argument that is {} becomes the first path, one that is {1}, {2} … that path. Inside a \
        longer argument {} is left alone, and so is what belongs to find -exec, xargs, parallel \
        and fd. TERM, INT, HUP, QUIT, USR1, USR2, ALRM, CONT and WINCH are forwarded to COMMAND, \
        and it is killed if filecoord dies.

        \(KeepingOption.manual)

        \(Surroundings.manual)
        """

    /// Returns what is wrong with the marks for so many items, or nil if nothing is.
    func complaint(itemCount: Int) -> String? {
        let numbers = places.compactMap { place in
            switch place {
            case .item(let number): number
            case .word: nil
            }
        }
        guard let wrong = numbers.first(where: { !(1...max(itemCount, 1)).contains($0) }) else {
            return nil
        }
        return "{\(wrong)} stands for no path: there \(itemCount == 1 ? "is" : "are") "
            + "\(itemCount). Use --no-replace if COMMAND is to get it as it is."
    }

    /// The command with its marks replaced by these paths.
    ///
    /// The first word, the program, is not replaced.
    func words(for paths: [NativePath]) -> [String] {
        places.map { place in
            switch place {
            case .word(let word): word
            case .item(let number):
                paths.indices.contains(number - 1) ? paths[number - 1].argument : "{\(number)}"
            }
        }
    }

    /// The environment variables that tell the command about the paths.
    static func environment(for paths: [NativePath], purpose: Purpose) -> [String: String] {
        var environment = ["FILECOORD_PURPOSE": ArgumentText.encode(purpose.bytes)]
        for (index, path) in paths.enumerated() {
            environment["FILECOORD_PATH_\(index + 1)"] = path.argument
        }
        return environment
    }

    // MARK: Marks

    /// A word to use as it is, or the number of an item, counted from 1.
    private enum Place {
        case word(String)
        case item(Int)
    }

    /// The arguments of find after which a command of its own begins.
    private static let inner: Set<String> = ["-exec", "-execdir", "-ok", "-okdir"]
    /// The programs to which "{}" has a meaning of its own.
    private static let owners: Set<String> = ["xargs", "parallel", "fd", "fdfind"]

    private var places: [Place] {
        var (isInner, isOwned) = (false, false)
        return words.enumerated().map { index, word in
            if Self.inner.contains(word) { isInner = true }
            if word == ";" || word == "+" { isInner = false }
            isOwned = isOwned || Self.isOwner(word)
            guard index > 0, !isInner, !isOwned, let number = number(of: word) else {
                return .word(word)
            }
            return .item(number)
        }
    }

    private static func isOwner(_ word: String) -> Bool {
        let name = word.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
        return owners.contains(name ?? "")
    }

    private func number(of word: String) -> Int? {
        switch mark {
        case .none: nil
        case .other(let mark): mark.utf8.elementsEqual(word.utf8) ? 1 : nil
        case .braces: Self.number(inBraces: word)
        }
    }

    /// Parses what is between the braces: nothing, or a number without sign or leading zeros.
    private static func number(inBraces word: String) -> Int? {
        guard word.utf8.first == UInt8(ascii: "{"), word.utf8.last == UInt8(ascii: "}") else {
            return nil
        }
        let digits = word.utf8.dropFirst().dropLast()
        guard !digits.isEmpty else { return word.utf8.count == 2 ? 1 : nil }
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        // A number that is too large for `Int` is larger than the number of items.
        return String(digits).flatMap { Int($0) } ?? .max
    }
}
