// SPDX-License-Identifier: Apache-2.0
//
// The two methods that relinquish, in every way in which a class can come by them, spelled the
// other way round than in MethodWays and IsolatedWays: `toReader` with `@Sendable`, `toWriter`
// without. CalledTests checks that each of them is called.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Has them so that subclasses can override them.
class SwappedPlaces: Presenting, NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader(nil) }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer(nil)
    }
}

/// Overrides them.
class SwappedOverridden: SwappedPlaces {
    override func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    override func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { self.note("toWriter") }
    }
}

/// Inherits them, and the overriding.
final class SwappedInherited: SwappedOverridden {}

/// Declares them in an extension, apart from the conformance.
final class SwappedInExtension: Presenting, NSFilePresenter {}

extension SwappedInExtension {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { self.note("toWriter") }
    }
}

/// Is generic, and conforms in an extension.
final class SwappedGeneric<Content>: Presenting {
    var content: Content?
}

extension SwappedGeneric: NSFilePresenter {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { self.note("toWriter") }
    }
}

/// Says that no actor isolates them.
@MainActor final class SwappedNonisolated: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { kept.queue }
    private nonisolated let kept = KeptQueue()
    private nonisolated let log: CallLog

    nonisolated init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    nonisolated func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    nonisolated func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { [log] in log.note("toWriter") }
    }
}

/// Is on the main actor with them; the queue is the main one.
@MainActor final class SwappedOnMain: NSObject, @preconcurrency NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private let log: CallLog

    init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { [log] in log.note("toWriter") }
    }
}

/// Has them for all of its kind.
protocol SwappedNoting: NSFilePresenter {
    func note(_ call: String)
}

extension SwappedNoting {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        note("toWriter")
        writer(nil)
    }
}

/// Gets them from a protocol of the program's own.
final class SwappedShared: Presenting, SwappedNoting {}

/// Has them, and is no presenter.
class SwappedAlone: Presenting {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader { [log] in log.note("toReader") } }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer { self.note("toWriter") }
    }
}

/// Becomes a presenter by what its superclass has.
final class SwappedOfSuperclass: SwappedAlone, NSFilePresenter {}
