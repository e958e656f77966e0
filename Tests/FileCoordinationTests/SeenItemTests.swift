// SPDX-License-Identifier: Apache-2.0
//
// Presenters that register with what their program saw of the item the last time (Rule 7.14).

import FileCoordination
import FileCoordinationSystem
import Glibc
import XCTest

final class SeenItemTests: CoordinatorTestCase {
    /// The state of an item as a program has stored it, and read it again.
    private func stored(_ url: URL) throws -> FileToken {
        let state = try NSFileCoordinator.token(of: url)
        return try JSONDecoder().decode(
            FileToken.self, from: JSONEncoder().encode(state))
    }

    /// A file that has not been changed for so long that every further change shows.
    private func oldFile(_ name: String) throws -> URL {
        let url = try file(name)
        let made = try changeTime(url)
        while try changeTime(file("clock")) < made + 25_000_000 {}
        return url
    }

    private func changeTime(_ url: URL) throws -> Int64 {
        try FileStatus(path: Array(url.path.utf8), followLinks: false).changed
    }

    /// Registers a presenter with a state, and returns what it was told in all.
    ///
    /// A write of another purpose comes last and is told last, so nothing needs to be waited for.
    private func told(
        _ url: URL, since state: FileToken, _ changes: Int
    ) throws -> [String] {
        let presenter = NotingPresenter(url)
        try NSFileCoordinator.registerFilePresenter(presenter, since: state)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        // A write that ended before the watcher's message is read would announce the change, too.
        if changes > 0 { XCTAssertTrue(presenter.notes.expect(changes)) }
        write(url)
        XCTAssertTrue(presenter.notes.expect(changes + 1))
        return presenter.notes.all
    }

    func testAnUnchangedItemIsNotTold() throws {
        let url = try oldFile("f")
        XCTAssertEqual(try told(url, since: stored(url), 0), ["did change"])
    }

    /// Size and modification time stay the same; only
    /// the change time and the inode show the change.
    func testEachChangeIsTold() throws {
        let changes: [(String, (URL) throws -> Void)] = [
            ("written", { try Data("next".utf8).write(to: $0) }),
            ("replaced", { try Data("text".utf8).write(to: $0, options: .atomic) }),
            ("attributes", { XCTAssertEqual(chmod($0.path, 0o600), 0) }),
            ("removed", { try FileManager.default.removeItem(at: $0) }),
            (
                "time set back",
                { url in
                    let old = try FileManager.default.attributesOfItem(atPath: url.path)
                    try Data("next".utf8).write(to: url)
                    try FileManager.default.setAttributes(
                        [.modificationDate: old[.modificationDate] as Any], ofItemAtPath: url.path)
                }
            ),
        ]
        for (name, change) in changes {
            let url = try oldFile(name)
            let state = try stored(url)
            try change(url)
            XCTAssertEqual(
                try told(url, since: state, 1), ["did change", "did change"], name)
        }
    }

    func testAnItemThatHasAppearedIsTold() throws {
        let url = directory.appendingPathComponent("new", isDirectory: false)
        let state = try stored(url)
        _ = try file("new")
        XCTAssertEqual(try told(url, since: state, 1), ["did change", "did change"])
    }

    /// The list of a directory's names is compared.
    func testADirectoryWithAnotherFileIsTold() throws {
        let folder = directory.appendingPathComponent("folder", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let state = try stored(folder)
        _ = try file("folder/f")
        let presenter = NotingPresenter(folder)
        try NSFileCoordinator.registerFilePresenter(presenter, since: state)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        XCTAssertTrue(presenter.notes.expect(1))
        XCTAssertEqual(presenter.notes.all.first, "did change")
    }

    func testAURLThatIsNoFilesIsRefused() throws {
        let url = try XCTUnwrap(URL(string: "https://example.org/f"))
        XCTAssertThrowsError(try NSFileCoordinator.token(of: url)) {
            XCTAssertEqual(($0 as? CocoaError)?.code, .fileReadUnsupportedScheme)
        }
        XCTAssertThrowsError(
            try JSONDecoder().decode(FileToken.self, from: Data("{}".utf8)))
    }
}
