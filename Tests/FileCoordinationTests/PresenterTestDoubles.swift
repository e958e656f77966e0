// SPDX-License-Identifier: Apache-2.0
//
// A presenter that writes down what it is told and answers as the test says, and the log that it
// writes to. Tests wait for lines of the log; the time limits only bound a failure.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import TestHome
import XCTest

/// Lines in the order in which they were written, by any thread.
final class EventLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []

    /// Adds a line.
    func note(_ line: String) {
        condition.withLock {
            lines.append(line)
            condition.broadcast()
        }
    }

    /// All lines so far.
    var all: [String] { condition.withLock { lines } }

    /// Waits for a line, and returns all that there are then; fails the test if it does not come.
    @discardableResult
    func wait(for line: String, times: Int = 1, file: StaticString = #filePath, at: UInt = #line)
        -> [String]
    {
        let limit = Date(timeIntervalSinceNow: test_patience(30))
        return condition.withLock {
            while lines.filter({ $0 == line }).count < times {
                guard condition.wait(until: limit) else {
                    XCTFail("no \"\(line)\" in \(lines)", file: file, line: at)
                    return lines
                }
            }
            return lines
        }
    }
}

/// A presenter that does as it is told.
final class ScriptedPresenter: NSObject, NSFilePresenter, Sendable {
    typealias Reacquirer = @Sendable () -> Void
    typealias Block = @Sendable (Reacquirer?) -> Void
    typealias Handler = @Sendable ((any Error)?) -> Void

    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue: OperationQueue
    let log: EventLog
    private let relinquish: @Sendable (Relinquishment, @escaping Block) -> Void
    private let save: @Sendable (@escaping Handler) -> Void
    private let changed: @Sendable () -> Void
    private let freed: @Sendable () -> Void

    /// A presenter that answers as these closures do; without one, at once.
    init(
        queue: OperationQueue, log: EventLog,
        relinquish: (@Sendable (Relinquishment, @escaping Block) -> Void)? = nil,
        save: @escaping @Sendable (@escaping Handler) -> Void = { $0(nil) },
        changed: @escaping @Sendable () -> Void = {}, freed: @escaping @Sendable () -> Void = {}
    ) {
        presentedItemOperationQueue = queue
        self.log = log
        self.relinquish = relinquish ?? { kind, block in block { log.note("\(kind) back") } }
        self.save = save
        self.changed = changed
        self.freed = freed
    }

    deinit { freed() }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable (Reacquirer?) -> Void) {
        log.note("to reader")
        relinquish(.reader, reader)
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable (Reacquirer?) -> Void) {
        log.note("to writer")
        relinquish(.writer, writer)
    }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        log.note("save")
        save(completionHandler)
    }

    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        log.note("accommodate")
        completionHandler(nil)
    }

    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        log.note("accommodate \(url.path)")
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) { log.note("moved to \(newURL.path)") }

    func presentedItemDidChange() {
        log.note("changed")
        changed()
    }

    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        log.note("attributes \(attributes.count)")
    }

    func presentedSubitemDidAppear(at url: URL) { log.note("appeared \(url.path)") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        log.note("moved \(oldURL.path) to \(newURL.path)")
    }
    func presentedSubitemDidChange(at url: URL) { log.note("changed \(url.path)") }

    func presentedItemDidGain(_ version: NSFileVersion) { log.note("gained \(version.told)") }
    func presentedItemDidLose(_ version: NSFileVersion) { log.note("lost \(version.told)") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        log.note("resolved \(version.told)")
    }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        log.note("\(url.lastPathComponent) gained \(version.told)")
    }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        log.note("\(url.lastPathComponent) lost \(version.told)")
    }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        log.note("\(url.lastPathComponent) resolved \(version.told)")
    }
}

extension NSFileVersion {
    /// What the log says of it: the name that the item had, or that it is not kept.
    fileprivate var told: String { localizedName ?? "what is gone" }
}

/// A queue for one operation at a time, which needs no thread of the global pool.
///
/// An operation queue does not retain its underlying queue.
final class SerialQueue: OperationQueue, @unchecked Sendable {
    private let threads = DispatchQueue(label: "presenter")

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
        underlyingQueue = threads
    }
}

extension OperationQueue {
    /// A serial queue of its own.
    static func serial() -> OperationQueue { SerialQueue() }

    /// Occupies the queue until the returned closure is called; it is occupied on return.
    func occupy() -> @Sendable () -> Void {
        let started = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        addOperation {
            started.signal()
            gate.wait()
        }
        started.wait()
        return { gate.signal() }
    }
}

extension PresenterMailbox {
    /// The mailbox of a presenter, which writes what it says to the session to a log, too.
    convenience init(
        _ presenter: any NSFilePresenter, log: EventLog,
        handled: @escaping @Sendable (PresenterNotice) -> Void = { _ in }
    ) {
        self.init(
            presenter, methods: PresenterMethods(implementedBy: presenter),
            answer: { claim, failure in
                let code = failure.map { " failed with \(($0 as NSError).code)" }
                log.note("answer \(claim)\(code ?? "")")
            },
            relinquishmentChanged: { kind, isRelinquished in
                log.note("\(kind) \(isRelinquished ? "relinquished" : "held")")
            },
            handled: handled)
    }
}

/// The place at a path.
func itemPath(_ path: String) -> ItemPath {
    guard let path = ItemPath(path) else { preconditionFailure("\(path) is no path") }
    return path
}

/// A block that a presenter was given, kept for later.
final class Keepsake<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?

    /// What is kept.
    var value: Value? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
