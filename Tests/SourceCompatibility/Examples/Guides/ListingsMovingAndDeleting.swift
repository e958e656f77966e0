// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Moving and deleting",
// word for word: GuideTests compares them.

import FileCoordination

func rename(_ url: URL, to name: String) throws -> URL {
    let coordinator = NSFileCoordinator()
    let destination = url.deletingLastPathComponent().appendingPathComponent(name)
    return try coordinator.coordinate(
        writingItemAt: url, options: .forMoving,
        writingItemAt: destination, options: .forReplacing
    ) { source, destination in
        try FileManager.default.moveItem(at: source, to: destination)
        coordinator.item(at: source, didMoveTo: destination)
        return destination
    }
}

func deleteDocument(_ url: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: url, options: .forDeleting) { url in
        try FileManager.default.removeItem(at: url)
    }
}

func saveSafely(_ data: Data, at url: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing) { url in
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: url, create: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let draft = folder.appendingPathComponent(url.lastPathComponent)
        try data.write(to: draft)
        _ = try FileManager.default.replaceItemAt(url, withItemAt: draft)
    }
}
