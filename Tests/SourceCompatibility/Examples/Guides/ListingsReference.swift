// SPDX-License-Identifier: Apache-2.0
//
// The listings of documentation comments in `Sources/FileCoordination`, word for word: GuideTests
// compares them.

import FileCoordination

private func classCoordinator(_ url: URL, _ text: String) throws {
    try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMerging) { url in
        try text.write(to: url, atomically: true, encoding: .utf8)
    }
}

private func asyncCall(_ url: URL) async throws -> Data {
    let data = try await NSFileCoordinator().coordinate(
        readingItemAt: url, timeout: .seconds(5)
    ) { try Data(contentsOf: $0) }
    return data
}

private func matching(_ coordinator: NSFileCoordinator, _ url: URL, _ data: Data) throws {
    do {
        try coordinator.coordinate(writingItemAt: url, timeout: .seconds(5)) {
            try data.write(to: $0)
        }
    } catch FileCoordinationError.timedOut {
        print("the file is in use")
    }
}

private func intents(_ template: URL, _ document: URL) async throws {
    let source = NSFileAccessIntent.readingIntent(with: template)
    let target = NSFileAccessIntent.writingIntent(with: document)
    try await NSFileCoordinator().coordinate(with: [source, target]) { _ in
        try Data(contentsOf: source.url).write(to: target.url)
    }
}

private func hold(_ database: URL) throws {
    let coordinator = NSFileCoordinator()
    let hold = try coordinator.hold(writingItemAt: database, timeout: .seconds(5))
    defer { hold.release() }
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    child.arguments = [hold.urls[0].path, "VACUUM"]
    child.environment = ProcessInfo.processInfo.environment.merging(hold.environment) { $1 }
    try child.run()
    try hold.keep(whileRunning: child.processIdentifier)  // also if this program dies
}

private func join() throws {
    guard let joinToken = ProcessInfo.processInfo.environment["FILECOORD_HOLD"] else {
        return
    }
    let hold = try FileAccessHold(joinToken: joinToken, timeout: .seconds(5))
    hold.release()
}

private func label() -> NSFileCoordinator {
    let coordinator = NSFileCoordinator()
    coordinator.label = "nightly export"
    return coordinator
}

private func register(_ editor: any NSFilePresenter) {
    do {
        try NSFileCoordinator.registerFilePresenter(editor)
    } catch {
        print("Other programs do not know of this window: \(error.localizedDescription)")
    }
}

private func status(_ document: URL) throws {
    let status = try FileCoordinationStatus(ofItemAt: document)
    for holder in status.holders { print(holder) }
}

private func conflicts(_ url: URL) {
    for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
        print(version.localizedNameOfSavingComputer ?? "another computer", version.url.path)
    }
}

private func changes(_ folder: URL) async throws {
    for await change in try NSFileCoordinator.changes(at: folder) {
        print(change.kind, change.url.path, change.isCoordinated)
    }
}

private func explain(_ error: any Error) {
    guard let error = error as? FileCoordinationError else { return }
    for party in error.parties where party.role == .holder { print(party) }
}

private func show(_ change: FileChange) {
    switch change.kind {
    case .moved(let old): print(old.path, "is now", change.url.path)
    case .removed: print(change.url.path, "is gone")
    case .appeared, .changed, .everything: print("read again:", change.url.path)
    }
}

private func pointer(_ url: URL) {
    var failure: NSError?
    NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { print($0.path) }
    if let failure { print(failure.localizedDescription) }
}

private enum ReferenceClasses {
    final class Preview: NSObject, NSFilePresenter {
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let serial = DispatchQueue(label: "Preview")

        init(of url: URL) {
            presentedItemURL = url
            super.init()
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
}

private func prepare(_ urls: [URL]) {
    let coordinator = NSFileCoordinator()
    coordinator.prepare(forReadingItemsAt: urls, writingItemsAt: [], error: nil) { completion in
        for url in urls {
            coordinator.coordinate(readingItemAt: url, error: nil) { print($0.path) }
        }
        completion()
    }
}

private func guarded(_ editor: any NSFilePresenter) {
    NSFileCoordinator.addGuardedFilePresenter(editor)
    if case .off(let reason) = NSFileCoordinator.guardStatus(of: editor) {
        print("Plain programs do not wait: \(reason)")
    }
}

private func packages() throws {
    try NSFileCoordinator.treatDirectories(withPathExtension: "notebook", as: .package)
}

private func inherit(_ hold: FileAccessHold) throws {
    let descriptor = try hold.inheritableDescriptor()
    _ = fcntl(descriptor, F_SETFD, 0)  // the programs that this one executes keep it open
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

private func cancel(_ coordinator: NSFileCoordinator, _ url: URL) {
    var failure: NSError?
    coordinator.cancel()
    coordinator.coordinate(readingItemAt: url, error: &failure) { _ in }
    assert((failure as? CocoaError)?.code == .userCancelled)
}

private func find(_ version: NSFileVersion, _ url: URL) -> NSFileVersion? {
    let identifier = version.persistentIdentifier
    let same = NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier)
    return same
}

private func read(_ changes: FileChanges) async {
    for await change in changes { show(change) }
}

private func since(_ document: URL, _ settings: URL, _ editor: any NSFilePresenter) throws {
    try NSFileCoordinator().coordinate(readingItemAt: document, timeout: .seconds(5)) { url in
        let state = try NSFileCoordinator.state(ofItemAt: url)
        try JSONEncoder().encode(state).write(to: settings)
    }
    // When the program runs again:
    let state = try JSONDecoder().decode(
        NSFileCoordinator.ItemState.self, from: Data(contentsOf: settings))
    try NSFileCoordinator.registerFilePresenter(editor, since: state)
}
