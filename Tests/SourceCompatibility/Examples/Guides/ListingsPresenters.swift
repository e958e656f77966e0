// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Presenters",
// word for word: GuideTests compares them.

import FileCoordination
import Synchronization

final class PlainTextDocument: NSObject, NSFilePresenter {
    private struct State {
        var url: URL?
        var text = ""
        var isEdited = false
    }

    private let state: Mutex<State>
    private let serial = DispatchQueue(label: "PlainTextDocument")
    let presentedItemOperationQueue = OperationQueue()

    var presentedItemURL: URL? { state.withLock { $0.url } }

    init(url: URL) {
        state = Mutex(State(url: url))
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    func open() throws {
        let coordinator = NSFileCoordinator(filePresenter: self)
        guard let url = presentedItemURL else { return }
        try coordinator.coordinate(readingItemAt: url) { url in
            let text = try String(contentsOf: url, encoding: .utf8)
            state.withLock { $0.text = text }
            NSFileCoordinator.addFilePresenter(self)
        }
    }

    func edit(_ text: String) {
        state.withLock {
            $0.text = text
            $0.isEdited = true
        }
    }

    func close() throws {
        defer { NSFileCoordinator.removeFilePresenter(self) }
        try serial.sync { try save() }
    }

    private func save() throws {
        let (url, text, isEdited) = state.withLock { ($0.url, $0.text, $0.isEdited) }
        guard isEdited else { return }
        guard let url else { throw CocoaError(.fileNoSuchFile) }
        try NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url) { url in
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        state.withLock { if $0.text == text { $0.isEdited = false } }
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

    func presentedItemDidChange() {
        guard let url = presentedItemURL else { return }
        let text = try? NSFileCoordinator(filePresenter: self).coordinate(
            readingItemAt: url, options: .withoutChanges
        ) { try String(contentsOf: $0, encoding: .utf8) }
        guard let text else { return }
        state.withLock { if !$0.isEdited { $0.text = text } }
    }

    func presentedItemDidMove(to newURL: URL) { state.withLock { $0.url = newURL } }

    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        state.withLock { $0.url = nil }
        NSFileCoordinator.removeFilePresenter(self)
        completionHandler(nil)
    }
}
