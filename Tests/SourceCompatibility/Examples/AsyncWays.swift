// SPDX-License-Identifier: Apache-2.0
//
// The `async` forms of the methods that answer, in every way in which a class can come by them.
// CalledTests checks that each of them is called.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Has them so that subclasses can override them.
class AsyncPlaces: Presenting, NSFilePresenter {
    func savePresentedItemChanges() async throws {}
    func accommodatePresentedItemDeletion() async throws {}
    func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
}

/// Overrides them.
class AsyncOverridden: AsyncPlaces {
    override func savePresentedItemChanges() async throws { note("save") }
    override func accommodatePresentedItemDeletion() async throws { note("delete") }
    override func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        note("delete inside")
    }
}

/// Inherits them, and the overriding.
final class AsyncInherited: AsyncOverridden {}

/// Overrides them with methods that do not throw.
final class AsyncOverriddenCalmly: AsyncPlaces {
    override func savePresentedItemChanges() async { note("save") }
    override func accommodatePresentedItemDeletion() async { note("delete") }
    override func accommodatePresentedSubitemDeletion(at url: URL) async { note("delete inside") }
}

/// Declares them in an extension, apart from the conformance.
final class AsyncInExtension: Presenting, NSFilePresenter {}

extension AsyncInExtension {
    func savePresentedItemChanges() async throws { note("save") }
    func accommodatePresentedItemDeletion() async throws { note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws { note("delete inside") }
}

/// Is generic, and conforms in an extension.
class AsyncGeneric<Content>: Presenting {
    var content: Content?
}

extension AsyncGeneric: NSFilePresenter {
    func savePresentedItemChanges() async throws { note("save") }
    func accommodatePresentedItemDeletion() async throws { note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws { note("delete inside") }
}

/// Is generic no more.
final class AsyncOfNumbers: AsyncGeneric<Int> {}

/// Has them for all of its kind.
protocol AsyncNoting: NSFilePresenter {
    func note(_ call: String)
}

extension AsyncNoting {
    func savePresentedItemChanges() async throws { note("save") }
    func accommodatePresentedItemDeletion() async throws { note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws { note("delete inside") }
}

/// Gets them from a protocol of the program's own.
final class AsyncShared: Presenting, AsyncNoting {}

/// Has them, and is no presenter.
class AsyncAlone: Presenting {
    func savePresentedItemChanges() async throws { note("save") }
    func accommodatePresentedItemDeletion() async throws { note("delete") }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws { note("delete inside") }
}

/// Becomes a presenter by what its superclass has.
final class AsyncOfSuperclass: AsyncAlone, NSFilePresenter {}

/// Says that no actor isolates them.
@MainActor final class AsyncNonisolated: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { kept.queue }
    private nonisolated let kept = KeptQueue()
    private nonisolated let log: CallLog

    nonisolated init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    nonisolated func savePresentedItemChanges() async throws { log.note("save") }
    nonisolated func accommodatePresentedItemDeletion() async { log.note("delete") }
    nonisolated func accommodatePresentedSubitemDeletion(at url: URL) throws {
        log.note("delete inside")
    }
}

/// Returns something from each of them, for the program's own calls.
final class ReturningAnswers: Presenting, NSFilePresenter {
    @discardableResult func savePresentedItemChanges() async throws -> Bool {
        note("save")
        return true
    }
    @discardableResult func accommodatePresentedItemDeletion() async throws -> Void? {
        note("delete")
    }
    @discardableResult func accommodatePresentedSubitemDeletion(at url: URL) async throws -> Int {
        note("delete inside")
        return 1
    }
}
