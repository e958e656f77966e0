// SPDX-License-Identifier: Apache-2.0
//
// Where the accessor's paths go in COMMAND's arguments and environment.

/// A command whose arguments may hold `{}`, `{1}`, `{2}` ….
struct CommandTemplate {
    private let words: [String]

    /// A command as it was typed; not empty.
    init(_ words: [String]) { self.words = words }

    /// The part of the manual that is about COMMAND.
    static let manual = """
        With COMMAND, it runs while the claim is held, and the claim is held until COMMAND has \
        ended; what COMMAND left running in the background is not covered. In its arguments {} is \
        the path of the first item, and {1}, {2} … are those of each; the same are in \
        $FILECOORD_PATH_1 …, and $FILECOORD_PURPOSE is the purpose for accesses of its own. TERM, \
        INT and HUP are forwarded to it, and it is killed if filecoord dies.

        \(KeepingOption.manual)

        \(Surroundings.manual)
        """

    /// The command's words for these paths; the first, the program, is left alone.
    func words(for paths: [String]) -> [String] {
        words.prefix(1) + words.dropFirst().map { Self.replacing($0, with: paths) }
    }

    /// The environment's additions for these paths.
    static func environment(for paths: [String], purpose: String) -> [String: String] {
        var environment = ["FILECOORD_PURPOSE": purpose]
        for (index, path) in paths.enumerated() {
            environment["FILECOORD_PATH_\(index + 1)"] = path
        }
        return environment
    }

    /// One pass from left to right: a path that looks like a placeholder stays what it is.
    private static func replacing(_ word: String, with paths: [String]) -> String {
        var result = ""
        var rest = Substring(word)
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}"),
                let index = index(in: rest[rest.index(after: open)..<close]),
                paths.indices.contains(index)
            else {
                result.append(rest.removeFirst())
                continue
            }
            result += paths[index]
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// What is between the braces: nothing, or a number without ornaments.
    private static func index(in text: Substring) -> Int? {
        guard !text.isEmpty else { return 0 }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            !text.hasPrefix("0"), let number = Int(text)
        else { return nil }
        return number - 1
    }
}
