// SPDX-License-Identifier: Apache-2.0
//
// The command lines that documents show are understood: each call of filecoord in a block of text
// is given to the argument parser. No command is run. No example puts a path into a script.

import XCTest
import filecoord

final class DocumentedCommandTests: XCTestCase {
    /// The documents, and folders of them.
    private static let documents = [
        "README.md", "CONTRIBUTING.md", "Examples/README.md", "Libraries/C/README.md",
        "Libraries/Python/README.md", "docs", "Sources/FileCoordination/FileCoordination.docc",
    ]

    func testEveryDocumentedCommandIsUnderstood() throws {
        var count = 0
        for (path, text) in try Self.texts() {
            for (line, words) in Self.calls(in: text) {
                count += 1
                // Tests have no terminal on which it could ask.
                let answer = words.first == "release" ? ["--yes"] : []
                guard let complaint = ArgumentReading.complaint(about: words + answer) else {
                    continue
                }
                XCTFail("\(path):\(line): filecoord \(words.joined(separator: " ")): \(complaint)")
            }
        }
        XCTAssertGreaterThan(count, 40)
    }

    func testCallsAreFoundAndMistakesSeen() {
        let text = """
            filecoord none
            ```text
            $ date | filecoord write 'a b' >out 2>&1  # filecoord none
            filecoord: not a command
              holds  filecoord hold (pid 1)
            $ filecoord access --read a -- sh -c \\
                'x; y'
            ```
            ```
            coproc lock { filecoord hold --write {}; }
            0 3 * * *  filecoord status && swift run filecoord read --absent f
            ```
            ```swift
            filecoord none
            ```
            """
        let calls = Self.calls(in: text)
        XCTAssertEqual(calls.map(\.line), [3, 6, 10, 11, 11])
        XCTAssertEqual(
            calls.map(\.words),
            [
                ["write", "a b"], ["access", "--read", "a", "--", "sh", "-c", "x; y"],
                ["hold", "--write", "{}"], ["status"], ["read", "--absent", "f"],
            ])
        let mistakes = calls.filter { ArgumentReading.complaint(about: $0.words) != nil }
        XCTAssertEqual(mistakes.map(\.words), [["read", "--absent", "f"]])
    }

    /// The shell would run what the name of a file says.
    func testNoDocumentedCommandPutsAPathIntoAScript() throws {
        for (path, text) in try Self.texts() {
            XCTAssertEqual(ShellScripts.withMarks(in: text), [], path)
        }
    }

    func testAPathThatIsPutIntoAScriptIsSeen() {
        let text = #"""
            $ filecoord write a -- sh -c 'date >>{}'
            $ filecoord access --read a --write b -- /bin/bash -ec \
                'cp {1} {12}'
            $ filecoord read a -- bash -o pipefail \
                -c 'sort "{}" | uniq'
            find . -exec sh -c "cat
                {}" \;
            filecoord read a -- sh -c 'cat "$FILECOORD_PATH_1"' && jq '.a // {}'
            filecoord read a -- sh -c 'cat "${1}" | { cat; }' sh {}
            filecoord read a -- wc -c {}
            """#
        XCTAssertEqual(
            ShellScripts.withMarks(in: text),
            ["date >>{}", "cp {1} {12}", "sort \"{}\" | uniq", "cat\n    {}"])
    }

    // MARK: Reading

    /// The documents, each with its path.
    private static func texts() throws -> [(path: String, text: String)] {
        // CommandLineTests, Tests
        let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        return try documents.flatMap { try pages(at: $0, in: root) }.map { path in
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return (path: path, text: text)
        }
    }

    private static func pages(at path: String, in root: URL) throws -> [String] {
        guard !path.hasSuffix(".md") else { return [path] }
        return try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: path).path)
            .filter { $0.hasSuffix(".md") }.map { "\(path)/\($0)" }
    }

    /// The calls of filecoord in the blocks of a document: lines, and words after the program.
    ///
    /// If a block has prompts, only lines with a prompt are commands.
    private static func calls(in text: String) -> [(line: Int, words: [String])] {
        blocks(of: text).flatMap { block in
            let hasPrompt = block.contains { $0.text.hasPrefix("$ ") }
            var found: [(line: Int, words: [String])] = []
            var rest = block[...]
            while let first = rest.popFirst() {
                var command = first.text
                while command.hasSuffix("\\"), let next = rest.popFirst() {
                    command = "\(command.dropLast()) \(next.text)"
                }
                guard !hasPrompt || command.hasPrefix("$ ") else { continue }
                let line = ShellLine(hasPrompt ? String(command.dropFirst(2)) : command)
                found += line.commands.compactMap(arguments).map {
                    (line: first.line, words: $0)
                }
            }
            return found
        }
    }

    /// The lines of each block of text or of a shell, without their indent.
    private static func blocks(of text: String) -> [[(line: Int, text: String)]] {
        var blocks: [[(line: Int, text: String)]] = []
        var language: Substring?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("```") {
                language = language == nil ? line.dropFirst(3) : nil
                blocks.append([])
            } else if let language, ["", "text", "sh"].contains(language) {
                blocks[blocks.count - 1].append((number + 1, String(line)))
            }
        }
        return blocks
    }

    /// What follows the program, if these are the words of a call of filecoord, also by SwiftPM or
    /// by cron.
    private static func arguments(_ words: [String]) -> [String]? {
        guard let index = words.firstIndex(of: "filecoord") else { return nil }
        let before = words[..<index]
        let isTime = before.count == 5 && before.allSatisfy { $0 == "*" || Int($0) != nil }
        guard before.isEmpty || before == ["swift", "run"] || isTime else { return nil }
        return Array(words[(index + 1)...])
    }
}
