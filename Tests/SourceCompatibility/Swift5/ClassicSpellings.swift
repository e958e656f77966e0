// SPDX-License-Identifier: Apache-2.0
//
// What only Swift 5 mode takes without a word: presenters and accessors from before there was
// `@Sendable`. The same lines in Swift 6 mode are in Differences.

import FileCoordination

/// Has every answering method without `@Sendable`.
class ClassicPresenter: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    lazy var presentedItemOperationQueue = OperationQueue.main
    lazy var primaryPresentedItemURL: URL? = presentedItemURL
    var isEdited = false
    var isBusy = false

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        isBusy = true
        reader { self.isBusy = false }
    }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Swift.Void)?) -> Swift.Void) {
        isBusy = true
        writer({ [weak self] in self?.isBusy = false })
    }
    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        isEdited = false
        DispatchQueue(label: "saving").async { completionHandler(nil) }
    }
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping (Swift.Error?) -> Swift.Void
    ) { OperationQueue.main.addOperation { completionHandler(nil) } }
    func accommodatePresentedItemEviction(completionHandler: @escaping ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping (Optional<Error>) -> ()
    ) { completionHandler(NSError(domain: "classic", code: 1, userInfo: nil)) }
    func presentedItemDidChange() {
        DispatchQueue.main.async { self.isEdited = false }
        let reload: () -> Void = presentedItemDidChange
        if isBusy { reload() }
    }
}

class ClassicSubclass: ClassicPresenter {
    override func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        super.savePresentedItemChanges(completionHandler: completionHandler)
    }
    override func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        super.relinquishPresentedItem(toReader: { reacquirer in reader(reacquirer) })
    }
    override func presentedItemDidChange() { isEdited = true }
}

/// Forgets `@Sendable` in one half of it.
final class HalfClassicPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = URL(fileURLWithPath: "/")
    let presentedItemOperationQueue = OperationQueue()
    var reacquirers: [() -> Void] = []
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
    ) { writer { print("again") } }
    func savePresentedItemChanges(completionHandler done: @escaping @Sendable (Error?) -> Void) {
        done(nil)
    }
}

/// Changes what is around accessors that run later.
class ClassicController: NSObject {
    var text = ""
    var coordinationError: NSError?
    var completion: ((Error?) -> Void)?

    func load(_ url: URL, completion: @escaping (Error?) -> Void) {
        let intent = NSFileAccessIntent.readingIntent(with: url, options: [])
        var attempts = 0
        let coordinator = NSFileCoordinator()
        coordinator.coordinate(with: [intent], queue: .main) { error in
            attempts += 1
            self.text = intent.url.path
            self.completion = completion
            completion(error)
        }
        NSFileCoordinator().coordinate(with: [intent], queue: .main, byAccessor: completion)
        coordinator.prepare(forReadingItemsAt: [url], writingItemsAt: [], error: &coordinationError)
        { done in
            self.completion = { _ in done() }
            done()
        }
        NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
            attempts += versions?.count ?? 0
            self.text = ""
            completion(error)
        }
        FileManager.default.getFileProviderServicesForItem(at: url) { services, error in
            self.text = services?.keys.first?.rawValue ?? ""
            completion(error)
        }
    }
}

/// Overrides with a handler that is not `@Sendable`.
class ClassicCoordinator: NSFileCoordinator {
    override func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping (Error?) -> Void
    ) { super.coordinate(with: intents, queue: queue, byAccessor: accessor) }
}
