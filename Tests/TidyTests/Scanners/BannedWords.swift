// SPDX-License-Identifier: Apache-2.0
//
// Words that no code of ours contains, each with what to do instead.

/// A word that is banned.
struct BannedWord {
    /// The word, as it stands in code.
    let word: String
    /// What to do instead.
    let instead: String
    /// Whether tests may use it.
    var isAllowedInTests = false

    /// All of them.
    static let all = [
        BannedWord(word: "nonisolated(unsafe)", instead: "use Lock, an atomic or a value"),
        BannedWord(word: "try!", instead: "throw, or handle the error"),
        BannedWord(word: "as!", instead: "use as? and say what is expected"),
        BannedWord(word: "fatalError", instead: "throw; for our own bugs, preconditionFailure"),
        BannedWord(word: ".disabled(", instead: "mend the test or remove it"),
        BannedWord(
            word: "DispatchQueue.global(", instead: "it starves when accessors block: use a thread",
            isAllowedInTests: true),
        BannedWord(word: "Task.sleep", instead: "wait for an event"),
        BannedWord(word: "Thread.sleep", instead: "wait for an event"),
    ]

    /// Ways to sleep that are functions of C.
    static let sleeping = ["sleep(", "usleep(", "nanosleep(", "clock_nanosleep("]

    /// Where the words occur.
    static func violations(in file: SourceFile) -> [Violation] {
        file.code.enumerated().flatMap { number, line in
            all.filter { line.hasWord($0.word) && (file.isProduct || !$0.isAllowedInTests) }
                .map { Violation(file, line: number + 1, "\($0.word): \($0.instead)") }
        }
    }

    /// Where a thread is put to sleep for a time.
    static func sleeps(in file: SourceFile) -> [Violation] {
        file.code.enumerated().flatMap { number, line in
            sleeping.flatMap { word in
                line.wordRanges(word).filter { isCall(line[..<$0.lowerBound]) }.map { _ in
                    Violation(file, line: number + 1, "\(word)…): wait for an event")
                }
            }
        }
    }

    /// Whether the word after `head` is called as a global function: not a case, not a member.
    private static func isCall(_ head: Substring) -> Bool {
        if ["Glibc.", "Foundation.", "Darwin."].contains(where: head.hasSuffix) { return true }
        return !head.hasSuffix(".") && !head.hasSuffix("case ") && !head.hasSuffix("func ")
    }

    /// Notes to ourselves that no issue keeps.
    static func notes(in file: SourceFile) -> [Violation] {
        file.comments.enumerated().compactMap { number, line in
            guard line.hasWord("TODO") || line.hasWord("FIXME"), !namesIssue(line) else {
                return nil
            }
            return Violation(file, line: number + 1, "a note without an issue's number")
        }
    }

    private static func namesIssue(_ line: String) -> Bool {
        line.split(separator: "#").dropFirst().contains { $0.first?.isNumber == true }
    }

    /// Types that claim to be safe without the compiler's proof.
    static func uncheckedTypes(in file: SourceFile) -> [(name: String, line: Int)] {
        file.code.enumerated().compactMap { number, line in
            guard line.hasWord("@unchecked") else { return nil }
            // The declaration may have begun on an earlier line.
            for text in file.code[...number].suffix(4).reversed() {
                let words = text.split { !$0.isIdentifierPart }
                guard
                    let keyword = words.firstIndex(where: {
                        ["class", "struct", "enum", "actor", "extension"].contains($0)
                    }), keyword + 1 < words.count
                else { continue }
                return (String(words[keyword + 1]), number + 1)
            }
            return ("?", number + 1)
        }
    }
}
