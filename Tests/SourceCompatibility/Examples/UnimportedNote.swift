// SPDX-License-Identifier: Apache-2.0
//
// A file as it stands in a program for macOS: it imports Foundation and nothing else. It is served
// by the line in Exporting. PortedIdiomTests runs it.

import Foundation

class UnimportedNote: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    private let kept = KeptQueue()
    var presentedItemOperationQueue: OperationQueue { kept.queue }

    init(_ url: URL) {
        presentedItemURL = url
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    func close() { NSFileCoordinator.removeFilePresenter(self) }

    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        writer(nil)
    }

    func save(_ text: String, draft: URL) throws {
        try writing { url in
            try text.write(to: draft, atomically: true, encoding: .utf8)
            _ = try FileManager.default.replaceItemAt(url, withItemAt: draft)
        }
    }

    func saveWithBackup(_ text: String, draft: URL) throws {
        try writing { url in
            try text.write(to: draft, atomically: true, encoding: .utf8)
            _ = try FileManager.default.replaceItemAt(
                url, withItemAt: draft, backupItemName: "item.bak",
                options: .withoutDeletingBackupItem)
            try text.write(to: draft, atomically: true, encoding: .utf8)
            _ = try FileManager.default.replaceItemAt(
                url, withItemAt: draft, backupItemName: nil, options: [])
        }
    }

    func text() throws -> String {
        guard let url = presentedItemURL else { throw CocoaError(.fileNoSuchFile) }
        return try String(contentsOf: url, encoding: .utf8)
    }

    private func writing(_ body: (URL) throws -> Void) throws {
        guard let url = presentedItemURL else { throw CocoaError(.fileNoSuchFile) }
        var error: NSError?
        var failure: Error?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: url, options: .forReplacing, error: &error
        ) { url in
            do { try body(url) } catch let problem { failure = problem }
        }
        if let problem = error ?? failure { throw problem }
    }
}
