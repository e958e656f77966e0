// SPDX-License-Identifier: Apache-2.0
//
// The fixture for tests with a real kernel: a directory tree, a watcher, presenters that collect
// their messages, and a barrier. The barrier moves a separate file; when its presenter is told of
// the move, everything before has been reported, too.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWatching
import Foundation
import TestHome
import XCTest

/// A test with a watched tree.
class WatchedTestCase: XCTestCase {
    private(set) var tree: WatchedTree!

    /// The watcher's configuration for the test.
    var configuration: Watcher.Configuration { Watcher.Configuration() }

    override func setUpWithError() throws {
        try super.setUpWithError()
        tree = try WatchedTree(configuration)
    }

    override func tearDownWithError() throws {
        tree = nil
        try super.tearDownWithError()
    }
}

/// A tree, a watcher, and what its presenters were told.
final class WatchedTree {
    let root: String
    let watcher: Watcher
    /// What presenters were told, in order.
    private(set) var news: [WatchNews] = []
    private let poller: Poller
    private var nextPresenter: UInt64 = 1
    private var barriers = 0

    init(_ configuration: Watcher.Configuration) throws {
        let home = URL(fileURLWithPath: String(cString: test_home_root()))
        let place = home.appendingPathComponent("watched-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        root = String(decoding: try RealPath.resolve(Array(place.path.utf8)), as: UTF8.self)
        watcher = try Watcher(configuration)
        poller = try Poller()
        try poller.add(watcher.mailbox.descriptor, token: 1, .readable)
        for name in ["barrier", "tree", "outside"] { try makeDirectory(name) }
        try write("b0", to: "barrier/0")
        XCTAssertEqual(try present("barrier/0", .file), 1)
    }

    deinit {
        watcher.stop()
        try? FileManager.default.removeItem(atPath: root)
    }

    // MARK: Files

    func path(_ name: String) -> String { root + "/" + name }

    func item(_ name: String) throws -> ItemPath { try XCTUnwrap(ItemPath(path(name))) }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws {
        guard FileManager.default.createFile(atPath: path(name), contents: Data(text.utf8)) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// Writes into the existing file, as a shell's redirection does.
    func overwrite(_ name: String, with text: String) throws {
        let handle = try XCTUnwrap(FileHandle(forWritingAtPath: path(name)))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    func move(_ from: String, to: String) throws {
        guard rename(path(from), path(to)) == 0 else {
            throw SystemError(code: errno, operation: "rename \(from)")
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    func observed(_ name: String) throws -> ObservedFile? { try ObservedFile(path: try item(name)) }

    /// Runs a shell script in a directory; fails if it fails.
    func shell(_ script: String, in directory: String = "tree") throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-euc", script]
        process.currentDirectoryURL = URL(fileURLWithPath: path(directory))
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["OUT": path("outside"), "LC_ALL": "C"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, script)
    }

    // MARK: Presenters

    /// Presents an item, and waits until its changes are told.
    @discardableResult
    func present(
        _ name: String, _ kind: PresentedKind, since: ObservedFile? = nil
    ) throws -> UInt64 {
        let id = nextPresenter
        nextPresenter += 1
        watcher.present(id, try item(name), kind, since: since)
        try wait("listening of \(name)") { $0.contains(WatchNews(presenter: id, body: .listening)) }
        return id
    }

    /// Waits until what was told fulfils a condition.
    func wait(
        _ what: String, for seconds: Double = 20, until isMet: ([WatchNews]) -> Bool
    ) throws {
        let deadline = MonotonicClock.after(.seconds(test_patience(seconds)))
        var ready: [Poller.Ready] = []
        while true {
            news += watcher.mailbox.take()
            if isMet(news) { return }
            guard MonotonicClock.now < deadline else {
                XCTFail("Waited in vain for \(what); told: \(news)")
                throw SystemError(code: ErrorNumber.timedOut, operation: what)
            }
            try poller.wait(into: &ready, until: deadline)
        }
    }

    /// Returns when everything that was done before has been told.
    ///
    /// A move over another item may need a second look, and is then told a turn after what was done
    /// later. So two moves are awaited.
    func barrier() throws {
        for _ in 0..<2 { try moveBarrier() }
    }

    private func moveBarrier() throws {
        let former = try item("barrier/\(barriers)")
        try move("barrier/\(barriers)", to: "barrier/\(barriers + 1)")
        barriers += 1
        try wait("the barrier") { news in
            news.contains { message in
                guard message.presenter == 1, case .changes(let changes) = message.body else {
                    return false
                }
                return changes.contains { $0.what == .moved(former: former) }
            }
        }
    }

    /// Forgets what was told so far.
    func forget() { news = [] }

    /// What a presenter was told, a line for each change, with paths below the root.
    func told(_ presenter: UInt64) -> [String] {
        news.filter { $0.presenter == presenter }.flatMap { message -> [String] in
            switch message.body {
            case .listening: ["listening"]
            case .wholeMayHaveChanged(let reason): ["whole: \(reason)"]
            case .degraded(let trouble): ["degraded: \(trouble)"]
            case .healed: ["healed"]
            case .changes(let changes): changes.filter { !$0.isDoubted }.map(line)
            }
        }
    }

    private func line(_ change: WatchedChange) -> String {
        let place = short(change.path)
        let text =
            switch change.what {
            case .appeared: "appeared \(place)"
            case .changed(.content): "changed \(place)"
            case .changed(.attributes): "attributes \(place)"
            case .deleted: "deleted \(place)"
            case .moved(let former): "moved \(short(former)) to \(place)"
            }
        return text
    }

    private func short(_ path: ItemPath) -> String {
        path.description.replacingOccurrences(of: root + "/", with: "")
    }
}

/// What a list of changes comes to: what was there and is not, and the other way around.
struct NetChanges {
    /// Name now → the name it had before, nil for what is new.
    private var names: [String: String?] = [:]
    private var touched: [String: String] = [:]
    private let before: Set<String>

    init(before: Set<String>) {
        self.before = before
        for name in before { names[name] = name }
    }

    mutating func apply(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch words[0] {
        case "appeared": names[words[1]] = .some(nil)
        case "changed", "attributes":
            if touched[words[1]] != "changed" { touched[words[1]] = words[0] }
        case "deleted":
            for name in names.keys where Self.isInside(name, words[1]) { names[name] = nil }
        case "moved":
            let (from, to) = (words[1], words[3])
            for name in names.keys.sorted() where Self.isInside(name, from) {
                let target = to + name.dropFirst(from.count)
                names[target] = names[name] ?? .some(nil)
                names[name] = nil
                touched[target] = touched.removeValue(forKey: name)
            }
        default: touched[line] = line
        }
    }

    private static func isInside(_ name: String, _ directory: String) -> Bool {
        name == directory || name.hasPrefix(directory + "/")
    }

    /// The changes in the order of names; the parts of a deleted or moved directory are left out.
    var lines: [String] {
        var result: [String] = []
        let origins = Set(names.values.compactMap { $0 })
        for (name, origin) in names.sorted(by: { $0.key < $1.key }) {
            let old = origin ?? nil
            if old == nil {
                result.append((before.contains(name) ? "changed " : "appeared ") + name)
            } else if let old, old != name {
                let parts = (old as NSString, name as NSString)
                let isWithParent =
                    parts.0.lastPathComponent == parts.1.lastPathComponent
                    && names[parts.1.deletingLastPathComponent] == parts.0.deletingLastPathComponent
                if !isWithParent { result.append("moved \(old) to \(name)") }
            } else if let how = touched[name] {
                result.append("\(how) \(name)")
            }
        }
        for name in before.subtracting(origins).sorted() where names[name] == nil {
            let parent = (name as NSString).deletingLastPathComponent
            if !before.contains(parent) || names[parent] != nil || origins.contains(parent) {
                result.append("deleted \(name)")
            }
        }
        result += touched.values.filter { $0.contains(":") }
        return result
    }
}
