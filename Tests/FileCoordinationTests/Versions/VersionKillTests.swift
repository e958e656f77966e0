// SPDX-License-Identifier: Apache-2.0
//
// Processes that are really killed while they add a version. They find what to do in a directory
// that has their parent's number, and kill themselves: nothing is left to chance.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite(.serialized) struct VersionKillTests {
    /// What a process that is going to be killed shares with its parent.
    private struct Appointment {
        let url: URL

        init(process: Int32) {
            url = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath()
                .appendingPathComponent("version-kill-\(process)")
        }

        var store: VersionStore { VersionStore(path: url.appendingPathComponent("store").path) }
        var step: URL { url.appendingPathComponent("step") }
        var source: URL { url.appendingPathComponent("source") }

        func place(_ name: String) throws -> ItemPath {
            guard let place = ItemPath(url.appendingPathComponent(name).path) else {
                throw POSIXError(.EINVAL)
            }
            return place
        }

        func leftovers() throws -> [String] {
            try ["work", "writing", "removed"].flatMap {
                try FileManager.default.contentsOfDirectory(
                    atPath: url.appendingPathComponent("store/" + $0).path)
            }
        }

        /// Makes the directory anew, with an item and contents for a version of it.
        func prepare(files: Int) throws {
            try? FileManager.default.removeItem(at: url)
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            try write("now", to: url.appendingPathComponent("item"))
            for number in 0..<files {
                try write("\(number)", to: source.appendingPathComponent("\(number)"))
            }
        }

        /// Holds what is true whenever a process was killed.
        func check(files: Int) throws -> Int {
            let count = try #require(store.versionIdentifiers(at: place("item"))).count
            store.recover()
            #expect(try store.versionIdentifiers(at: place("item"))?.count == count)
            #expect(try leftovers() == [])
            try VersionStore.choosing(store) {
                let item = url.appendingPathComponent("item")
                for version in try #require(NSFileVersion.otherVersionsOfItem(at: item)) {
                    let names = try FileManager.default.contentsOfDirectory(
                        atPath: version.url.path)
                    #expect(names.count == files)
                    for name in names {
                        #expect(try text(version.url.appendingPathComponent(name)) == name)
                    }
                }
            }
            return count
        }
    }

    @Test func `SIGKILL after any step of moving contents in`() async throws {
        let appointment = Appointment(process: getpid())
        defer { try? FileManager.default.removeItem(at: appointment.url) }
        for (index, step) in VersionAddition.Step.allCases.enumerated() {
            try appointment.prepare(files: 3)
            try write("\(index)", to: appointment.step)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let appointment = Appointment(process: getppid())
                let last = try #require(Int(text(appointment.step)))
                var addition = try VersionAddition(
                    of: appointment.place("item"), contents: appointment.place("source"),
                    isMoving: true, store: appointment.store)
                for step in VersionAddition.Step.allCases[...last] { try addition.perform(step) }
                kill(getpid(), SIGKILL)
            }
            let count = try appointment.check(files: 3)
            #expect(count == (step >= .moveContents ? 1 : 0), "killed after \(step)")
            let isThere = FileManager.default.fileExists(atPath: appointment.source.path)
            #expect(isThere == (count == 0), "killed after \(step)")
        }
    }

    @Test func `SIGKILL in the middle of copying a tree`() async throws {
        let appointment = Appointment(process: getpid())
        defer { try? FileManager.default.removeItem(at: appointment.url) }
        try appointment.prepare(files: 400)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let appointment = Appointment(process: getppid())
            let store = appointment.url.appendingPathComponent("store")
            try DetachedThread.start(name: "killer") {
                let work = store.appendingPathComponent("work")
                while true {
                    let copied = FileManager.default.enumerator(atPath: work.path)
                    if copied?.contains(where: { "\($0)".hasSuffix("source/7") }) == true {
                        kill(getpid(), SIGKILL)
                    }
                }
            }
            try VersionStore.choosing(appointment.store) {
                let item = appointment.url.appendingPathComponent("item")
                while true {
                    try NSFileVersion.addOfItem(at: item, withContentsOf: appointment.source)
                }
            }
        }
        // The child may have ended before it could be killed, once or twice.
        _ = try appointment.check(files: 400)
    }
}
