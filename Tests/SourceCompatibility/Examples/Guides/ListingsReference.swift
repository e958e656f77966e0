// SPDX-License-Identifier: Apache-2.0
//
// The listings of documentation comments in `Sources/FileCoordination`, word for word: GuideTests
// compares them. Those of presenters, versions and `FileManager` are in the files beside this one.

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
    if let author = change.author { print("by", author.label, author.processIdentifier) }
}

private func tell(_ author: FileChange.Author) {
    print("changed by \(author.label), pid \(author.processIdentifier)")
}

private func pointer(_ url: URL) {
    var failure: NSError?
    NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { print($0.path) }
    if let failure { print(failure.localizedDescription) }
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

private func parties(_ failure: NSError?) {
    if let failure, let error = failure.userInfo[FileCoordinationError.userInfoKey] {
        print((error as? FileCoordinationError)?.parties ?? [])
    }
}

private func guarded(_ editor: any NSFilePresenter) {
    NSFileCoordinator.addGuardedFilePresenter(editor)
    if case .off(let reason) = NSFileCoordinator.guardStatus(of: editor) {
        print("Plain programs do not wait: \(reason)")
    }
}

private func registerGuarded(_ editor: any NSFilePresenter) {
    do {
        try NSFileCoordinator.registerGuardedFilePresenter(editor, label: "drafts")
    } catch {
        print("This window is not coordinated: \(error.localizedDescription)")
    }
}

private func packages() throws {
    try NSFileCoordinator.treatDirectories(withPathExtension: "notebook", as: .package)
}

private func inherit(_ hold: FileAccessHold) throws {
    let descriptor = try hold.inheritableDescriptor()
    _ = fcntl(descriptor, F_SETFD, 0)  // the programs that this one executes keep it open
}

private func cancel(_ coordinator: NSFileCoordinator, _ url: URL) {
    var failure: NSError?
    coordinator.cancel()
    coordinator.coordinate(readingItemAt: url, error: &failure) { _ in }
    assert((failure as? CocoaError)?.code == .userCancelled)
}

private func read(_ changes: FileChanges) async {
    for await change in changes { show(change) }
}

private func since(_ document: URL, _ settings: URL, _ editor: any NSFilePresenter) throws {
    let coordinator = NSFileCoordinator()
    try coordinator.coordinate(readingItemAt: document, timeout: .seconds(5)) { url in
        let token = try coordinator.token(of: url)
        try JSONEncoder().encode(token).write(to: settings)
    }
    // When the program runs again:
    let token = try JSONDecoder().decode(FileToken.self, from: Data(contentsOf: settings))
    try NSFileCoordinator.registerFilePresenter(editor, since: token)
}

private func unseen(_ url: URL) throws {
    let coordinator = NSFileCoordinator()
    var (text, token) = try coordinator.coordinate(readingItemAt: url) {
        (try String(contentsOf: $0, encoding: .utf8), try coordinator.token(of: $0))
    }
    text += "one more line\n"  // a minute later, perhaps
    do {
        try coordinator.coordinate(writingItemAt: url, onlyIf: token) {
            try text.write(to: $0, atomically: true, encoding: .utf8)
            token = try coordinator.token(of: $0)
        }
    } catch FileCoordinationError.stale {
        print("it has changed: read it again")
    }
    let line = token.description  // to store
    let stored = FileToken(line)
    assert(stored == token)
}

private func look(_ settings: URL) throws -> (FileToken, String) {
    let token = try NSFileCoordinator.token(of: settings)
    let text = try String(contentsOf: settings, encoding: .utf8)
    return (token, text)
}

private func reloadIfChanged(
    _ token: FileToken, _ settings: URL, _ reload: () -> Void
) throws {
    if try !NSFileCoordinator.isCurrent(token, of: settings) { reload() }
}

private func count(_ coordinator: NSFileCoordinator, _ settings: URL) throws {
    try coordinator.update(itemAt: settings) { data in
        var values = try data.map { try JSONDecoder().decode([String: Int].self, from: $0) }
        values = (values ?? [:]).merging(["runs": 1]) { $0 + $1 }
        return try JSONEncoder().encode(values)
    }
}

private func append(_ line: Data, to log: URL, _ coordinator: NSFileCoordinator) async throws {
    try await coordinator.update(itemAt: log) { ($0 ?? Data()) + line }
}

private func appleShaped(_ url: URL) -> Data? {
    var failure: NSError?
    var contents: Data?
    NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { url in
        contents = FileManager.default.contents(atPath: url.path)
    }
    if let failure { print(failure.localizedDescription) }
    return contents
}

private func move(_ url: URL, _ target: URL) throws {
    let coordinator = NSFileCoordinator()
    var failure: NSError?
    var moveError: (any Error)?
    coordinator.coordinate(
        writingItemAt: url, options: .forMoving, writingItemAt: target, options: .forReplacing,
        error: &failure
    ) { url, target in
        coordinator.item(at: url, willMoveTo: target)
        do {
            try FileManager.default.moveItem(at: url, to: target)
            coordinator.item(at: url, didMoveTo: target)
        } catch {
            moveError = error
        }
    }
    if let error = failure ?? moveError { throw error }
}

private func attributes(_ coordinator: NSFileCoordinator, _ url: URL) {
    coordinator.item(at: url, didChangeUbiquityAttributes: [.ubiquitousItemIsDownloadingKey])
}

private func onQueue(_ url: URL, _ queue: OperationQueue) {
    let intents = [NSFileAccessIntent.readingIntent(with: url)]
    NSFileCoordinator().coordinate(with: intents, queue: queue) { error in
        guard error == nil else { return }
        print(intents[0].url.path)
    }
}

private func kinds(_ url: URL) -> [NSFileAccessIntent] {
    let reading = NSFileAccessIntent.readingIntent(with: url, options: .withoutChanges)
    let writing = NSFileAccessIntent.writingIntent(with: url, options: .forDeleting)
    return [reading, writing]
}

private func throwing(_ coordinator: NSFileCoordinator, _ url: URL) throws -> Int {
    let size = try coordinator.coordinate(readingItemAt: url, timeout: .seconds(5)) {
        try Data(contentsOf: $0).count
    }
    return size
}

private func throwingForTwo(_ coordinator: NSFileCoordinator, _ draft: URL, _ page: URL) throws {
    try coordinator.coordinate(
        readingItemAt: draft, options: [], writingItemAt: page, options: .forReplacing
    ) { draft, page in
        try Data(contentsOf: draft).write(to: page, options: .atomic)
    }
}

private func asyncForTwo(_ draft: URL, _ page: URL) async throws {
    try await NSFileCoordinator().coordinate(
        readingItemAt: draft, options: [], writingItemAt: page, options: .forReplacing
    ) { draft, page in
        try Data(contentsOf: draft).write(to: page, options: .atomic)
    }
}

private func kindOfError(_ error: any Error) throws {
    switch error {
    case FileCoordinationError.deadlock: print("programs wait for each other")
    case FileCoordinationError.timedOut: print("the file is in use")
    default: throw error
    }
}

func isWorthAnotherTry(_ error: any Error) -> Bool {
    switch error {
    case FileCoordinationError.timedOut, FileCoordinationError.deadlock: true
    case _: false  // dismissed by a user, among others
    }
}

private func presenters(_ folder: URL) throws {
    for presenter in try FileCoordinationStatus(ofItemAt: folder).presenters {
        print(presenter.participant.label, "presents", presenter.url.path)
    }
}
