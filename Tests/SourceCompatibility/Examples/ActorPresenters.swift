// SPDX-License-Identifier: Apache-2.0
//
// Actors as presenters. They cannot inherit from NSObject here, so they have that protocol's few
// members themselves. `async` methods are isolated, those with blocks are not.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Answers with `async` methods.
actor ActorMethods: NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { kept.queue }
    private nonisolated let kept = KeptQueue()
    private nonisolated let log: CallLog
    private var saves = 0

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    nonisolated func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        log.note("toReader")
        reader(nil)
    }
    nonisolated func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        log.note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges() async throws {
        saves += 1
        log.note("save")
    }
    func accommodatePresentedItemDeletion() async throws { log.note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) { log.note("delete inside") }
    nonisolated func presentedItemDidMove(to newURL: URL) { log.note("move") }
    nonisolated func presentedItemDidChange() { log.note("change") }
    nonisolated func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        log.note("attributes")
    }
    nonisolated func presentedItemDidGain(_ version: NSFileVersion) { log.note("gain") }
    nonisolated func presentedItemDidLose(_ version: NSFileVersion) { log.note("lose") }
    nonisolated func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        log.note("resolve")
    }
    nonisolated func presentedSubitemDidAppear(at url: URL) { log.note("appear inside") }
    nonisolated func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        log.note("move inside")
    }
    nonisolated func presentedSubitemDidChange(at url: URL) { log.note("change inside") }
    nonisolated func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        log.note("gain inside")
    }
    nonisolated func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        log.note("lose inside")
    }
    nonisolated func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        log.note("resolve inside")
    }

    // MARK: NSObjectProtocol

    nonisolated var hash: Int { ObjectIdentifier(self).hashValue }
    nonisolated var description: String { "ActorMethods" }
    nonisolated var debugDescription: String { description }
    nonisolated func isEqual(_ object: Any?) -> Bool { (object as AnyObject?) === self }
    nonisolated func `self`() -> Self { self }
    nonisolated func isProxy() -> Bool { false }
}

/// Answers with blocks, in the classic spelling.
actor ActorBlocks: NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { kept.queue }
    private nonisolated let kept = KeptQueue()
    private nonisolated let log: CallLog

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    nonisolated func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        reader { [log] in log.note("toReader") }
    }
    nonisolated func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { [log] in log.note("toWriter") }
    }
    nonisolated func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        log.note("save")
        completionHandler(nil)
    }
    nonisolated func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        // Answers from the actor, after the method has returned.
        Task { await delete(completionHandler) }
    }
    nonisolated func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: (Error?) -> Void
    ) {
        log.note("delete inside")
        completionHandler(nil)
    }

    private func delete(_ completionHandler: @Sendable (Error?) -> Void) {
        log.note("delete")
        completionHandler(nil)
    }

    // MARK: NSObjectProtocol

    nonisolated var hash: Int { ObjectIdentifier(self).hashValue }
    nonisolated var description: String { "ActorBlocks" }
    nonisolated var debugDescription: String { description }
    nonisolated func isEqual(_ object: Any?) -> Bool { (object as AnyObject?) === self }
    nonisolated func `self`() -> Self { self }
    nonisolated func isProxy() -> Bool { false }
}
