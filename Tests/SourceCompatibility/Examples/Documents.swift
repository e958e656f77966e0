// SPDX-License-Identifier: Apache-2.0
//
// The dances of whole programs: saving a document, renaming it, deleting it, sharing a database,
// copying as a file browser does.

import FileCoordination

/// A document that presents its file, saves it and follows it.
class FileDocument: NSObject, NSFilePresenter {
    enum Failure: Error { case closed, unreadable(underlying: NSError?) }

    private(set) var fileURL: URL?
    private(set) var text = ""
    var hasUnsavedChanges = false
    private let queue = OperationQueue()
    private var lastModified: Date?

    var presentedItemURL: URL? { fileURL }
    var presentedItemOperationQueue: OperationQueue { queue }

    init(fileURL: URL) {
        self.fileURL = fileURL
        super.init()
        queue.maxConcurrentOperationCount = 1
        NSFileCoordinator.addFilePresenter(self)
    }

    func close() throws {
        defer { NSFileCoordinator.removeFilePresenter(self) }
        if hasUnsavedChanges { try save() }
    }

    func read() throws {
        guard let fileURL = fileURL else { throw Failure.closed }
        var error: NSError?
        var contents: Data?
        NSFileCoordinator(filePresenter: self).coordinate(
            readingItemAt: fileURL, options: [], error: &error
        ) { newURL in
            contents = try? Data(contentsOf: newURL)
            lastModified = modificationDate(of: newURL)
        }
        guard error == nil, let contents = contents else {
            throw Failure.unreadable(underlying: error)
        }
        text = String(decoding: contents, as: UTF8.self)
    }

    /// Saves as small programs do.
    func save() throws {
        guard let fileURL = fileURL else { throw Failure.closed }
        try NSFileCoordinator(filePresenter: self).writing(fileURL, .forReplacing) { newURL in
            try Data(text.utf8).write(to: newURL, options: [.atomic])
            lastModified = modificationDate(of: newURL)
        }
        hasUnsavedChanges = false
    }

    /// Writes aside, then puts the new file in the old one's place.
    func saveAside() throws {
        guard let fileURL = fileURL else { throw Failure.closed }
        var coordinationError: NSError?
        var failure: Error?
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(
            writingItemAt: fileURL, options: .forReplacing, error: &coordinationError
        ) { newURL in
            do {
                let folder = try FileManager.default.url(
                    for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: newURL,
                    create: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let draft = folder.appendingPathComponent(newURL.lastPathComponent)
                try Data(text.utf8).write(to: draft, options: .atomic)
                _ = try FileManager.default.replaceItemAt(
                    newURL, withItemAt: draft, backupItemName: nil, options: [])
                hasUnsavedChanges = false
                lastModified = modificationDate(of: newURL)
            } catch {
                failure = error
            }
        }
        if let error = coordinationError ?? failure { throw error }
    }

    /// Renames, with both places claimed, and tells all presenters.
    func rename(to name: String) throws {
        guard let oldURL = fileURL else { throw Failure.closed }
        let newURL = oldURL.deletingLastPathComponent().appendingPathComponent(name)
        var coordinationError: NSError?
        var failure: Error?
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(
            writingItemAt: oldURL, options: .forMoving, writingItemAt: newURL,
            options: .forReplacing, error: &coordinationError
        ) { (source, destination) in
            coordinator.item(at: source, willMoveTo: destination)
            do {
                try FileManager.default.moveItem(at: source, to: destination)
                coordinator.item(at: source, didMoveTo: destination)
                presentedItemDidMove(to: destination)
            } catch {
                failure = error
            }
        }
        if let error = coordinationError ?? failure { throw error }
    }

    func presentedItemDidMove(to newURL: URL) { fileURL = newURL }

    func presentedItemDidChange() {
        guard let fileURL = fileURL, modificationDate(of: fileURL) != lastModified else { return }
        OperationQueue.main.addOperation { print("changed") }
        try? read()
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        do {
            if hasUnsavedChanges { try save() }
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        fileURL = nil
        completionHandler(nil)
    }

    private func modificationDate(of url: URL) -> Date? {
        try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }
}

/// Deletes what it is given, one coordinated deletion each.
func delete(_ urls: [URL]) -> [URL: Error] {
    var failures: [URL: Error] = [:]
    for url in urls {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: url, options: .forDeleting, error: &error
        ) {
            do { try FileManager.default.removeItem(at: $0) } catch { failures[url] = error }
        }
        if let error = error { failures[url] = error }
    }
    return failures
}

/// Opens a database that several programs share: made once, under a claim.
final class SharedDatabase {
    private let handle: FileHandle

    init(at url: URL, setUp: (URL) throws -> Void) throws {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var coordinatorError: NSError?
        var opened: Result<FileHandle, Error>?
        coordinator.coordinate(
            writingItemAt: url, options: .forMerging, error: &coordinatorError,
            byAccessor: { url in
                opened = Result {
                    try setUp(url)
                    return try FileHandle(forUpdating: url)
                }
            })
        if let error = opened.flatMap({ result -> Error? in
            if case .failure(let error) = result { error } else { nil }
        }) ?? coordinatorError {
            throw error
        }
        guard let opened else { throw CocoaError(.fileReadUnknown) }
        handle = try opened.get()
    }

    /// Opens without writing, if there is a database.
    static func openReadOnly(at url: URL) throws -> FileHandle? {
        var error: NSError?
        var handle: FileHandle?
        var failure: Error?
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: url, options: .withoutChanges, error: &error
        ) { url in
            do {
                handle = try FileHandle(forReadingFrom: url)
            } catch {
                if FileManager.default.fileExists(atPath: url.path) { failure = error }
            }
        }
        if let error = error ?? failure { throw error }
        return handle
    }

    var size: UInt64 { (try? handle.seekToEnd()) ?? 0 }
}

/// Copies many items as a file browser does: asks all presenters first, then claims one after the
/// other.
@discardableResult
func copy(_ urls: [URL], into folder: URL) -> [Error] {
    let coordinator = NSFileCoordinator()
    var batchError: NSError?
    var errors: [Error] = []
    coordinator.prepare(
        forReadingItemsAt: urls, options: .withoutChanges, writingItemsAt: [folder], options: [],
        error: &batchError
    ) { completionHandler in
        defer { completionHandler() }
        for url in urls {
            var error: NSError?
            coordinator.coordinate(
                readingItemAt: url, options: .withoutChanges,
                writingItemAt: folder.appendingPathComponent(url.lastPathComponent),
                options: .forReplacing, error: &error
            ) { source, destination in
                do {
                    try? FileManager.default.removeItem(at: destination)
                    try FileManager.default.copyItem(at: source, to: destination)
                } catch {
                    errors.append(error)
                }
            }
            if let error { errors.append(error) }
        }
    }
    if let batchError { errors.append(batchError) }
    return errors
}

/// Uploads a package as an archive that no program can change meanwhile.
func upload(_ package: URL, send: (Data) throws -> Void) throws {
    var error: NSError?
    var failure: Error?
    NSFileCoordinator().coordinate(readingItemAt: package, options: [.forUploading], error: &error)
    {
        do { try send(Data(contentsOf: $0)) } catch { failure = error }
    }
    if let error { throw error }
    if let failure { throw failure }
}
