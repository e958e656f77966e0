// SPDX-License-Identifier: Apache-2.0
//
// The listings of documentation comments about holds, word for word: GuideTests compares them.

import FileCoordination

private func reading(_ coordinator: NSFileCoordinator, _ url: URL) throws {
    let hold = try coordinator.hold(readingItemAt: url, timeout: .seconds(5))
    defer { hold.release() }
    print(hold.isHeld)
}

private func readingLater(_ url: URL) async throws {
    let coordinator = NSFileCoordinator()
    let hold = try await coordinator.hold(readingItemAt: url, timeout: .seconds(5))
    defer { hold.release() }
    print(hold.isHeld)
}

private func several(_ coordinator: NSFileCoordinator, _ draft: URL, _ page: URL) throws {
    let hold = try coordinator.hold(
        with: [.readingIntent(with: draft), .writingIntent(with: page)], timeout: .seconds(5))
    print(hold.urls[1].path)
}

private func releasing(_ coordinator: NSFileCoordinator, _ url: URL) throws {
    let hold = try coordinator.hold(writingItemAt: url)
    hold.release()
    assert(!hold.isHeld)
}

private func keeping(_ hold: FileAccessHold, _ arguments: [String]) throws {
    let sync = try Process.run(URL(fileURLWithPath: "/usr/bin/rsync"), arguments: arguments)
    try hold.keep(whileRunning: sync.processIdentifier)
    hold.release()  // others wait until rsync has ended
}

private func inside(_ hold: FileAccessHold, _ url: URL) throws {
    let inner = NSFileCoordinator()
    inner.purposeIdentifier = hold.purposeIdentifier
    try inner.coordinate(readingItemAt: url) { print($0.path) }
}
