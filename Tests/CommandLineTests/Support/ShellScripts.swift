// SPDX-License-Identifier: Apache-2.0
//
// Finds the examples of a text that put a path into a script: `sh -c 'cat {}'`. Documents must not
// teach that, because the shell would run what the name of a file says.

/// The scripts that a text gives to shells with the option `-c`.
enum ShellScripts {
    /// The longest script that is read, in characters.
    private static let longest = 2000

    /// The scripts in which a mark is to become a path, also if they continue on further lines.
    static func withMarks(in text: String) -> [String] {
        let text = text.replacing("\\\n", with: " ")
        // All shells have names with this end.
        return text.ranges(of: "sh ").compactMap { range -> String? in
            let rest = text[range.lowerBound...].prefix(longest)
            let words = ShellLine(String(rest)).commands.first ?? []
            guard let script = argument(of: words), hasMark(script) else { return nil }
            return script
        }
    }

    /// The script among the words of a command, if that is a shell and has one.
    private static func argument(of words: [String]) -> String? {
        guard words.first == "sh" else { return nil }
        let options = words.dropFirst().prefix { $0.hasPrefix("-") || $0 == "pipefail" }
        guard let last = options.last, last.hasSuffix("c"), options.endIndex < words.count else {
            return nil
        }
        return words[options.endIndex]
    }

    /// Whether the script has a mark such as `{}` or `{1}`; `${1}` is an argument of the script.
    private static func hasMark(_ script: String) -> Bool {
        let parts = script.split(separator: "{", omittingEmptySubsequences: false)
        return zip(parts, parts.dropFirst()).contains { before, after in
            before.last != "$" && after.drop(while: \.isNumber).first == "}"
        }
    }
}
