// SPDX-License-Identifier: Apache-2.0
//
// What programs do with presenters once they have them: keep, compare, cast, and call them.

import FileCoordination

/// Keeps presenters in every way.
final class Presenters {
    weak var current: (any NSFilePresenter)?
    unowned let owner: any NSFilePresenter
    var all: [any NSFilePresenter] = []
    var byURL: [URL: any NSFilePresenter] = [:]
    var byObject: [ObjectIdentifier: any NSFilePresenter] = [:]
    var objects: [any NSObject & NSFilePresenter] = []

    init(owner: any NSFilePresenter) { self.owner = owner }

    func add(_ presenter: any NSFilePresenter) {
        guard !all.contains(where: { $0 === presenter }) else { return }
        all.append(presenter)
        byObject[ObjectIdentifier(presenter)] = presenter
        if let url = presenter.presentedItemURL { byURL[url] = presenter }
        current = presenter
        NSFileCoordinator.addFilePresenter(presenter)
        if let object = presenter as? any NSObject & NSFilePresenter { objects.append(object) }
    }

    func remove(_ object: AnyObject) {
        guard let presenter = object as? any NSFilePresenter, presenter !== owner else { return }
        all.removeAll { $0 === presenter }
        all = all.filter { !$0.isEqual(presenter) && $0.hash != presenter.hash }
        NSFileCoordinator.removeFilePresenter(presenter)
        if presenter === current { current = nil }
    }

    func tellAll() {
        all.forEach { $0.presentedItemDidChange() }
        for presenter in NSFileCoordinator.filePresenters { presenter.presentedItemDidChange() }
        current?.presentedItemDidMove(to: URL(fileURLWithPath: "/"))
        owner.savePresentedItemChanges { error in
            if let error { print(error) }
        }
        current?.relinquishPresentedItem(toWriter: { reacquirer in reacquirer?() })
        current?.presentedItemOperationQueue.addOperation { print("later") }
        owner.accommodatePresentedSubitemDeletion(at: URL(fileURLWithPath: "/")) { _ in }
    }

    func find(_ url: URL) -> (any NSFilePresenter)? {
        NSFileCoordinator.filePresenters.first { $0.presentedItemURL == url }
            ?? all.first(where: { $0.presentedItemURL?.path == url.path })
    }

    func urls() -> [URL] {
        NSFileCoordinator.filePresenters.compactMap(\.presentedItemURL)
            + all.compactMap { $0.primaryPresentedItemURL }
    }

    func watchers() -> [Watcher] {
        NSFileCoordinator.filePresenters.compactMap { $0 as? Watcher }
            + all.filter { $0 is Watcher }.compactMap { $0 as? Watcher }
    }

    func describe(_ presenter: any NSFilePresenter) -> String {
        switch presenter {
        case let watcher as Watcher: watcher.description
        case is any Document: "document"
        default: "\(type(of: presenter)) \(presenter as AnyObject)"
        }
    }
}

/// Uses presenters through type parameters.
struct Presented<Presenter: NSFilePresenter> {
    var presenter: Presenter
    func coordinator() -> NSFileCoordinator { NSFileCoordinator(filePresenter: presenter) }
    func tell() { presenter.presentedItemDidChange() }
    func save() async throws { try await presenter.savePresentedItemChanges() }
}

func present(_ presenter: some NSFilePresenter) { NSFileCoordinator.addFilePresenter(presenter) }

func presentTwice<P>(_ presenter: P) where P: NSFilePresenter, P: NSObject {
    present(presenter)
    Presented(presenter: presenter).tell()
}

extension NSFilePresenter {
    /// A program's own method for every presenter.
    func startPresenting() { NSFileCoordinator.addFilePresenter(self) }
    func stopPresenting() { NSFileCoordinator.removeFilePresenter(self) }
    var coordinator: NSFileCoordinator { NSFileCoordinator(filePresenter: self) }
}

/// A delegate that is a presenter, too.
protocol EditorDelegate: AnyObject {
    func editorDidClose(_ presenter: any NSFilePresenter)
}

final class Editor: NSObject {
    weak var delegate: (any EditorDelegate & NSFilePresenter)?
    private lazy var watcher = Watcher(url: URL(fileURLWithPath: "/tmp/a"))

    override init() {
        super.init()
        watcher.onChange = { [weak self] in self?.reload() }
        watcher.startPresenting()
    }

    deinit { watcher.stopPresenting() }

    func reload() {
        guard let url = watcher.presentedItemURL else { return }
        var error: NSError?
        watcher.coordinator.coordinate(readingItemAt: url, error: &error) { _ in }
        if error != nil, let delegate { delegate.editorDidClose(delegate) }
    }
}
