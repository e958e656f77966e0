// SPDX-License-Identifier: Apache-2.0
//
// The cache of places, and the caches of single threads: a completed change is noticed, no matter
// which thread has read its event first (Rule 1.15).

import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct PlaceCacheTests {
    private let home: Home
    private let cache: PlaceCache

    /// A directory with the file `d/f`, removed with this object.
    private final class Home: Sendable {
        let path: String

        init() throws {
            let given = NSTemporaryDirectory() + "places-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: given + "/d", withIntermediateDirectories: true)
            path = String(decoding: try RealPath.resolve(Array(given.utf8)), as: UTF8.self)
            #expect(FileManager.default.createFile(atPath: path + "/d/f", contents: nil))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func rename(_ old: String, to new: String) throws {
            try FileManager.default.moveItem(atPath: path + "/" + old, toPath: path + "/" + new)
        }
    }

    init() throws {
        home = try Home()
        cache = try PlaceCache()
    }

    private var file: String { home.path + "/d/f" }

    /// What is known of the file once it was looked up.
    private func find() throws -> PlaceCache.Finding {
        let place = try cache.resolve(Array(file.utf8), spelling: file) { .builtIn }
        #expect(place.path.bytes == Array(file.utf8))
        let finding = cache.known(file, withoutVersionsIn: nil, now: MonotonicClock.now)
        #expect(finding.place != nil)
        return finding
    }

    @Test func `What was found holds while nothing changes`() throws {
        // Other tests rename files in a directory above.
        for _ in 0..<100 {
            _ = try cache.resolve(Array(file.utf8), spelling: file) { .builtIn }
            let finding = cache.known(file, withoutVersionsIn: nil, now: MonotonicClock.now)
            guard finding.place != nil else { continue }
            if (0..<100).allSatisfy({ _ in cache.isUnchanged(since: finding.revision) }) { return }
        }
        Issue.record("what was found never held")
    }

    @Test func `Rule 1.15: a rename ends what a thread remembers`() throws {
        let finding = try find()
        try home.rename("d", to: "e")
        #expect(!cache.isUnchanged(since: finding.revision))
    }

    @Test func `Rule 1.15: so it does if another thread has taken the notice of it`() throws {
        let finding = try find()
        try home.rename("d", to: "e")
        let isKnown = Monitor<Bool?>(nil)
        try DetachedThread.start(name: "listener") { [cache, file] in
            let found = cache.known(file)
            isKnown.withLock { $0 = found != nil }
            isKnown.notifyAll()
        }
        #expect(isKnown.wait { $0 != nil })
        #expect(isKnown.withLock { $0 } == false)
        #expect(!cache.isUnchanged(since: finding.revision))
    }

    @Test(arguments: ["/d", "/x.app"])
    func `Rule 1.11: what makes a directory a package ends what is remembered`(
        _ name: String
    ) throws {
        let directory = home.path + name
        if name != "/d" { #expect(mkdir(directory, 0o700) == 0) }
        let file = directory + "/f"
        for marker in ["/Contents", "/Index"] {
            var place = try cache.resolve(Array(file.utf8), spelling: file) { .builtIn }
            if cache.known(file) == nil {
                // The first lookup in a new directory is not cached.
                place = try cache.resolve(Array(file.utf8), spelling: file) { .builtIn }
            }
            #expect(place.packageDepths.isEmpty)
            #expect(cache.known(file) != nil)
            #expect(mkdir(directory + marker, 0o700) == 0)
            #expect(cache.known(file) == nil)
            #expect(rmdir(directory + marker) == 0)
            // After an event, nothing is cached for a moment.
            cache.clear()
        }
    }

    /// A cache that waits for a directory `dead` as for a file system that does not answer.
    private final class DeadMount: Sendable {
        let asked = Monitor(false)
        let answers = Monitor(false)

        func seesEverything(_ path: [UInt8]) -> Bool {
            guard path.suffix(5).elementsEqual("/dead".utf8) else {
                return DirectoryWatch.seesEverything(at: path)
            }
            asked.withLock { $0 = true }
            asked.notifyAll()
            return answers.wait { $0 } && false
        }
    }

    @Test(arguments: ["resolve", "look for nothing"])
    func `A file system that does not answer holds up no other lookup`(_ way: String) throws {
        let mount = DeadMount()
        let cache = try PlaceCache(seesEverything: { mount.seesEverything($0) })
        #expect(mkdir(home.path + "/dead", 0o700) == 0)
        _ = try cache.resolve(Array(file.utf8), spelling: file) { .builtIn }
        #expect(cache.known(file) != nil)
        let dead = home.path + "/dead/x"
        let isOver = Monitor(false)
        try DetachedThread.start(name: "dead") {
            if way == "resolve" {
                // The first lookup in a directory watches nothing.
                for name in [dead, dead + "y"] {
                    _ = try? cache.resolve(Array(name.utf8), spelling: name) { .builtIn }
                }
            } else {
                _ = cache.isAbsent(Array(dead.utf8), hasReadEvents: false)
            }
            isOver.withLock { $0 = true }
            isOver.notifyAll()
        }
        let limit = MonotonicClock.after(.seconds(test_patience(30)))
        #expect(mount.asked.wait(until: limit) { $0 })
        let isKnown = Monitor<Bool?>(nil)
        try DetachedThread.start(name: "living") { [file] in
            let found = cache.known(file)
            isKnown.withLock { $0 = found != nil }
            isKnown.notifyAll()
        }
        #expect(isKnown.wait(until: MonotonicClock.after(.seconds(test_patience(5)))) { $0 != nil })
        mount.answers.withLock { $0 = true }
        mount.answers.notifyAll()
        #expect(isOver.wait { $0 })
        #expect(isKnown.wait { $0 != nil })
        #expect(isKnown.withLock { $0 } == true)
    }

    @Test func `Forgetting everything ends what a thread remembers`() throws {
        let finding = try find()
        cache.clear()
        #expect(!cache.isUnchanged(since: finding.revision))
    }

    @Test func `What was not heard of concerns no thread for long`() throws {
        let finding = try find()
        let expires = try #require(finding.place).expires
        #expect(finding.expires == expires)
        #expect(expires <= MonotonicClock.after(.seconds(1)))
    }
}
