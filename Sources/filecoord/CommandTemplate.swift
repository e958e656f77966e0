// SPDX-License-Identifier: Apache-2.0
//
// Where the accessor's paths go in COMMAND's arguments and environment. Only an argument that *is*
// a mark is replaced: "{}" is also what find, jq and awk write, and shells must never be given a
// path as part of a script.

import ArgumentParser

/// Which arguments of COMMAND stand for paths.
enum PathMark: Hashable {
    /// `{}`, and `{1}`, `{2}` … for each item.
    case braces
    /// An argument that is this stands for the first item.
    case other(String)
    /// None does.
    case none
}

/// Options about marks.
struct TemplateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Put the first path where an argument of COMMAND is MARK, and leave {} alone.",
            valueName: "mark"))
    var replace: String?

    @Flag(help: "Leave all arguments of COMMAND as they are.")
    var noReplace = false

    /// What they come to.
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

/// A command some of whose arguments stand for paths.
struct CommandTemplate {
    private let words: [String]
    private let mark: PathMark

    /// A command as it was typed; not empty.
    init(_ words: [String], mark: PathMark = .braces) {
        self.words = words
        self.mark = mark
    }

    /// The part of the manual that is about COMMAND.
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

    /// What is wrong with it for so many items; nil if nothing is.
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

    /// The command's words for these paths; the first, the program, is left alone.
    func words(for paths: [NativePath]) -> [String] {
        places.map { place in
            switch place {
            case .word(let word): word
            case .item(let number):
                paths.indices.contains(number - 1) ? paths[number - 1].argument : "{\(number)}"
            }
        }
    }

    /// The environment's additions for these paths.
    static func environment(for paths: [NativePath], purpose: String) -> [String: String] {
        var environment = ["FILECOORD_PURPOSE": purpose]
        for (index, path) in paths.enumerated() {
            environment["FILECOORD_PATH_\(index + 1)"] = path.argument
        }
        return environment
    }

    // MARK: Marks

    /// A word as it is, or the number of an item, from 1 on.
    private enum Place {
        case word(String)
        case item(Int)
    }

    /// What begins a command of find's own.
    private static let inner: Set<String> = ["-exec", "-execdir", "-ok", "-okdir"]
    /// Programs to which "{}" means something else.
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

    /// What is between the braces: nothing, or a number without ornaments.
    private static func number(inBraces word: String) -> Int? {
        guard word.utf8.first == UInt8(ascii: "{"), word.utf8.last == UInt8(ascii: "}") else {
            return nil
        }
        let digits = word.utf8.dropFirst().dropLast()
        guard !digits.isEmpty else { return word.utf8.count == 2 ? 1 : nil }
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        // What is too large for a number is certainly no item's.
        return String(digits).flatMap { Int($0) } ?? .max
    }
}
