// SPDX-License-Identifier: Apache-2.0
//
// What programs write that were moved to Swift 6 mode: isolation is said, and what crosses threads
// is `Sendable`.

@preconcurrency import FileCoordination

/// Is on the main actor with all of its methods; the queue is the main one.
@MainActor class IsolatedPresenter: NSObject, @preconcurrency NSFilePresenter {
    nonisolated let presentedItemURL: URL?
    nonisolated let presentedItemOperationQueue = OperationQueue.main
    private(set) var changes = 0

    init(url: URL) { presentedItemURL = url }

    func presentedItemDidChange() { changes += 1 }
    func presentedItemDidMove(to newURL: URL) { changes = 0 }
    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
    func accommodatePresentedItemDeletion() async throws { changes = 0 }
}

@MainActor final class IsolatedSubclass: IsolatedPresenter {
    override func presentedItemDidChange() { super.presentedItemDidChange() }
}

/// Presents for an actor, which cannot itself be an `NSObject` on Linux: it compiles, and does not
/// link (`OBJC_CLASS_$_SwiftNativeNSObject`).
final class ActorsPresenter<Owner: Actor>: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let owner: Owner
    private let onChange: @Sendable (isolated Owner) -> Void

    init(url: URL, for owner: Owner, onChange: @escaping @Sendable (isolated Owner) -> Void) {
        presentedItemURL = url
        self.owner = owner
        self.onChange = onChange
    }

    func presentedItemDidChange() { Task { await onChange(owner) } }
}

/// Reads on behalf of the main actor, and comes back to it.
@MainActor final class IsolatedController {
    private(set) var text = ""
    private(set) var task: Task<Void, any Error>?

    func load(_ url: URL) {
        let coordinator = NSFileCoordinator(filePresenter: IsolatedPresenter(url: url))
        coordinator.coordinate(readingItemAt: url, error: nil) { text = $0.path }
        let intent = NSFileAccessIntent.readingIntent(with: url)
        coordinator.coordinate(with: [intent], queue: OperationQueue()) { error in
            guard error == nil else { return }
            Task { @MainActor in self.text = intent.url.path }
        }
        task = Task {
            try await NSFileCoordinator().access([intent], on: .main)
            text = try NSFileCoordinator().reading(intent.url) { $0.path }
        }
    }

    /// Awaits an accessor that runs on another thread.
    func loadElsewhere(_ url: URL) async throws {
        text = try await withCheckedThrowingContinuation { continuation in
            let intent = NSFileAccessIntent.readingIntent(with: url)
            NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: intent.url.path)
                }
            }
        }
    }
}
