// SPDX-License-Identifier: Apache-2.0
//
// A whole document class as it stands in a program for macOS: it presents its file, saves before
// other programs read it, follows moves, closes before a deletion, and resolves conflicts. The
// lines that are there for Linux say so. MemoDocumentTests runs it, in both language modes.

import Foundation

class MemoDocument: NSObject, NSFilePresenter, @unchecked Sendable {
    private struct State {
        var url: URL?
        var text = ""
        var hasUnsavedChanges = false
        var isClosed = false
        var modified: Date?
    }

    private let lock = NSLock()
    private var state: State
    /// For Linux: an operation queue does not retain its `underlyingQueue`.
    private let serial = DispatchQueue(label: "MemoDocument")
    let presentedItemOperationQueue = OperationQueue()
    private let log: @Sendable (String) -> Void

    var presentedItemURL: URL? { with { $0.url } }
    var text: String { with { $0.text } }
    var isClosed: Bool { with { $0.isClosed } }

    init(fileURL: URL, log: @escaping @Sendable (String) -> Void) {
        state = State(url: fileURL)
        self.log = log
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        // For Linux: operation queues without a queue of their own share a few threads.
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    func edit(_ text: String) {
        with {
            $0.text = text
            $0.hasUnsavedChanges = true
        }
    }

    // MARK: Presenting

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        log("reader")
        reader { [weak self] in self?.log("reader is done") }
    }

    // Nothing to relinquish to writers: with such a method, two documents of one file that are both
    // asked to save, and block their queues for it as below, would wait for each other.

    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        log("save")
        do {
            if with({ $0.hasUnsavedChanges }) { try save() }
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        log("deletion")
        close()
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) {
        with { $0.url = newURL }
        log("move")
    }

    func presentedItemDidChange() {
        guard let url = presentedItemURL else { return }
        let isOwn = modificationDate(of: url) == with { $0.modified }
        if !isOwn, !with({ $0.hasUnsavedChanges }) { try? read() }
        log("change")
    }

    func presentedItemDidGain(_ version: NSFileVersion) {
        if version.isConflict { try? resolveConflicts() }
        log("version")
    }

    func presentedItemDidResolveConflict(_ version: NSFileVersion) { log("resolved") }

    // MARK: Reading and saving

    func open() throws {
        NSFileCoordinator.addFilePresenter(self)
        try read()
    }

    func close() {
        with { $0.isClosed = true }
        NSFileCoordinator.removeFilePresenter(self)
    }

    func read() throws {
        var coordinationError: NSError?
        var readError: Error?
        NSFileCoordinator(filePresenter: self).coordinate(
            readingItemAt: try currentURL(), options: [], error: &coordinationError
        ) { newURL in
            do {
                let text = try String(contentsOf: newURL, encoding: .utf8)
                let modified = modificationDate(of: newURL)
                with {
                    $0.text = text
                    $0.modified = modified
                    $0.hasUnsavedChanges = false
                }
            } catch {
                readError = error
            }
        }
        if let error = coordinationError ?? readError { throw error }
    }

    /// Saves without an option: to other presenters, `.forReplacing` is a deletion.
    func save() throws {
        var coordinationError: NSError?
        var writeError: Error?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: try currentURL(), options: [], error: &coordinationError
        ) { newURL in
            do { try write(to: newURL) } catch { writeError = error }
        }
        if let error = coordinationError ?? writeError { throw error }
    }

    /// Beyond Apple's: gives up after a time, and the error names the programs in the way.
    func save(within limit: Duration) throws {
        try NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: currentURL(), timeout: limit
        ) { try write(to: $0) }
    }

    /// Saves under another name, and presents the new file from then on.
    func saveAs(_ destination: URL, completion: @escaping @Sendable (Error?) -> Void) {
        let intent = NSFileAccessIntent.writingIntent(with: destination, options: .forReplacing)
        NSFileCoordinator(filePresenter: self).coordinate(
            with: [intent], queue: presentedItemOperationQueue
        ) { error in
            if let error = error { return completion(error) }
            do {
                try self.write(to: intent.url)
                NSFileCoordinator.removeFilePresenter(self)
                self.with { $0.url = intent.url }
                NSFileCoordinator.addFilePresenter(self)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    // MARK: Moving, deleting, resolving

    func move(to destination: URL) throws {
        var coordinationError: NSError?
        var moveError: Error?
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(
            writingItemAt: try currentURL(), options: .forMoving,
            writingItemAt: destination, options: .forReplacing, error: &coordinationError
        ) { source, target in
            do {
                coordinator.item(at: source, willMoveTo: target)
                try FileManager.default.moveItem(at: source, to: target)
                coordinator.item(at: source, didMoveTo: target)
                with { $0.url = target }
            } catch {
                moveError = error
            }
        }
        if let error = coordinationError ?? moveError { throw error }
    }

    func delete() throws {
        var coordinationError: NSError?
        var deleteError: Error?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: try currentURL(), options: .forDeleting, error: &coordinationError
        ) { newURL in
            do { try FileManager.default.removeItem(at: newURL) } catch { deleteError = error }
        }
        if let error = coordinationError ?? deleteError { throw error }
        close()
    }

    // In a coordinated write, so that presenters are told.
    /// Appends what lost the conflicts.
    func resolveConflicts() throws {
        var coordinationError: NSError?
        var versionError: Error?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: try currentURL(), options: [], error: &coordinationError
        ) { newURL in
            do {
                let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: newURL) ?? []
                for version in conflicts {
                    let computer = version.localizedNameOfSavingComputer ?? "another computer"
                    let other = try String(contentsOf: version.url, encoding: .utf8)
                    edit("\(text)--- \(computer):\n\(other)")
                    version.isResolved = true
                }
                if !conflicts.isEmpty { try write(to: newURL) }
                try NSFileVersion.removeOtherVersionsOfItem(at: newURL)
            } catch {
                versionError = error
            }
        }
        if let error = coordinationError ?? versionError { throw error }
    }

    // MARK: Inside

    private func with<Value>(_ body: (inout State) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    private func currentURL() throws -> URL {
        guard let url = presentedItemURL else { throw CocoaError(.fileNoSuchFile) }
        return url
    }

    private func write(to url: URL) throws {
        let text = self.text
        try text.write(to: url, atomically: true, encoding: .utf8)
        let modified = modificationDate(of: url)
        with {
            $0.modified = modified
            if $0.text == text { $0.hasUnsavedChanges = false }
        }
    }

    private func modificationDate(of url: URL) -> Date? {
        try? FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
    }
}
