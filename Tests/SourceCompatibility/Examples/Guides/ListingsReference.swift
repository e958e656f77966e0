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
    for holder in status.holders { print(holder.participant.label, "for", holder.since) }
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
