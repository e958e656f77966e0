// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Directories and packages",
// word for word: GuideTests compares them.

import FileCoordination

func backUp(_ tree: URL, to copy: URL) throws {
    try NSFileCoordinator().coordinate(
        readingItemAt: tree, options: .includingContents,
        writingItemAt: copy, options: .forReplacing
    ) { tree, copy in
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: tree, to: copy)
    }
}

func declareOwnPackages() throws {
    try NSFileCoordinator.treatDirectories(withPathExtension: "sketch", as: .package)
}

final class FolderIndex: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    private let serial = DispatchQueue(label: "FolderIndex")
    let presentedItemOperationQueue = OperationQueue()
    private let changed: @Sendable (URL) -> Void

    init(folder: URL, changed: @escaping @Sendable (URL) -> Void) {
        presentedItemURL = folder
        self.changed = changed
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    func open() { NSFileCoordinator.addFilePresenter(self) }
    func close() { NSFileCoordinator.removeFilePresenter(self) }

    func presentedSubitemDidChange(at url: URL) { changed(url) }
}
