// SPDX-License-Identifier: Apache-2.0
//
// An actor as a presenter. It cannot inherit from NSObject here, so it has that protocol's few
// members itself; its `async` methods are isolated, those with blocks are not.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

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
    nonisolated func presentedItemDidChange() { log.note("change") }
    nonisolated func presentedItemDidMove(to newURL: URL) { log.note("move") }

    // MARK: NSObjectProtocol

    nonisolated var hash: Int { ObjectIdentifier(self).hashValue }
    nonisolated var description: String { "ActorMethods" }
    nonisolated var debugDescription: String { description }
    nonisolated func isEqual(_ object: Any?) -> Bool { (object as AnyObject?) === self }
    nonisolated func `self`() -> Self { self }
    nonisolated func isProxy() -> Bool { false }
}
