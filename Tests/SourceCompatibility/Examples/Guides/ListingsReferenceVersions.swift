// SPDX-License-Identifier: Apache-2.0
//
// The listings of documentation comments about versions and `FileManager`, word for word:
// GuideTests compares them.

import FileCoordination

private func conflicts(_ url: URL) {
    for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
        print(version.localizedNameOfSavingComputer ?? "another computer", version.url.path)
    }
}

private func orphans(_ url: URL) {
    for version in NSFileVersion.orphanedVersionsOfItem(at: url) {
        print(version.localizedName ?? "", version.modificationDate ?? .distantPast)
    }
    for version in NSFileVersion.orphanedVersions() { print(version.itemURL.path) }
}

private func addVersion(_ document: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: document, options: .forMerging) { url in
        try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        let older = NSFileVersion.otherVersionsOfItem(at: url) ?? []
        for version in older.dropLast(10) { try version.remove() }
    }
}

private func moveVersion(_ url: URL, _ draft: Data) throws -> Date? {
    let folder = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
    let copy = folder.appendingPathComponent("draft")
    try draft.write(to: copy)
    try NSFileVersion.addOfItem(at: url, withContentsOf: copy, options: .byMoving)
    try FileManager.default.removeItem(at: folder)
    let date = NSFileVersion.currentVersionOfItem(at: url)?.modificationDate
    try NSFileVersion.removeOtherVersionsOfItem(at: url)
    return date
}

private func foundation(_ url: URL) throws -> (URL?, Int?) {
    try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMoving) { url in
        try FileManager.default.trashItem(at: url, resultingItemURL: nil)
    }
    let shared = FileManager.default.containerURL(
        forSecurityApplicationGroupIdentifier: "group.org.example.notes")
    return (shared, try size(url))
}

private func size(_ url: URL) throws -> Int? {
    let isPermitted = url.startAccessingSecurityScopedResource()
    defer { if isPermitted { url.stopAccessingSecurityScopedResource() } }
    guard try url.checkPromisedItemIsReachable() else { return nil }
    let size = try url.promisedItemResourceValues(forKeys: [.fileSizeKey]).fileSize
    return size
}

private func find(_ version: NSFileVersion, _ url: URL) -> NSFileVersion? {
    let identifier = version.persistentIdentifier
    let same = NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier)
    return same
}

private func others(_ url: URL) throws {
    for version in NSFileVersion.otherVersionsOfItem(at: url) ?? [] {
        print(version.localizedName ?? "", version.modificationDate ?? .distantPast)
    }
    try NSFileVersion.otherVersionsOfItem(at: url)?.first?.remove()
}

private func resolve(_ url: URL) {
    for conflict in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
        conflict.isResolved = true
    }
}

private func keepLoser(_ theirs: URL, _ document: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: document) { url in
        _ = try NSFileVersion.addConflictOfItem(
            at: url, withContentsOf: theirs, options: .byMoving, savedOn: "laptop")
    }
}

private func restore(_ document: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: document) { url in
        guard let newest = NSFileVersion.otherVersionsOfItem(at: url)?.last else { return }
        try newest.replaceItem(at: url)
    }
}

private func elsewhere(_ url: URL) async throws {
    NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
        print(versions?.count ?? 0, error?.localizedDescription ?? "")
    }
    let nonlocal = try await NSFileVersion.nonlocalVersionsOfItem(at: url)
    assert(nonlocal.isEmpty)
}

private func replace(_ document: URL, _ draft: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: document) { document in
        _ = try FileManager.default.replaceItemAt(
            document, withItemAt: draft, backupItemName: nil, options: [])
    }
}

private func replaceInOlderForm(_ document: URL, _ draft: URL) throws -> NSURL? {
    var result: NSURL?
    try FileManager.default.replaceItem(
        at: document, withItemAt: draft, backupItemName: nil, options: [],
        resultingItemURL: &result)
    return result
}
