// SPDX-License-Identifier: Apache-2.0
//
// Methods of presenters as newer Swift lets programs write them, as classes come by them that only
// later become presenters, and as only an override may have them. CalledTests checks that each of
// them is called.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Has the methods of a presenter, and is none.
class MethodsAlone: Presenting {
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        log.note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        log.note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        log.note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        log.note("delete")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { log.note("move") }
    func presentedItemDidChange() { log.note("change") }
    func presentedSubitemDidChange(at url: URL) { log.note("change inside") }
}

/// Becomes a presenter by what its superclass has.
final class PresenterOfMethods: MethodsAlone, NSFilePresenter {}

/// Overrides with blocks that are optional, as only an override may have them.
final class OptionalBlocks: ClassicBlocks {
    override func relinquishPresentedItem(toReader reader: (((() -> Void)?) -> Void)?) {
        reader?({ self.note("toReader") })
    }
    override func relinquishPresentedItem(toWriter writer: (((() -> Void)?) -> Void)?) {
        writer?({ self.note("toWriter") })
    }
    override func savePresentedItemChanges(completionHandler: ((Error?) -> Void)?) {
        note("save")
        completionHandler?(nil)
    }
    override func accommodatePresentedItemDeletion(completionHandler: ((Error?) -> Void)?) {
        note("delete")
        completionHandler?(nil)
    }
}

/// Says which errors there are.
final class TypedErrors: Presenting, NSFilePresenter {
    func savePresentedItemChanges() async throws(CocoaError) { log.note("save") }
    func accommodatePresentedItemDeletion() async throws(CocoaError) { log.note("delete") }
}

#if compiler(>=6.2)
/// Leaves the caller's actor.
final class ConcurrentAnswers: Presenting, NSFilePresenter {
    @concurrent func savePresentedItemChanges() async throws { log.note("save") }
    @concurrent func accommodatePresentedItemDeletion() async throws { log.note("delete") }
}

/// Is a presenter on the main actor alone.
@MainActor final class ConformingOnMain: NSObject, @MainActor NSFilePresenter {
    let presentedItemURL: URL?
    private let kept = KeptQueue()
    private let log: CallLog
    var presentedItemOperationQueue: OperationQueue { .main }

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        log.note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        log.note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        log.note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        log.note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        log.note("delete inside")
    }
    func presentedItemDidMove(to newURL: URL) { log.note("move") }
    func presentedItemDidChange() { log.note("change") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        log.note("attributes")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { log.note("gain") }
    func presentedItemDidLose(_ version: NSFileVersion) { log.note("lose") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { log.note("resolve") }
    func presentedSubitemDidAppear(at url: URL) { log.note("appear inside") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { log.note("move inside") }
    func presentedSubitemDidChange(at url: URL) { log.note("change inside") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { log.note("gain inside") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { log.note("lose inside") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        log.note("resolve inside")
    }
}
#endif
