// SPDX-License-Identifier: Apache-2.0
//
// Backups beside programs that write, and beside an editor with an unsaved document.

import Foundation
import XCTest

final class BackupTests: ExampleTest {
    private func backUp() throws -> String {
        let path = try sandbox.run("backup", "tree", "shelf").dropLast()
        return "shelf/" + URL(fileURLWithPath: String(path)).lastPathComponent
    }

    func testEachBackupBesideWritersIsOneState() throws {
        try sandbox.write("500", to: "tree/one/amount")
        try sandbox.write("500", to: "tree/two/amount")
        // Each moves 7 from one file to the other one, again and again: the sum is always 1000.
        let script = """
            expr $(cat tree/one/amount) - 7 >new-one.$$ && mv new-one.$$ tree/one/amount
            expr $(cat tree/two/amount) + 7 >new-two.$$ && mv new-two.$$ tree/two/amount
            """
        try sandbox.write(script, to: "transfer")
        let loop =
            "while read -r line; do \(try Sandbox.filecoordPath()) access"
            + " --write tree/one/amount --write tree/two/amount -- sh transfer; echo $line; done"
        let writers = try (0..<3).map { _ in try sandbox.start("sh", "-c", loop) }

        var amounts: Set<Int> = []
        for round in 0..<8 {
            for writer in writers { writer.send(String(repeating: "more\n", count: 20)) }
            try writers[0].expect("more\n")
            let copy = try backUp()
            let pair = try ["one", "two"].map { name in
                let text = try sandbox.read("\(copy)/\(name)/amount")
                return try XCTUnwrap(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
            XCTAssertEqual(pair[0] + pair[1], 1000)
            amounts.insert(pair[0])
            // What a writer is told after the backup it also does after it.
            for writer in writers { writer.send("after \(round)\n") }
            for writer in writers { try writer.expect("after \(round)\n") }
        }
        XCTAssertEqual(amounts.count, 8)
        XCTAssertEqual(try sandbox.names(in: "shelf").count, 8)
    }

    func testAnEditorSavesBeforeTheBackup() throws {
        try sandbox.write("draft", to: "tree/letters/letter.txt")
        let editor = try sandbox.start("editor", "tree/letters/letter.txt", inTerminal: true)
        try editor.expect(" letter.txt")
        editor.send("my ")
        try editor.expect("(unsaved)")
        let copy = try backUp()
        XCTAssertEqual(try sandbox.read("\(copy)/letters/letter.txt"), "my draft")
        try editor.expect("saved because another program reads")
    }

    func testUnchangedFilesAreLinked() throws {
        try sandbox.write("same", to: "tree/same")
        try sandbox.write("old!", to: "tree/changed")
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.url("tree/link").path, withDestinationPath: "same")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: sandbox.url("tree/changed").path)
        let date = try date(of: "tree/changed")
        let first = try backUp()
        // As many bytes and the same date as before.
        try sandbox.write("new!", to: "tree/changed")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640, .modificationDate: date],
            ofItemAtPath: sandbox.url("tree/changed").path)
        let second = try backUp()
        XCTAssertEqual(try number(of: "\(first)/same"), try number(of: "\(second)/same"))
        XCTAssertNotEqual(try number(of: "\(first)/changed"), try number(of: "\(second)/changed"))
        XCTAssertEqual(try sandbox.read("\(first)/changed"), "old!")
        XCTAssertEqual(try sandbox.read("\(second)/changed"), "new!")
        XCTAssertEqual(try sandbox.read("\(second)/link"), "same")
        XCTAssertEqual(
            try attributes("\(second)/changed")[.posixPermissions] as? Int, 0o640)
    }

    func testAKilledBackupIsNoBackup() throws {
        for number in 0..<150 {
            try sandbox.write(String(repeating: "\(number)", count: 1000), to: "tree/\(number)")
        }
        let whole = try backUp()
        for _ in 0..<2 {
            for number in 0..<150 { try sandbox.write("new \(UUID())", to: "tree/\(number)") }
            let backup = try sandbox.start("backup", "tree", "shelf")
            while try copied() < 20, backup.isRunning { sched_yield() }
            backup.kill()
            XCTAssertEqual(backup.wait(), SIGKILL, "it was too quick, or has no draft")
            let names = try sandbox.names(in: "shelf")
            XCTAssertEqual(names.filter { !$0.hasPrefix(".") }, [String(whole.dropFirst(6))])
        }
        // The next one is whole, and removes what was left.
        let next = try backUp()
        XCTAssertEqual(try sandbox.names(in: next), try sandbox.names(in: "tree"))
        XCTAssertEqual(
            try sandbox.names(in: "shelf"), [whole, next].map { String($0.dropFirst(6)) })
    }

    func testAShelfInsideTheTreeIsRefused() throws {
        try sandbox.write("text", to: "tree/file")
        try sandbox.run("backup", "tree", "tree/shelf", status: 1)
        XCTAssertEqual(try sandbox.names(in: "tree"), ["file"])
    }

    /// How many files the running backup has.
    private func copied() throws -> Int {
        guard let draft = try sandbox.names(in: "shelf").first(where: { $0.hasPrefix(".") }) else {
            return 0
        }
        // It may have gone since.
        return (try? sandbox.names(in: "shelf/\(draft)").count) ?? 0
    }

    // MARK: Attributes

    private func attributes(_ name: String) throws -> [FileAttributeKey: Any] {
        try FileManager.default.attributesOfItem(atPath: sandbox.url(name).path)
    }

    private func number(of name: String) throws -> UInt64 {
        try XCTUnwrap(attributes(name)[.systemFileNumber] as? UInt64)
    }

    private func date(of name: String) throws -> Date {
        try XCTUnwrap(attributes(name)[.modificationDate] as? Date)
    }
}
