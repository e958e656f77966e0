// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Sharing a SQLite database between programs",
// word for word: GuideTests compares them.

import FileCoordination

func openSharedDatabase<Database>(
    at url: URL, open: (URL) throws -> Database, migrate: (Database) throws -> Void
) throws -> Database {
    try NSFileCoordinator().coordinate(
        writingItemAt: url, options: .forMerging, timeout: .seconds(10)
    ) { url in
        let database = try open(url)
        try migrate(database)
        return database
    }
}

func openExistingDatabase<Database>(
    at url: URL, open: (URL) throws -> Database
) throws -> Database? {
    try NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges) { url in
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try open(url)
    }
}

func snapshotDatabase(in folder: URL, to copy: URL) throws {
    try NSFileCoordinator().coordinate(
        readingItemAt: folder, options: .includingContents,
        writingItemAt: copy, options: .forReplacing
    ) { folder, copy in
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: folder, to: copy)
    }
}

final class DatabaseKeeper: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    private let serial = DispatchQueue(label: "DatabaseKeeper")
    let presentedItemOperationQueue = OperationQueue()
    private let closeConnection: @Sendable () -> Void
    private let openConnection: @Sendable () -> Void

    init(
        _ url: URL, close: @escaping @Sendable () -> Void, open: @escaping @Sendable () -> Void
    ) {
        presentedItemURL = url
        closeConnection = close
        openConnection = open
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    func start() { NSFileCoordinator.addFilePresenter(self) }
    func stop() { NSFileCoordinator.removeFilePresenter(self) }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        closeConnection()
        writer { [openConnection] in openConnection() }
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        closeConnection()
        reader { [openConnection] in openConnection() }
    }
}
