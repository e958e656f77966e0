// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite struct VersionStoreTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    // MARK: Contents

    @Test func `A tree is kept with links, names of any bytes, permissions and dates`() throws {
        let url = try stage.package("a.rtfd", "text")
        let odd: [CChar] = Array(url.path.utf8CString.dropLast()) + [47, 97, -1, 98, 0]
        close(open(odd, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        mkfifo(url.appendingPathComponent("pipe").path, 0o600)
        chmod(url.appendingPathComponent("text").path, 0o751)
        let date = Date(timeIntervalSince1970: 1_000_000)
        let empty = url.appendingPathComponent("empty")
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: empty.path)

        let kept = try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url).url }
        #expect(kept.lastPathComponent == "a.rtfd")
        #expect(try text(kept.appendingPathComponent("text")) == "text")
        #expect(try text(kept.appendingPathComponent("locked/inner")) == "text")
        let link = kept.appendingPathComponent("link").path
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "text")
        let oddCopy: [CChar] = Array(kept.path.utf8CString.dropLast()) + [47, 97, -1, 98, 0]
        #expect(access(oddCopy, F_OK) == 0)
        // A pipe holds nothing that could be kept.
        #expect(access(kept.appendingPathComponent("pipe").path, F_OK) != 0)
        func attribute(_ name: String, _ key: FileAttributeKey) throws -> Any? {
            let path = kept.appendingPathComponent(name).path
            return try FileManager.default.attributesOfItem(atPath: path)[key]
        }
        #expect(try attribute("text", .posixPermissions) as? Int == 0o751)
        #expect(try attribute("locked", .posixPermissions) as? Int == 0o500)
        #expect(try attribute("empty", .modificationDate) as? Date == date)
        try stage.use { try NSFileVersion.removeOtherVersionsOfItem(at: url) }
        #expect(stage.leftovers() == [])
    }

    @Test func `A file is kept with its attributes, whatever its size`() throws {
        let url = stage.url("big")
        var bytes = Data(count: 3 << 20)
        bytes[1 << 20] = 7
        bytes.append(contentsOf: [1, 2, 3])
        try bytes.write(to: url)
        let key = FileAttributeKey(rawValue: "NSFileExtendedAttributes")
        let attributes = ["user.colour": Data("red".utf8)]
        try FileManager.default.setAttributes([key: attributes], ofItemAtPath: url.path)
        let kept = try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url).url }
        #expect(try Data(contentsOf: kept) == bytes)
        let found = try FileManager.default.attributesOfItem(atPath: kept.path)[key]
        #expect((found as? [String: Data])?["user.colour"] == Data("red".utf8))
        // What happens to the item does not happen to the version.
        try write("changed", to: url)
        #expect(try Data(contentsOf: kept) == bytes)
    }

    @Test func `A tree that is too deep is refused, and leaves nothing`() throws {
        var url = stage.url("deep")
        for _ in 0..<140 { url.appendPathComponent("d") }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let deep = stage.url("deep")
        _ = stage.use {
            #expect(throws: CocoaError.self) {
                try NSFileVersion.addOfItem(at: deep, withContentsOf: deep)
            }
        }
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [0, 0])
    }

    @Test func `What is neither file nor directory nor link cannot be kept`() throws {
        let url = try stage.file("a.txt", "1")
        mkfifo(stage.url("pipe").path, 0o600)
        _ = stage.use {
            #expect(throws: CocoaError.self) {
                try NSFileVersion.addOfItem(at: url, withContentsOf: stage.url("pipe"))
            }
        }
        #expect(stage.leftovers() == [])
    }

    // MARK: The place of the store

    @Test func `The store is where the environment says`() {
        func location(_ environment: [String: String]) -> String {
            VersionStore.location(variable: { environment[$0] }, home: "/home/anna")
        }
        #expect(location([:]) == "/home/anna/.local/share/filecoordination/versions")
        #expect(location(["XDG_DATA_HOME": "/data"]) == "/data/filecoordination/versions")
        #expect(
            location(["XDG_DATA_HOME": "/data", "FILECOORDINATION_VERSIONS_DIR": "/v"]) == "/v")
        let relative = ["XDG_DATA_HOME": "data", "FILECOORDINATION_VERSIONS_DIR": ""]
        #expect(location(relative) == "/home/anna/.local/share/filecoordination/versions")
    }

    @Test func `The store is the user's alone`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        var status = stat()
        #expect(stat(stage.store.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        // One that others may write to is not used.
        chmod(stage.store.path, 0o777)
        let error = stage.use {
            #expect(throws: CocoaError.self) {
                try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            }
        }
        #expect(error?.code == .fileWriteNoPermission)
        chmod(stage.store.path, 0o700)
        #expect(try stage.texts("a.txt") == ["1"])
    }

    @Test func `A record that is not whole is no version`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        let record = version.url.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("record")
        for damage in ["", "{", "{}", String(repeating: "x", count: 5000)] {
            try write(damage, to: record)
            #expect(try stage.texts("a.txt") == [])
            #expect(!version.hasLocalContents)
        }
        let shelf = try #require(stage.ties(in: "places").first).split(separator: "/")
            .dropLast().joined(separator: "/")
        try write("x", to: URL(fileURLWithPath: "\(stage.store.path)/\(shelf)/rubbish"))
        #expect(try stage.texts("a.txt") == [])
    }

    // MARK: Many at once

    @Test func `Many who add, list and remove at once do each other no harm`() throws {
        let url = try stage.file("a.txt", "1")
        let adders = 3
        let rounds = 4
        let outcomes = Outcomes()
        sideBySide(adders + 1) { index in
            // As in processes of their own.
            let store = VersionStore(path: stage.store.path)
            VersionStore.choosing(store) {
                for _ in 0..<rounds {
                    outcomes.note {
                        guard index < adders else {
                            try NSFileVersion.removeOtherVersionsOfItem(at: url)
                            return
                        }
                        let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
                        for version in NSFileVersion.otherVersionsOfItem(at: url) ?? [] {
                            // It may be gone by now, but never half of it.
                            let text = try? text(version.url)
                            guard text == nil || text == "1" else { throw POSIXError(.EIO) }
                        }
                        version.isDiscardable = true
                    }
                }
            }
        }
        #expect(outcomes.errors == [])
        #expect(stage.leftovers() == [])
        try stage.use {
            try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
        }
        #expect(stage.counts == [0, 0])
    }

    @Test func `A version that another process removed at once was added all the same`() throws {
        let url = try stage.file("a.txt", "1")
        let path = stage.store.path
        // As in another process.
        let removal: @Sendable () -> Void = {
            VersionStore.choosing(VersionStore(path: path)) {
                try? NSFileVersion.removeOtherVersionsOfItem(at: url)
            }
        }
        let version = try stage.use {
            try VersionAddition.$whenPublished.withValue(removal) {
                try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            }
        }
        #expect(!version.hasLocalContents)
        #expect(version.localizedName == nil)
        #expect(throws: CocoaError.self) { try version.remove() }
        #expect(try stage.texts("a.txt") == [])
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [0, 0])
    }

    @Test func `Of many who remove one version, one did it`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try stage.use {
            try NSFileVersion.addConflictOfItem(at: url, withContentsOf: url)
        }
        let path = stage.store.path
        let removals = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            VersionStore.choosing(VersionStore(path: path)) {
                let found = NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.first
                found?.isResolved = true
                let isOurs = (try? found?.remove()) != nil
                removals.withLock { $0 += isOurs ? 1 : 0 }
            }
        }
        #expect(removals.withLock { $0 } == 1)
        #expect(!version.hasLocalContents)
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [0, 0])
    }

    @Test func `Temporary directories of threads that begin at the same time stay`() throws {
        for _ in 0..<20 {
            let store = VersionStore(path: try VersionStage().store.path)
            let paths = Lock<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                guard let path = try? store.makeTemporaryDirectory() else { return }
                paths.withLock { $0.append(path) }
            }
            // As another process would.
            VersionStore(path: store.path).recover()
            let made = paths.withLock { $0 }
            #expect(made.count == 4)
            #expect(made.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        }
    }
}

/// What went wrong on any of several threads.
private final class Outcomes: Sendable {
    private let failures = Lock<[String]>([])

    var errors: [String] { failures.withLock { $0 } }

    func note(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            failures.withLock { $0.append("\(error)") }
        }
    }
}
