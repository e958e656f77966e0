// SPDX-License-Identifier: Apache-2.0
//
// Presenters written in the ways in which people write them. That this file compiles, in Swift 6
// mode and without a warning, is the test; PresenterMethodsTests looks at what each is found to
// implement. Spellings that are accepted with a warning are in PresenterSourceTests.

public import FileCoordination

/// Implements nothing.
final class SilentPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue.main
}

/// Implements everything, with completion handlers.
class ThoroughPresenter: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    lazy var presentedItemOperationQueue: OperationQueue = OperationQueue()
    var primaryPresentedItemURL: URL? { presentedItemURL }
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [.isUbiquitousItemKey] }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader(nil) }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer { print("again") } }
    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) { completionHandler(nil) }
    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Optional<any Error>) -> Void
    ) { completionHandler(nil) }
    func presentedItemDidMove(to newURL: URL) { presentedItemURL = newURL }
    func presentedItemDidChange() {}
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
    func presentedSubitemDidAppear(at url: URL) {}
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}
    func presentedSubitemDidChange(at url: URL) {}
    func presentedItemDidGain(_ version: NSFileVersion) {}
    func presentedItemDidLose(_ version: NSFileVersion) {}
    func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}

/// Overrides what its superclass implements.
final class ThoroughSubclass: ThoroughPresenter {
    override func presentedItemDidChange() {}
}

/// Implements the answering methods as `async`.
final class AsyncPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()

    func savePresentedItemChanges() async throws {}
    func accommodatePresentedItemDeletion() async throws {}
    func accommodatePresentedItemEviction() async throws {}
    func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
}

/// Implements `async` methods that do not throw, or do not suspend.
final class CalmAsyncPresenter: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL? = nil
    nonisolated let presentedItemOperationQueue = OperationQueue()

    func savePresentedItemChanges() async {}
    func accommodatePresentedItemDeletion() throws {}
}

/// Has all but its properties on the main actor.
@MainActor final class MainActorPresenter: NSObject, @preconcurrency NSFilePresenter {
    nonisolated let presentedItemURL: URL? = nil
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    var changes = 0

    func presentedItemDidChange() { changes += 1 }
    nonisolated func presentedSubitemDidChange(at url: URL) {}
    func savePresentedItemChanges() async throws { changes = 0 }
}

/// Is on the main actor without saying so at the conformance.
@MainActor final class NonisolatedPresenter: NSObject, NSFilePresenter {
    nonisolated var presentedItemURL: URL? { nil }
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private var unsaved = 0

    nonisolated func presentedItemDidChange() { Task { @MainActor in unsaved += 1 } }
    func savePresentedItemChanges() async throws { unsaved = 0 }
}

/// Is told of versions and of nothing else, in some of the ways in which that can be written.
class VersionPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()
    private(set) var versions: [NSFileVersion] = []

    func presentedItemDidGain(_ version: NSFileVersion) { versions.append(version) }
    nonisolated func presentedItemDidLose(_: NSFileVersion) {}
    dynamic func presentedItemDidResolveConflict(_ resolved: NSFileVersion) {}
    final func presentedSubitem(at _: URL, didGain version: NSFileVersion) {}
}

extension VersionPresenter {
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    @discardableResult
    func presentedSubitem(at subitemURL: URL, didResolve version: NSFileVersion) -> Bool { true }
}

/// Is told of versions on the main actor, where they are not to leave the queue they came on.
@MainActor final class MainActorVersionPresenter: NSObject, NSFilePresenter {
    nonisolated var presentedItemURL: URL? { nil }
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private var conflicts = 0

    nonisolated func presentedItemDidGain(_ version: NSFileVersion) {
        let isConflict = version.isConflict
        Task { @MainActor in conflicts += isConflict ? 1 : 0 }
    }
}

/// Conforms in an extension.
class ExtendedPresenter: NSObject {
    dynamic var itemURL: URL?
}

extension ExtendedPresenter: NSFilePresenter {
    var presentedItemURL: URL? { itemURL }
    var presentedItemOperationQueue: OperationQueue { .main }
    func presentedItemDidChange() { itemURL = nil }
}

/// Is generic.
final class GenericPresenter<Content>: NSObject, NSFilePresenter {
    var content: Content?
    var presentedItemURL: URL? { nil }
    var presentedItemOperationQueue: OperationQueue { .main }
    func presentedItemDidChange() { content = nil }
}

/// Implements a method for all documents.
protocol SomeDocument: NSFilePresenter {
    var reloads: Int { get set }
}

extension SomeDocument {
    func presentedItemDidChange() { reloads += 1 }
}

/// Conforms through a protocol, and gets a method from it.
final class DocumentPresenter: NSObject, SomeDocument {
    var reloads = 0
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue: OperationQueue = .main
}

/// Returns something that was not asked for.
open class ChattyPresenter: NSObject, NSFilePresenter {
    open var presentedItemURL: URL? { nil }
    open var presentedItemOperationQueue: OperationQueue { .main }
    @discardableResult open func presentedItemDidChange() -> Bool { true }
}

/// Cannot be helped: what the subclass adds is not part of the conformance.
final class LateSubclass: AsyncPresenterBase {
    func presentedItemDidChange() {}
}

class AsyncPresenterBase: NSObject, NSFilePresenter {
    var presentedItemURL: URL? { nil }
    var presentedItemOperationQueue: OperationQueue { .main }
    func savePresentedItemChanges() async throws {}
}

/// Uses presenters as people do.
final class PresenterHolder {
    weak var presenter: (any NSFilePresenter)?
    var others: [any NSFilePresenter] = []

    func adopt(_ object: Any) -> Bool {
        guard let presenter = object as? any NSFilePresenter else { return false }
        others.removeAll { $0 === presenter }
        others.append(presenter)
        presenter.presentedItemDidChange()
        return presenter is NSObject
    }
}
