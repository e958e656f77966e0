// SPDX-License-Identifier: Apache-2.0
//
// All methods of a presenter, as programs have them that say which actor they belong to, or that
// share them among several presenters. CalledTests checks that each of them is called.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Says that no actor isolates them.
@MainActor final class NonisolatedMethods: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { kept.queue }
    private nonisolated let kept = KeptQueue()
    private nonisolated let log: CallLog

    nonisolated init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    private nonisolated func note(_ call: String) { log.note(call) }
    nonisolated func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    nonisolated func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    nonisolated func savePresentedItemChanges(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("save")
        completionHandler(nil)
    }
    nonisolated func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void)
    {
        note("delete")
        completionHandler(nil)
    }
    nonisolated func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    nonisolated func presentedItemDidMove(to newURL: URL) { note("move") }
    nonisolated func presentedItemDidChange() { note("change") }
    nonisolated func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    nonisolated func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    nonisolated func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    nonisolated func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    nonisolated func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    nonisolated func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    nonisolated func presentedSubitemDidChange(at url: URL) { note("change inside") }
    nonisolated func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        note("gain inside")
    }
    nonisolated func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        note("lose inside")
    }
    nonisolated func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Is on the main actor with all of them; the queue is the main one.
@MainActor final class MainActorMethods: NSObject, @preconcurrency NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private let log: CallLog
    private var calls = 0

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    private func note(_ call: String) {
        calls += 1
        log.note(call)
    }
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { note("move") }
    func presentedItemDidChange() { note("change") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    func presentedSubitemDidChange(at url: URL) { note("change inside") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { note("gain inside") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { note("lose inside") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Says at each method that it is on the main actor, or on none; the queue is the main one.
final class MainActorOnEach: NSObject, @preconcurrency NSFilePresenter {
    let presentedItemURL: URL?
    var presentedItemOperationQueue: OperationQueue { .main }
    private let log: CallLog

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    @MainActor func savePresentedItemChanges() async throws { log.note("save") }
    @MainActor func accommodatePresentedItemDeletion() throws { log.note("delete") }
    nonisolated func accommodatePresentedSubitemDeletion(at url: URL) async {
        log.note("delete inside")
    }
    @MainActor func presentedItemDidChange() { log.note("change") }
    @MainActor func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        log.note("toReader")
        reader(nil)
    }
    @MainActor func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        log.note("toWriter")
        writer(nil)
    }
}

/// Has them for all of its kind.
protocol Noting: NSFilePresenter {
    func note(_ call: String)
}

extension Noting {
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { note("move") }
    func presentedItemDidChange() { note("change") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    func presentedSubitemDidChange(at url: URL) { note("change inside") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { note("gain inside") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { note("lose inside") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Gets them from a protocol of the program's own.
final class SharedMethods: Presenting, Noting {}
