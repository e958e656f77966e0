// SPDX-License-Identifier: Apache-2.0
//
// Presenters in the spellings in which they stand in programs for macOS. Here are those that both
// language modes accept without a warning; Differences has the others.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Has what is required and nothing else.
final class QuietPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue.main
}

/// Has every method, the answering ones with completion handlers.
open class FullPresenter: NSObject, NSFilePresenter {
    public var presentedItemURL: URL?
    public lazy var presentedItemOperationQueue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.name = "presenter"
        return queue
    }()
    open var primaryPresentedItemURL: URL? { presentedItemURL?.deletingPathExtension() }
    open var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> {
        [.ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsSharedKey]
    }
    var isReading = false

    public init(url: URL?) {
        presentedItemURL = url
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    deinit { NSFileCoordinator.removeFilePresenter(self) }

    open func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader {} }
    open func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer(nil) }
    open func savePresentedItemChanges(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) { completionHandler(nil) }
    open func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(CocoaError(.userCancelled)) }
    open func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable (Swift.Error?) -> Void
    ) { completionHandler(nil) }
    open func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler handler: @escaping @Sendable (Error?) -> Swift.Void
    ) { handler(NSError(domain: NSCocoaErrorDomain, code: NSFileWriteNoPermissionError)) }
    open func presentedItemDidMove(to newURL: URL) { presentedItemURL = newURL }
    open func presentedItemDidChange() {}
    open func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
    open func presentedItemDidGain(_ version: NSFileVersion) {}
    open func presentedItemDidLose(_ version: NSFileVersion) {}
    open func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
    open func presentedSubitemDidAppear(at url: URL) {}
    open func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}
    open func presentedSubitemDidChange(at url: URL) {}
    open func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
    open func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    open func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}

/// Overrides what its superclass declares, some of it through `super`.
final class FullSubclass: FullPresenter {
    private(set) var changes = 0
    override var primaryPresentedItemURL: URL? { nil }
    override var presentedItemURL: URL? {
        get { super.presentedItemURL?.standardizedFileURL }
        set { super.presentedItemURL = newValue }
    }
    override func presentedItemDidChange() {
        super.presentedItemDidChange()
        changes += 1
    }
    override func savePresentedItemChanges(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) { super.savePresentedItemChanges { completionHandler($0) } }
    override func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        isReading = false
        super.relinquishPresentedItem(toWriter: writer)
    }
}

/// Has every answering method as `async`.
final class AsyncPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue = .init()
    init(_ url: URL) { presentedItemURL = url }

    func savePresentedItemChanges() async throws {
        guard let url = presentedItemURL else { throw CocoaError(.fileNoSuchFile) }
        try await Task { try Data().write(to: url) }.value
    }
    func accommodatePresentedItemDeletion() async throws {}
    func accommodatePresentedItemEviction() async throws { throw CancellationError() }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
}

/// Mixes `async` and completion handlers, and comes in pieces.
public class MixedPresenter: NSObject {
    fileprivate var url: URL?
    static let queue = OperationQueue()
    dynamic var isEdited = false
}

extension MixedPresenter: NSFilePresenter {
    public var presentedItemURL: URL? { url }
    public var presentedItemOperationQueue: OperationQueue { Self.queue }
    public func savePresentedItemChanges() async throws { isEdited = false }
}

extension MixedPresenter {
    public func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        url = nil
        completionHandler(nil)
    }
    public dynamic func presentedItemDidMove(to newURL: URL) { url = newURL }
}

/// Is on the main actor; what the protocol asks for synchronously is not.
@MainActor final class Window: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated var presentedItemOperationQueue: OperationQueue { .main }
    private(set) var title = ""
    private var task: Task<Void, Never>?

    init(url: URL) {
        presentedItemURL = url
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    func close() { NSFileCoordinator.removeFilePresenter(self) }

    nonisolated func presentedItemDidChange() { Task { @MainActor in reload() } }
    nonisolated func presentedItemDidMove(to newURL: URL) {
        Task { await rename(newURL.lastPathComponent) }
    }
    func savePresentedItemChanges() async throws { title = "saved" }

    private func rename(_ name: String) { title = name }

    func reload() {
        let coordinator = NSFileCoordinator(filePresenter: self)
        guard let url = presentedItemURL else { return }
        coordinator.coordinate(readingItemAt: url, error: nil) { title = $0.lastPathComponent }
        let intent = NSFileAccessIntent.readingIntent(with: url)
        coordinator.coordinate(with: [intent], queue: .main) { error in
            guard error == nil else { return }
            Task { @MainActor in self.rename(intent.url.lastPathComponent) }
        }
    }
}

