// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Coordinating from Swift",
// word for word: GuideTests compares them.

import FileCoordination

struct Settings: Codable {
    var runs = 0
}

func loadSettings(at url: URL) throws -> Settings {
    try NSFileCoordinator().coordinate(readingItemAt: url) { url in
        try JSONDecoder().decode(Settings.self, from: Data(contentsOf: url))
    }
}

func countRun(at url: URL) throws -> Int {
    try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMerging) { url in
        var settings = Settings()
        if FileManager.default.fileExists(atPath: url.path) {
            settings = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: url))
        }
        settings.runs += 1
        try JSONEncoder().encode(settings).write(to: url, options: .atomic)
        return settings.runs
    }
}

func text(at url: URL) async throws -> String {
    try await NSFileCoordinator().coordinate(readingItemAt: url, timeout: .seconds(5)) { url in
        try String(contentsOf: url, encoding: .utf8)
    }
}

func replace(_ url: URL, with data: Data) throws {
    var coordinationError: NSError?
    var writeError: (any Error)?
    NSFileCoordinator().coordinate(
        writingItemAt: url, options: .forReplacing, error: &coordinationError
    ) { url in
        do { try data.write(to: url, options: .atomic) } catch { writeError = error }
    }
    if let error = coordinationError ?? writeError { throw error }
}

func publish(_ draft: URL, as page: URL) throws {
    try NSFileCoordinator().coordinate(
        readingItemAt: draft, options: [], writingItemAt: page, options: .forReplacing
    ) { draft, page in
        try Data(contentsOf: draft).write(to: page, options: .atomic)
    }
}

func merge(_ parts: [URL], into whole: URL) async throws {
    let reading = parts.map { NSFileAccessIntent.readingIntent(with: $0) }
    let writing = NSFileAccessIntent.writingIntent(with: whole, options: .forReplacing)
    try await NSFileCoordinator().coordinate(with: reading + [writing]) { _ in
        let data = try reading.map { try Data(contentsOf: $0.url) }
        try Data(data.joined()).write(to: writing.url, options: .atomic)
    }
}

func nightlyExport(of url: URL) throws -> Data {
    let coordinator = NSFileCoordinator()
    coordinator.label = "nightly export"
    return try coordinator.coordinate(readingItemAt: url) { try Data(contentsOf: $0) }
}

func vacuum(_ database: URL) throws {
    let hold = try NSFileCoordinator().hold(writingItemAt: database, timeout: .seconds(5))
    defer { hold.release() }
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    child.arguments = [hold.urls[0].path, "VACUUM"]
    child.environment = ProcessInfo.processInfo.environment.merging(hold.environment) { $1 }
    try child.run()
    try hold.keep(whileRunning: child.processIdentifier)  // also if this program dies
}

func showHolders(of document: URL) throws {
    let status = try FileCoordinationStatus(ofItemAt: document)
    for holder in status.holders { print(holder) }
}
