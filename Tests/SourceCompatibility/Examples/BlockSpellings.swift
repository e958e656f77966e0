// SPDX-License-Identifier: Apache-2.0
//
// The methods that take blocks, in every spelling of the block that the compiler accepts in both
// language modes without a warning. CalledTests checks that each of them is called.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

typealias Reacquirer = () -> Void
typealias SendableReacquirer = @Sendable () -> Void
typealias Completion = (Error?) -> Void

/// As the documentation has it today.
final class SendableBlocks: Presenting, NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer { [log] in log.note("toWriter") } }
    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
}

/// As the documentation had it before there was `@Sendable`.
class ClassicBlocks: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        reader { self.note("toReader") }
    }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer({ [weak self] in self?.note("toWriter") })
    }
    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
}

/// Overrides the classic spelling, and passes the block on.
final class ClassicBlocksOverridden: ClassicBlocks {
    override func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        super.relinquishPresentedItem(toReader: { reacquirer in reader { reacquirer?() } })
    }
    override func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        super.relinquishPresentedItem(toWriter: { writer($0) })
    }
    override func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        super.savePresentedItemChanges { completionHandler($0) }
    }
}

/// Has `@Sendable` at the outer block only.
final class OuterSendable: Presenting, NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
    ) { reader { self.note("toReader") } }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((() -> Swift.Void)?) -> Swift.Void
    ) { writer { self.note("toWriter") } }
}

/// Has `@Sendable` at the inner block only.
final class InnerSendable: Presenting, NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(
        toWriter writer: @escaping ((@Sendable () -> Void)?) -> ()
    ) { writer { [log] in log.note("toWriter") } }
}

/// Writes `Optional`, and empty tuples.
final class SpelledOut: Presenting, NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping (Optional<() -> ()>) -> ()
    ) { reader(.some({ self.note("toReader") })) }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable (Optional<@Sendable () -> ()>) -> ()
    ) { writer({ [log] in log.note("toWriter") }) }
    func savePresentedItemChanges(completionHandler: @escaping (Optional<Swift.Error>) -> ()) {
        note("save")
        completionHandler(.none)
    }
    func accommodatePresentedItemDeletion(
        completionHandler handler: @escaping @Sendable (Optional<any Error>) -> Swift.Void
    ) {
        note("delete")
        handler(nil)
    }
}

/// Has names for the blocks' types.
final class NamedBlocks: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: @escaping (Reacquirer?) -> Void) {
        reader { self.note("toReader") }
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable (SendableReacquirer?) -> Void
    ) { writer { [log] in log.note("toWriter") } }
    func savePresentedItemChanges(completionHandler: @escaping Completion) {
        note("save")
        completionHandler(nil)
    }
}

/// Calls the blocks before it returns, and says so.
final class PromptBlocks: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: ((() -> Void)?) -> Void) {
        reader { self.note("toReader") }
    }
    func relinquishPresentedItem(toWriter writer: @Sendable ((@Sendable () -> Void)?) -> Void) {
        writer { [log] in log.note("toWriter") }
    }
    func savePresentedItemChanges(completionHandler: (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @Sendable (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
}

/// Gives no block back, and keeps what it was given for later.
final class LaterBlocks: Presenting, NSFilePresenter {
    private let later = DispatchQueue(label: "later")
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((() -> Void)?) -> Void) {
        later.async { [log] in
            log.note("toReader")
            reader(nil)
        }
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        later.async { [log] in
            log.note("toWriter")
            writer(nil)
        }
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        later.async { [log] in
            log.note("save")
            completionHandler(nil)
        }
    }
}

/// Has one of the two with `@Sendable` and one without.
final class MixedBlocks: Presenting, NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { self.note("toWriter") }
    }
}

/// Answers with `async` methods that throw.
final class AsyncThrowing: Presenting, NSFilePresenter {
    func savePresentedItemChanges() async throws { note("save") }
    func accommodatePresentedItemDeletion() async throws { note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws { note("delete inside") }
}

/// Answers with methods that do not throw, do not suspend, or neither.
final class CalmAnswers: Presenting, NSFilePresenter {
    func savePresentedItemChanges() async { note("save") }
    func accommodatePresentedItemDeletion() throws { note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) { note("delete inside") }
}

/// Answers on the main actor, with `async` methods.
@MainActor final class MainActorAnswers: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private let log: CallLog

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    func savePresentedItemChanges() async throws { log.note("save") }
    func accommodatePresentedItemDeletion() async throws { log.note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async { log.note("delete inside") }
}

@globalActor actor Archive {
    static let shared = Archive()
}

/// Answers on an actor of the program's own, which alone may touch its state.
@Archive final class ArchiveAnswers: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { kept.queue }
    private nonisolated let kept = KeptQueue()
    private let log: CallLog
    private var isEdited = true

    nonisolated init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    func savePresentedItemChanges() async throws {
        isEdited = false
        log.note("save")
    }
    func accommodatePresentedItemDeletion() throws { log.note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async { log.note("delete inside") }
    nonisolated func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        reader { [log] in log.note("toReader") }
    }
    nonisolated func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer { [log] in log.note("toWriter") } }
}