/// An actor that owns a presenter and is told by it.
actor Library {
    private final class Watcher: NSObject, NSFilePresenter, Sendable {
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let onChange: @Sendable (URL) async -> Void

        init(_ url: URL, onChange: @escaping @Sendable (URL) async -> Void) {
            presentedItemURL = url
            self.onChange = onChange
        }
        func presentedSubitemDidChange(at url: URL) { Task { await onChange(url) } }
        func presentedSubitemDidAppear(at url: URL) {
            Task { [onChange] in await onChange(url) }
        }
    }

    private var watcher: Watcher?
    private var changed: Set<URL> = []

    func open(_ url: URL) {
        let watcher = Watcher(url) { [weak self] in await self?.note($0) }
        self.watcher = watcher
        NSFileCoordinator.addFilePresenter(watcher)
    }

    func close() {
        if let watcher { NSFileCoordinator.removeFilePresenter(watcher) }
        watcher = nil
    }

    private func note(_ url: URL) { changed.insert(url) }
}

/// Hands out changes as a sequence.
final class Changes: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    let stream: AsyncStream<URL>
    private let continuation: AsyncStream<URL>.Continuation

    init(_ url: URL) {
        presentedItemURL = url
        (stream, continuation) = AsyncStream.makeStream()
        super.init()
    }

    func presentedItemDidChange() { presentedItemURL.map { _ = continuation.yield($0) } }
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        continuation.finish()
        completionHandler(nil)
    }
}

/// Calls closures; the common shape of a small watcher.
class Watcher: NSObject, NSFilePresenter {
    private(set) var presentedItemURL: URL?
    var presentedItemOperationQueue: OperationQueue = .main
    var onChange: (() -> Void)?
    var onMove: ((URL) -> Void)?

    required init(url: URL, queue: OperationQueue = .main) {
        presentedItemURL = url
        presentedItemOperationQueue = queue
    }

    func start() { NSFileCoordinator.addFilePresenter(self) }
    func stop() { NSFileCoordinator.removeFilePresenter(self) }
    @discardableResult func presentedItemDidChange() -> Void? { onChange?() }
    func presentedItemDidMove(to newURL: URL) {
        presentedItemURL = newURL
        onMove?(newURL)
    }
}

/// Is generic, nested and constrained.
class Box<Content: Equatable & Codable>: NSObject, NSFilePresenter {
    var content: Content?
    let url: URL
    var presentedItemURL: URL? { url }
    let presentedItemOperationQueue = OperationQueue()
    init(_ url: URL) { self.url = url }
    func presentedItemDidChange() {
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, error: nil) {
            content = try? JSONDecoder().decode(Content.self, from: Data(contentsOf: $0))
        }
    }
    final class Inner: NSObject, NSFilePresenter {
        var presentedItemURL: URL?
        var presentedItemOperationQueue: OperationQueue { .main }
        func presentedItemDidMove(to newURL: URL) { presentedItemURL = newURL }
    }
}

final class NumberBox: Box<Int> {
    override func presentedItemDidChange() {
        super.presentedItemDidChange()
        content = (content ?? 0) + 1
    }
}

/// A program's own protocol of presenters, with methods for all of them.
protocol Document: NSFilePresenter {
    associatedtype Content
    var content: Content { get set }
    var changeCount: Int { get set }
}

extension Document {
    func presentedItemDidChange() { changeCount += 1 }
    func open() { NSFileCoordinator.addFilePresenter(self) }
}

extension Document where Self: NSObject {
    var presentedItemOperationQueue: OperationQueue { OperationQueue.main }
}

final class TextDocument: NSObject, Document {
    var content = ""
    var changeCount = 0
    var presentedItemURL: URL?
}

/// Gets a method from a superclass that is no presenter.
class Model: NSObject {
    var url: URL?
    func presentedItemDidChange() { url = nil }
}

final class PresentedModel: Model, NSFilePresenter {
    var presentedItemURL: URL? { url }
    var presentedItemOperationQueue: OperationQueue { .main }
}

/// Conforms through a name for two things at once.
typealias PresenterObject = NSObject & NSFilePresenter

private class Aliased: PresenterObject, Identifiable {
    fileprivate var presentedItemURL: URL? { nil }
    fileprivate var presentedItemOperationQueue: OperationQueue { .main }
    fileprivate func presentedItemDidChange() {}
}
