// SPDX-License-Identifier: Apache-2.0
//
// The listings of README.md,
// word for word: GuideTests compares them.

import FileCoordination

func addLine(_ line: String, to url: URL) throws {
    try NSFileCoordinator().coordinate(
        writingItemAt: url, options: .forMerging, timeout: .seconds(5)
    ) { url in
        let isThere = FileManager.default.fileExists(atPath: url.path)
        let text = isThere ? try String(contentsOf: url, encoding: .utf8) : ""
        try (text + line + "\n").write(to: url, atomically: true, encoding: .utf8)
    }
}

final class Viewer: NSObject, NSFilePresenter {
    let presentedItemURL: URL?  // to keep this short; a real one keeps the URL of a move
    let presentedItemOperationQueue = OperationQueue()
    private let serial = DispatchQueue(label: "Viewer")

    init(_ url: URL) {
        presentedItemURL = url
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
        NSFileCoordinator.addFilePresenter(self)
    }

    func presentedItemDidChange() { print("changed: read it again") }
    func close() { NSFileCoordinator.removeFilePresenter(self) }
}
