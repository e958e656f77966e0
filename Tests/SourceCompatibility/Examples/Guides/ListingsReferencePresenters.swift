// SPDX-License-Identifier: Apache-2.0
//
// The listings of documentation comments about presenters, word for word: GuideTests compares them.

import FileCoordination
import Synchronization

private enum ReferenceClasses {
    final class Preview: NSObject, NSFilePresenter {
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let serial = DispatchQueue(label: "Preview")

        init(of url: URL) {
            presentedItemURL = url
            super.init()
            presentedItemOperationQueue.maxConcurrentOperationCount = 1
            presentedItemOperationQueue.underlyingQueue = serial
        }

        func presentedItemDidChange() { print("read it again") }
    }
}

private final class FolderView: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()

    func list(_ url: URL) {}
    func stopShowing(_ url: URL) {}
    func warn() {}
    func stopWarning() {}

    func presentedItemDidGain(_ version: NSFileVersion) { if version.isConflict { warn() } }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { stopWarning() }
    func presentedItemDidLose(_ version: NSFileVersion) { stopWarning() }

    func presentedSubitemDidAppear(at url: URL) { list(url) }
    func presentedSubitemDidChange(at url: URL) { list(url) }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { list(newURL) }

    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        stopShowing(url)
        completionHandler(nil)
    }

    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { list(url) }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { list(url) }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) { list(url) }
}

private final class DraftView: NSObject, NSFilePresenter {
    private let url = Mutex<URL?>(nil)
    let presentedItemOperationQueue = OperationQueue()

    var presentedItemURL: URL? { url.withLock { $0 } }

    func closeFile() {}
    func reload() {}
    func save() throws {}

    func open() { NSFileCoordinator.addFilePresenter(self) }
    func close() { NSFileCoordinator.removeFilePresenter(self) }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        closeFile()
        reader { print("the other program has read") }
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        closeFile()
        writer { print("the other program has written") }
    }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        do {
            try save()
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        close()
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) { url.withLock { $0 = newURL } }
    func presentedItemDidChange() { reload() }

    func presentedItemDidChangeUbiquityAttributes(
        _ attributes: Set<URLResourceKey>
    ) { reload() }
}

private final class ClassicView: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()

    func openFile() {}
    func closeFile() {}

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        closeFile()
        reader { self.openFile() }
    }
    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        closeFile()
        writer { self.openFile() }
    }
}

private final class AsyncView: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()

    func store() async throws {}
    func close() async throws {}
    func hide(_ url: URL) async {}

    func savePresentedItemChanges() async throws { try await store() }
    func accommodatePresentedItemDeletion() async throws { try await close() }
    func accommodatePresentedSubitemDeletion(at url: URL) async throws { await hide(url) }
}

private func onBehalf(_ editor: any NSFilePresenter, _ url: URL, _ text: String) throws {
    try NSFileCoordinator(filePresenter: editor).coordinate(writingItemAt: url) {
        try text.write(to: $0, atomically: true, encoding: .utf8)
    }
}

private func labelled(_ editor: any NSFilePresenter) {
    NSFileCoordinator.addFilePresenter(editor, label: "drafts")
}

private func guardStatus(_ editor: any NSFilePresenter) {
    switch NSFileCoordinator.guardStatus(of: editor) {
    case .on: print("other programs wait")
    case .starting, .offWhileOpenForWriting: print("not yet")
    case .off(let reason): print(reason)
    case nil: print("the presenter has no guard")
    }
}
