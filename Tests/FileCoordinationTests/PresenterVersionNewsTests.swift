// SPDX-License-Identifier: Apache-2.0
//
// News of versions on their way through a mailbox (Rules 10.1 and 11.7). XCTest, because these
// tests block their thread.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationVersions
import XCTest

final class PresenterVersionMessageTests: XCTestCase {
    private let log = EventLog()
    private let queue = OperationQueue.serial()

    /// A mailbox of a presenter that notes everything, and writes down what it has handled.
    private func mailbox(_ presenter: (any NSFilePresenter)? = nil) -> PresenterMailbox {
        let log = log
        return PresenterMailbox(
            presenter ?? ScriptedPresenter(queue: queue, log: log), log: log,
            handled: { log.note("handled \($0.kind)") })
    }

    /// Two versions of a document, of which the second is gone by now.
    private func versions(on stage: VersionStage) throws -> (url: URL, kept: String, lost: String) {
        let url = try stage.file("a.txt", "1")
        return try stage.use {
            let kept = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let lost = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            try lost.remove()
            return (url, "\(kept.persistentIdentifier)", "\(lost.persistentIdentifier)")
        }
    }

    /// Waits until everything that is in the presenter's queue has run.
    private func settle() {
        queue.addOperation { [log] in log.note("settled") }
        log.wait(for: "settled")
    }

    func testEveryKindOfNewsReachesItsMethodWithItsVersion() throws {
        let stage = try VersionStage()
        let (url, kept, lost) = try versions(on: stage)
        let mailbox = stage.use { self.mailbox() }
        for (kind, version) in [
            (VersionFate.gained, kept), (.lost, lost), (.resolved, kept),
        ] {
            let news = VersionNews(kind, identifier: Array(version.utf8))
            mailbox.notify(.itemVersion(news, of: itemPath(url.path)))
            mailbox.notify(.subitemVersion(news, at: itemPath(url.path)))
        }
        settle()
        XCTAssertEqual(
            log.all.filter { !$0.hasPrefix("handled") },
            [
                "gained a.txt", "a.txt gained a.txt", "lost what is gone",
                "a.txt lost what is gone", "resolved a.txt", "a.txt resolved a.txt", "settled",
            ])
        XCTAssertEqual(log.all.count { $0.hasPrefix("handled") }, 6)
    }

    func testAVersionIsFoundAlsoIfItsItemIsElsewhereByNow() throws {
        let stage = try VersionStage()
        let (url, kept, _) = try versions(on: stage)
        try FileManager.default.moveItem(at: url, to: stage.url("b.txt"))
        let mailbox = stage.use { self.mailbox() }
        let news = VersionNews(.gained, identifier: Array(kept.utf8))
        mailbox.notify(.itemVersion(news, of: itemPath(url.path)))
        log.wait(for: "gained a.txt")
    }

    func testNewsThatNameNoVersionAreDropped() throws {
        let stage = try VersionStage()
        let mailbox = stage.use { self.mailbox() }
        for text in ["", "current", "../../../etc"] {
            let news = VersionNews(.gained, identifier: Array(text.utf8))
            mailbox.notify(.itemVersion(news, of: itemPath(stage.documents.path)))
            mailbox.notify(.subitemVersion(news, at: itemPath(stage.documents.path)))
        }
        settle()
        XCTAssertEqual(log.all, ["settled"])
    }

    func testAPresenterWithoutTheMethodIsNotToldAndHasHandledNothing() throws {
        let stage = try VersionStage()
        let (url, kept, _) = try versions(on: stage)
        let mailbox = stage.use { self.mailbox(TersePresenter(on: queue)) }
        let news = VersionNews(.gained, identifier: Array(kept.utf8))
        mailbox.notify(.itemVersion(news, of: itemPath(url.path)))
        mailbox.notify(.itemDidMove(to: itemPath(url.path)))
        mailbox.notify(.itemDidChange)
        settle()
        XCTAssertEqual(log.all, ["handled change", "settled"])
    }

    func testANoticeIsHandledWhenItsMethodHasReturnedAndNotBefore() {
        let mailbox = mailbox()
        mailbox.notify(.itemDidMove(to: itemPath("/b")))
        mailbox.notify(.itemDidChange)
        settle()
        XCTAssertEqual(
            log.all, ["moved to /b", "handled move", "changed", "handled change", "settled"])
    }

    func testANoticeIsHandledOnThePresentersQueue() {
        let (log, queue) = (log, queue)
        let mailbox = PresenterMailbox(
            ScriptedPresenter(queue: queue, log: log), log: log,
            handled: { _ in log.note("on its queue: \(OperationQueue.current === queue)") })
        mailbox.notify(.itemDidChange)
        log.wait(for: "on its queue: true")
    }

    func testANoticeThatIsDroppedIsNotHandled() {
        let mailbox = mailbox()
        let release = queue.occupy()
        mailbox.notify(.itemDidMove(to: itemPath("/b")))
        mailbox.invalidate()
        release()
        settle()
        XCTAssertEqual(log.all, ["settled"])
    }

    func testANoticeInWhoseMethodThePresenterRemovesItselfIsHandled() {
        let own = Keepsake<PresenterMailbox>()
        let presenter = ScriptedPresenter(
            queue: queue, log: log, changed: { own.value?.invalidate() })
        own.value = mailbox(presenter)
        own.value?.notify(.itemDidChange)
        own.value?.notify(.itemDidChange)
        settle()
        XCTAssertEqual(log.all, ["changed", "handled change", "settled"])
    }
}

extension PresenterNotice {
    /// One word for the log.
    fileprivate var kind: String {
        switch self {
        case .plain(let notice), .by(_, let notice): notice.kind
        case .itemDidChange: "change"
        case .itemDidMove: "move"
        case .itemDidChangeUbiquityAttributes: "attributes"
        case .subitemDidAppear, .subitemDidChange, .subitemDidMove: "subitem"
        case .itemVersion, .subitemVersion: "version"
        }
    }
}

/// Implements one method only.
private final class TersePresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue: OperationQueue

    init(on queue: OperationQueue) { presentedItemOperationQueue = queue }

    func presentedItemDidChange() {}
}
