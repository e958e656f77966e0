// SPDX-License-Identifier: Apache-2.0
//
// The transcripts of sessions in the documentation are what happens: each block is played, line by
// line, in a directory of its own.

import TestHome
import XCTest

final class SessionTranscriptTests: XCTestCase {
    private static let guide = "Sources/FileCoordination/FileCoordination.docc/Guides/Sessions.md"

    /// The blocks of a document that are transcripts: they begin with an arrow.
    private static func transcripts(in text: String) -> [[String]] {
        let blocks = text.components(separatedBy: "```text\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0].split(separator: "\n").map { String($0) }
        }
        return blocks.filter {
            $0.first?.hasPrefix("→") ?? false || $0.first?.hasPrefix("←") ?? false
        }
    }

    func testEveryTranscriptHappens() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: Self.guide), encoding: .utf8)
        let transcripts = Self.transcripts(in: text)
        XCTAssertGreaterThan(transcripts.count, 3)
        for transcript in transcripts { try with { try Self.play(transcript, in: $0) } }
    }

    private static func play(_ transcript: [String], in sandbox: Sandbox) throws {
        let session = try SessionClient(sandbox)
        var others: [RunningCommand] = []
        for line in transcript {
            let rest = String(line.dropFirst(2))
            switch line.first {
            case "→": session.send(rest)
            case "←": try session.answer(rest)
            case "$":
                let script = rest.replacingOccurrences(of: "filecoord ", with: "\"$0\" ")
                let command = try sandbox.startInShell(script)
                // What asks the session ends only after the next lines.
                if rest == script { _ = try command.outcome() } else { others.append(command) }
            case _: XCTFail("a line of another kind: \(line)")
            }
        }
        for command in others { XCTAssertEqual(try command.outcome().status, 70) }
        XCTAssertEqual(try session.close().status, 0)
    }
}
