// SPDX-License-Identifier: Apache-2.0
//
// Writes that happen only if the item is as the caller has seen it, and updates of whole files
// (Rule 18.16).

import FileCoordination
import FileCoordinationSystem
import Glibc
import TestHome
import XCTest

final class TokenTests: CoordinatorTestCase {
    private let coordinator = NSFileCoordinator()

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    private func put(_ text: String, at url: URL) throws {
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    private func expectStale(
        _ body: @autoclosure () throws -> Any?, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertThrowsError(try body(), file: file, line: line) { error in
            guard case FileCoordinationError.stale = error else {
                return XCTFail("\(error)", file: file, line: line)
            }
        }
    }

    /// Reads a file, coordinated; returns what the accessor saw.
    private func read(_ url: URL) throws -> (text: String, token: FileToken) {
        try coordinator.coordinate(readingItemAt: url) {
            (try text($0), try coordinator.token(of: $0))
        }
    }

    func testAWriterThatHasSeenTheFileWritesAndOneThatHasNotDoesNot() throws {
        let url = try file("f", "one")
        let seen = try read(url).token
        try coordinator.coordinate(writingItemAt: url, onlyIf: seen) { try put("two", at: $0) }
        var hasRun = false
        expectStale(
            try coordinator.coordinate(writingItemAt: url, onlyIf: seen) { _ in hasRun = true })
        XCTAssertFalse(hasRun)
        // The refusal has not counted as seeing: the same edit is refused again.
        expectStale(
            try coordinator.coordinate(writingItemAt: url, onlyIf: seen) { _ in hasRun = true })
        XCTAssertFalse(hasRun)
        XCTAssertEqual(try text(url), "two")
    }

    /// The token of an own write is taken under the same claim.
    func testTheSecondEditOfOneWriterIsNotRefused() throws {
        let url = try file("f", "one")
        var token = try read(url).token
        for number in 0..<20 {
            try coordinator.coordinate(writingItemAt: url, onlyIf: token) {
                try put("\(number)", at: $0)
                token = try coordinator.token(of: $0)
            }
        }
        XCTAssertEqual(try text(url), "19")
    }

    /// A program that does not coordinate writes while the accessor reads, and its text is unseen.
    func testAReadersTokenIsTheStateAtTheGrant() throws {
        let url = try file("f", "one")
        let token = try coordinator.coordinate(readingItemAt: url) { place in
            _ = try text(place)
            try put("two", at: place)
            return try coordinator.token(of: place)
        }
        expectStale(try coordinator.coordinate(writingItemAt: url, onlyIf: token) { _ in })
        let missing = directory.appendingPathComponent("new", isDirectory: false)
        let absent = try coordinator.coordinate(readingItemAt: missing) { place in
            try put("two", at: place)
            return try coordinator.token(of: place)
        }
        XCTAssertEqual(absent, .absent)
        // Under a hold, too.
        let hold = try coordinator.hold(readingItemAt: url)
        defer { hold.release() }
        let held = try coordinator.token(of: url)
        try put("three", at: url)
        XCTAssertEqual(try coordinator.token(of: url), held)
        XCTAssertFalse(try NSFileCoordinator.isCurrent(held, of: url))
    }

    func testInTasksTheSameHolds() async throws {
        let url = try file("f", "one")
        let coordinator = coordinator
        let token = try await coordinator.coordinate(readingItemAt: url) { place in
            try Data("two".utf8).write(to: place)
            return try coordinator.token(of: place)
        }
        do {
            try await coordinator.coordinate(writingItemAt: url, onlyIf: token) { _ in }
            XCTFail("it was written unseen")
        } catch FileCoordinationError.stale {}
        let now = try NSFileCoordinator.token(of: url)
        try await coordinator.coordinate(writingItemAt: url, onlyIf: now) {
            try Data("three".utf8).write(to: $0)
        }
        XCTAssertEqual(try text(url), "three")
    }

    /// Two first writers: "there is nothing" is a token.
    func testOfTwoFirstWritersOneIsRefused() throws {
        let url = directory.appendingPathComponent("new", isDirectory: false)
        try coordinator.coordinate(writingItemAt: url, onlyIf: .absent) { try put("one", at: $0) }
        expectStale(
            try coordinator.coordinate(writingItemAt: url, onlyIf: .absent) {
                try put("two", at: $0)
            })
        XCTAssertEqual(try text(url), "one")
    }

    func testSeveralItemsAreWrittenAllOrNone() throws {
        let (f, g) = (try file("f"), try file("g"))
        let tokens = (try NSFileCoordinator.token(of: f), try NSFileCoordinator.token(of: g))
        try put("new", at: g)
        expectStale(
            try coordinator.coordinate(writingItemAt: f, writingItemAt: g, onlyIf: tokens) { _, _ in
                XCTFail("it has run")
            })
        expectStale(
            try coordinator.coordinate(
                readingItemAt: f, writingItemAt: g, onlyIf: tokens.1
            ) { _, _ in XCTFail("it has run") })
        try coordinator.coordinate(
            writingItemAt: f, writingItemAt: g, onlyIf: (tokens.0, nil)
        ) { f, _ in try put("new", at: f) }
        XCTAssertEqual(try text(f), "new")
    }

    func testMovesAndDeletionsHaveConditions() async throws {
        let (f, g) = (try file("f"), directory.appendingPathComponent("g", isDirectory: false))
        let seen = try NSFileCoordinator.token(of: f)
        try put("new", at: f)
        let intents: [NSFileAccessIntent] = [
            .writingIntent(with: f, options: .forMoving),
            .writingIntent(with: g, options: .forReplacing),
        ]
        do {
            try await coordinator.coordinate(with: intents, onlyIf: [seen, .absent]) { _ in
                XCTFail("it has run")
            }
            XCTFail("it was not refused")
        } catch FileCoordinationError.stale {}
        do {
            try await coordinator.coordinate(with: intents, onlyIf: [seen]) { _ in }
            XCTFail("a token is missing")
        } catch FileCoordinationError.invalidOptions {}
        do {
            _ = try await coordinator.hold(writingItemAt: f, options: .forDeleting, onlyIf: seen)
            XCTFail("it was not refused")
        } catch FileCoordinationError.stale {}
        let now = try NSFileCoordinator.token(of: f)
        let hold = try await coordinator.hold(with: intents, onlyIf: [now, .absent])
        hold.release()
    }

    /// Rule 18.16: the name is never a wrong one.
    func testTheErrorNamesTheLastWriterOnlyIfItLeftWhatIsThere() throws {
        let url = try file("f", "one")
        let seen = try NSFileCoordinator.token(of: url)
        let rival = NSFileCoordinator()
        rival.label = "rival"
        // The end of a write with a condition is reported.
        try rival.coordinate(writingItemAt: url, onlyIf: seen) { try put("two", at: $0) }
        func writers() -> [String] {
            do {
                try coordinator.coordinate(writingItemAt: url, onlyIf: seen) { _ in }
                return ["not refused"]
            } catch {
                let error = error as? FileCoordinationError
                XCTAssertEqual(error?.url, url)
                return error?.parties.filter { $0.role == .writer }.map(\.label) ?? ["?"]
            }
        }
        XCTAssertEqual(writers(), ["rival"])
        try put("three", at: url)
        XCTAssertEqual(writers(), [])
    }

    /// A presenter's unsaved text counts as a change: the writer is refused, the text is not lost.
    func testAnEditorSavesAndTheWriterIsRefused() throws {
        let url = try file("f", "one")
        let seen = try read(url).token
        let editor = SavingPresenter(url, "unsaved")
        NSFileCoordinator.addFilePresenter(editor)
        defer { NSFileCoordinator.removeFilePresenter(editor) }
        expectStale(
            try coordinator.coordinate(writingItemAt: url, options: .forDeleting, onlyIf: seen) {
                try FileManager.default.removeItem(at: $0)
            })
        XCTAssertEqual(try text(url), "unsaved")
        // The caller's own presenter is not asked.
        let own = NSFileCoordinator(filePresenter: editor)
        let now = try NSFileCoordinator.token(of: url)
        try own.coordinate(writingItemAt: url, onlyIf: now) { try put("mine", at: $0) }
    }

    /// What an editor that does not answer has not saved is unknown.
    func testAnEditorThatDoesNotAnswerMakesTheWriteFail() throws {
        let url = try file("f", "one")
        let editor = MutePresenter(url)
        let former = NSFileCoordinator.filePresenterTimeout
        NSFileCoordinator.filePresenterTimeout = .milliseconds(50)
        NSFileCoordinator.addFilePresenter(editor)
        NSFileCoordinator.filePresenterTimeout = former
        defer {
            editor.end()
            NSFileCoordinator.removeFilePresenter(editor)
        }
        let seen = try NSFileCoordinator.token(of: url)
        XCTAssertThrowsError(
            try coordinator.coordinate(writingItemAt: url, onlyIf: seen) { _ in
                XCTFail("it has run")
            }
        ) { error in
            guard case FileCoordinationError.unanswered = error else { return XCTFail("\(error)") }
        }
        var hasRun = false
        try coordinator.coordinate(writingItemAt: url) { _ in hasRun = true }
        XCTAssertTrue(hasRun)
    }

    /// A write inside a read is the inner access, so its token is that of what it has left.
    func testATokenOfANestedWriteIsOfWhatItHasLeft() throws {
        let url = try file("f", "one")
        let token = try coordinator.coordinate(readingItemAt: url) { place in
            try coordinator.coordinate(writingItemAt: place) {
                try put("two", at: $0)
                return try coordinator.token(of: $0)
            }
        }
        XCTAssertTrue(try NSFileCoordinator.isCurrent(token, of: url))
    }

    func testATokenIsStoredAsItsText() throws {
        let url = try file("f")
        let token = try NSFileCoordinator.token(of: url, digest: true)
        XCTAssertEqual(FileToken(token.description), token)
        let data = try JSONEncoder().encode([token, .absent])
        XCTAssertEqual(try JSONDecoder().decode([FileToken].self, from: data), [token, .absent])
        XCTAssertEqual(FileToken("absent"), .absent)
        XCTAssertNil(FileToken("2.absent"))
        XCTAssertNil(FileToken(""))
        XCTAssertThrowsError(try JSONDecoder().decode(FileToken.self, from: Data("\"x\"".utf8)))
    }

    func testAWebsiteHasNoToken() throws {
        let url = try XCTUnwrap(URL(string: "https://example.org/f"))
        XCTAssertThrowsError(try NSFileCoordinator.token(of: url)) {
            XCTAssertEqual(($0 as? CocoaError)?.code, .fileReadUnsupportedScheme)
        }
    }

    // MARK: Updates

    func testAnUpdateReadsAndReplacesInOneAccess() throws {
        let url = directory.appendingPathComponent("f", isDirectory: false)
        let first = try coordinator.update(itemAt: url) { data in
            XCTAssertNil(data)
            return Data("1".utf8)
        }
        XCTAssertEqual(try NSFileCoordinator.token(of: url), first)
        XCTAssertEqual(chmod(url.path, 0o640), 0)
        let threads = (0..<4).map { number in
            onThread("\(number)") {
                for _ in 0..<25 {
                    _ = try? NSFileCoordinator().update(itemAt: url) {
                        ($0 ?? Data()) + Data("1".utf8)
                    }
                }
            }
        }
        wait(for: threads, timeout: test_patience(60))
        XCTAssertEqual(try text(url).count, 101)
        let mode = try FileStatus(path: Array(url.path.utf8)).permissions
        XCTAssertEqual(mode, 0o640)
        XCTAssertEqual(try coordinator.update(itemAt: url) { _ in nil }, .absent)
        XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
        XCTAssertEqual(try coordinator.update(itemAt: url) { $0 }, .absent)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), [])
    }

    func testAnUpdateThatThrowsChangesNothing() async throws {
        struct Mine: Error {}
        let url = try file("f", "one")
        let before = try NSFileCoordinator.token(of: url)
        func throwing() throws { try coordinator.update(itemAt: url) { _ in throw Mine() } }
        XCTAssertThrowsError(try throwing()) { XCTAssertTrue($0 is Mine) }
        XCTAssertTrue(try NSFileCoordinator.isCurrent(before, of: url))
        do {
            try await coordinator.update(itemAt: url) { _ in throw Mine() }
            XCTFail("it did not throw")
        } catch is Mine {}
        XCTAssertTrue(try NSFileCoordinator.isCurrent(before, of: url))
        try await coordinator.update(itemAt: url) { ($0 ?? Data()) + Data(" two".utf8) }
        XCTAssertEqual(try text(url), "one two")
        func stale() throws { try coordinator.update(itemAt: url, onlyIf: before) { _ in nil } }
        expectStale(try stale())
    }

    /// An editor with unsaved text saves before, so nothing of it is lost.
    func testAnUpdateHasEditorsSave() throws {
        let url = try file("f", "one")
        let editor = SavingPresenter(url, "unsaved")
        NSFileCoordinator.addFilePresenter(editor)
        defer { NSFileCoordinator.removeFilePresenter(editor) }
        try coordinator.update(itemAt: url) { ($0 ?? Data()) + Data(" two".utf8) }
        XCTAssertEqual(try text(url), "unsaved two")
    }

    func testEqualContentsAreNotWritten() throws {
        let url = try file("f", "one")
        let before = try NSFileCoordinator.token(of: url)
        XCTAssertEqual(try coordinator.update(itemAt: url) { $0 }, before)
        XCTAssertTrue(try NSFileCoordinator.isCurrent(before, of: url))
    }

    /// A plain program makes the file that was not there.
    func testAnUpdateDoesNotReplaceWhatHasAppeared() throws {
        let url = directory.appendingPathComponent("new", isDirectory: false)
        expectStale(
            try coordinator.update(itemAt: url) { _ in
                try put("theirs", at: url)
                return Data("mine".utf8)
            })
        XCTAssertEqual(try text(url), "theirs")
    }

    /// A plain program writes while the closure computes.
    func testAnUpdateDoesNotOverwriteWhatItHasNotSeen() throws {
        let url = try file("f", "one")
        expectStale(
            try coordinator.update(itemAt: url) { data in
                try put("theirs", at: url)
                return data
            })
        XCTAssertEqual(try text(url), "theirs")
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: directory.path), ["f"])
    }

    /// Public report: a configuration file behind a link was replaced by a plain file.
    func testAnUpdateFollowsALink() throws {
        let target = try file("target", "one")
        let link = directory.appendingPathComponent("link", isDirectory: false)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        try coordinator.update(itemAt: link) { ($0 ?? Data()) + Data(" two".utf8) }
        XCTAssertEqual(try text(target), "one two")
        XCTAssertEqual(
            try FileManager.default.destinationOfSymbolicLink(atPath: link.path), target.path)
    }

    func testWhatCannotBeReplacedIsRefused() throws {
        let url = try file("f", "one")
        XCTAssertEqual(Glibc.link(url.path, url.path + "2"), 0)
        for place in [url, directory] {
            XCTAssertThrowsError(try coordinator.update(itemAt: place) { _ in Data() }) {
                XCTAssertEqual(($0 as? CocoaError)?.code, .fileWriteUnknown, "\($0)")
            }
        }
        XCTAssertEqual(try text(url), "one")
    }
}

/// An editor that saves when it is asked.
private final class SavingPresenter: NSObject, NSFilePresenter, Sendable {
    private let notes: PresenterNotes
    private let text: String
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL, _ text: String) {
        notes = PresenterNotes(url)
        self.text = text
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        if let url = presentedItemURL { try? Data(text.utf8).write(to: url) }
        completionHandler(nil)
    }
}

/// An editor that does not answer until the test ends.
private final class MutePresenter: NSObject, NSFilePresenter, Sendable {
    private let notes: PresenterNotes
    private let answers = Lock<[@Sendable ((any Error)?) -> Void]>([])
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL) { notes = PresenterNotes(url) }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answers.withLock { $0.append(completionHandler) }
    }

    func end() {
        for answer in answers.withLock({ $0 }) { answer(nil) }
    }
}
