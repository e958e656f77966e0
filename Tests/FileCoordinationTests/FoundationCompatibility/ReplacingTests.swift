// SPDX-License-Identifier: Apache-2.0
//
// Replacing one item by another: what is where afterwards, and what is kept.

import FileCoordination
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@testable import FoundationCompatibility

@Suite struct ReplacingTests {
    private let manager = FileManager.default
    typealias Kind = ReplacementStage.Kind

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `The new item is in the old one's place, and nothing else is left`(
        old: Kind, new: Kind
    ) throws {
        let stage = try ReplacementStage(old, by: new)
        let result = try manager.replaceItemAt(stage.original, withItemAt: stage.new)
        #expect(result?.path == stage.original.path)
        #expect(stage.everything == ["item": "new"])
    }

    @Test(arguments: Kind.allCases, [nil, .file, .directory] as [Kind?])
    func `A backup has the old content, and the place of an earlier one`(
        kind: Kind, former: Kind?
    ) throws {
        let stage = try ReplacementStage(kind, by: kind)
        try stage.make(former, stage.backup, "older")
        try manager.replaceItemAt(
            stage.original, withItemAt: stage.new, backupItemName: "backup",
            options: .withoutDeletingBackupItem)
        #expect(stage.everything == ["item": "new", "backup": "old"])
    }

    @Test(arguments: Kind.allCases)
    func `A backup that is not to stay is gone, also an earlier one`(kind: Kind) throws {
        let stage = try ReplacementStage(kind, by: kind)
        try stage.make(kind, stage.backup, "older")
        try manager.replaceItemAt(
            stage.original, withItemAt: stage.new, backupItemName: "backup")
        #expect(stage.everything == ["item": "new"])
    }

    @Test func `A new item that is another name of the original is gone afterwards`() throws {
        let stage = try ReplacementStage(.file, by: nil)
        #expect(link(stage.original.path, stage.new.path) == 0)
        try manager.replaceItemAt(stage.original, withItemAt: stage.new)
        #expect(stage.everything == ["item": "old"])
    }

    @Test func `Without an original the new item is moved`() throws {
        let stage = try ReplacementStage(nil, by: .directory)
        try manager.replaceItemAt(
            stage.original, withItemAt: stage.new, backupItemName: "backup",
            options: .withoutDeletingBackupItem)
        #expect(stage.everything == ["item": "new"])
    }

    /// As on NFS, 9p and sshfs.
    @Test(arguments: Kind.allCases)
    func `Where renames cannot refuse a taken name, the new item is moved all the same`(
        kind: Kind
    ) throws {
        let stage = try ReplacementStage(nil, by: kind)
        var replacement = try stage.replacement()
        replacement.missing = [.exchangeNames, .refuseTakenNames]
        try replacement.run()
        #expect(stage.everything == ["item": "new"])
        let taken = try ReplacementStage(nil, by: kind)
        replacement = try taken.replacement()
        replacement.missing = [.exchangeNames, .refuseTakenNames]
        try taken.make(.file, taken.original, "other")
        let error = systemError { try replacement.run() }
        #expect(error?.code == ErrorNumber.alreadyExists)
        #expect(taken.everything == ["item": "other", "draft": "new"])
    }

    @Test(arguments: Kind.allCases)
    func `If the directory cannot be synchronized, the error says that the item was replaced`(
        kind: Kind
    ) throws {
        let stage = try ReplacementStage(kind, by: kind)
        var replacement = try stage.replacement()
        replacement.missing = [.synchronizeDirectories]
        let failure = try #require(systemError { try replacement.run() })
        #expect(stage.everything["item"] == "new")
        let error = ReplacementFailure(original: stage.original, new: stage.new)
            .error(failure, after: replacement)
        let text = error.localizedDescription
        #expect(text.contains("was replaced"))
        #expect(text.contains("may not survive a power failure"))
        // If a file replaces a file, the old file is gone.
        let url = error.userInfo["NSFileOriginalItemLocationKey"] as? URL
        #expect(url.flatMap(stage.text) == (kind == .directory ? "old" : nil))
    }

    private func systemError(_ body: () throws -> Void) -> SystemError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SystemError
        }
    }

    @Test func `Without a new item nothing happens`() throws {
        let stage = try ReplacementStage(.file, by: nil)
        #expect {
            try manager.replaceItemAt(stage.original, withItemAt: stage.new)
        } throws: {
            ($0 as? CocoaError)?.code == .fileNoSuchFile
                && ($0 as NSError).userInfo[NSURLErrorKey] as? URL == stage.original
        }
        #expect(stage.everything == ["item": "old"])
    }

    @Test(arguments: ["", ".", "..", "a/b", "item", "a\0b", String(repeating: "a", count: 256)])
    func `What cannot be a backup's name is refused before anything happens`(name: String) throws {
        let stage = try ReplacementStage()
        #expect {
            try manager.replaceItemAt(
                stage.original, withItemAt: stage.new, backupItemName: name,
                options: [.withoutDeletingBackupItem])
        } throws: {
            ($0 as? CocoaError)?.code == .fileWriteInvalidFileName
        }
        #expect(stage.everything == ["item": "old", "draft": "new"])
    }

    @Test func `A backup's name that contains the new item is refused before anything happens`()
        throws
    {
        let stage = try ReplacementStage(.file, by: nil)
        try stage.make(.directory, stage.backup, "new")
        let inner = stage.backup.appendingPathComponent("inner/text")
        #expect {
            try manager.replaceItemAt(
                stage.original, withItemAt: inner, backupItemName: "backup",
                options: [.withoutDeletingBackupItem])
        } throws: {
            ($0 as? CocoaError)?.code == .fileWriteInvalidFileName
        }
        #expect(stage.everything == ["item": "old", "backup": "new"])
    }

    @Test(arguments: Kind.allCases)
    func `A backup may take the name that the new item had`(kind: Kind) throws {
        let stage = try ReplacementStage(kind, by: nil)
        try stage.make(kind, stage.backup, "new")
        try manager.replaceItemAt(
            stage.original, withItemAt: stage.backup, backupItemName: "backup",
            options: [.withoutDeletingBackupItem])
        #expect(stage.everything == ["item": "new", "backup": "old"])
    }

    @Test func `An item is not replaced by what it is in`() throws {
        let stage = try ReplacementStage(.directory, by: nil)
        let inner = stage.original.appendingPathComponent("inner/text")
        #expect(throws: CocoaError.self) {
            try manager.replaceItemAt(inner, withItemAt: stage.original)
        }
        #expect(stage.everything == ["item": "old"])
    }

    @Test func `An item that replaces itself stays`() throws {
        let stage = try ReplacementStage(.file, by: nil)
        try manager.replaceItemAt(stage.original, withItemAt: stage.original)
        #expect(stage.everything == ["item": "old"])
    }

    @Test func `A link is replaced, and not what it leads to`() throws {
        let stage = try ReplacementStage(nil, by: .file)
        try stage.make(.file, stage.folder.appendingPathComponent("target"), "target")
        try manager.createSymbolicLink(
            atPath: stage.original.path, withDestinationPath: "target")
        try manager.replaceItemAt(stage.original, withItemAt: stage.new)
        #expect(stage.everything == ["item": "new", "target": "target"])
    }

    @Test(
        .enabled(if: ReplacementStage.hasOtherFileSystem, "needs /dev/shm, another file system"),
        arguments: Kind.allCases)
    func `An item of another file system is copied, and gone`(kind: Kind) throws {
        let stage = try ReplacementStage(
            kind, by: kind, on: ReplacementStage.otherFileSystem)
        try manager.replaceItemAt(
            stage.original, withItemAt: stage.new, backupItemName: "backup",
            options: .withoutDeletingBackupItem)
        #expect(stage.everything == ["item": "new", "backup": "old"])
    }

    @Test(.enabled(if: ReplacementStage.hasOtherFileSystem, "needs /dev/shm, another file system"))
    func `A copy whose metadata cannot be set is removed`() async {
        await #expect(processExitsWith: .success) {
            // The stage is removed when this function returns; `exit` alone would leave it.
            func status() throws -> Int32 {
                let stage = try ReplacementStage(on: ReplacementStage.otherFileSystem)
                var replacement = try stage.replacement()
                try replacement.perform(.bringOver)
                guard stage.everything.count == 3 else { return 2 }
                let isCarried = try withoutDescriptors {
                    (try? replacement.perform(.carryMetadata)) != nil
                }
                guard !isCarried else { return 3 }
                return stage.everything == ["item": "old", "draft": "new"] ? 0 : 4
            }
            exit(try status())
        }
    }

    // MARK: Metadata

    @Test(arguments: Kind.allCases)
    func `Permissions and attributes are kept, unless the new ones are asked for`(
        kind: Kind
    ) throws {
        for (options, expected) in [
            ([], "label"), ([.usingNewMetadataOnly], nil),
        ] as [(FileManager.ItemReplacementOptions, String?)] {
            let stage = try ReplacementStage(kind, by: kind)
            chmod(stage.original.path, 0o750)
            chmod(stage.new.path, 0o700)
            try ExtendedAttributes.set(
                Array("user.label".utf8), to: Array("label".utf8), of: opened(stage.original))
            try manager.replaceItemAt(stage.original, withItemAt: stage.new, options: options)
            #expect(
                try ReplacementStage.permissions(stage.original)
                    == (expected == nil ? 0o700 : 0o750))
            #expect(attribute("user.label", of: stage.original) == expected.map { Array($0.utf8) })
            #expect(stage.text(stage.original) == "new")
        }
    }

    @Test func `An access control list of the new item does not widen access`() throws {
        let stage = try ReplacementStage()
        chmod(stage.original.path, 0o640)
        guard setList(of: stage.new) else { return }
        #expect(attribute(Self.list, of: stage.new) != nil)
        try manager.replaceItemAt(stage.original, withItemAt: stage.new)
        #expect(attribute(Self.list, of: stage.original) == nil)
        #expect(try ReplacementStage.permissions(stage.original) == 0o640)
    }

    @Test func `An access control list of the original is kept whole`() throws {
        let stage = try ReplacementStage()
        guard setList(of: stage.original) else { return }
        let list = attribute(Self.list, of: stage.original)
        try manager.replaceItemAt(stage.original, withItemAt: stage.new)
        #expect(list != nil)
        #expect(attribute(Self.list, of: stage.original) == list)
        #expect(stage.text(stage.original) == "new")
    }

    private static let list = "system.posix_acl_access"

    /// Lets another user read; false where the file system has no lists.
    private func setList(of url: URL) -> Bool {
        let noUser: [UInt8] = [0xFE, 0xFF, 0, 0]
        let noID: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        let entries: [[UInt8]] = [
            [1, 0, 6, 0] + noID, [2, 0, 4, 0] + noUser, [4, 0, 0, 0] + noID,
            [0x10, 0, 4, 0] + noID, [0x20, 0, 0, 0] + noID,
        ]
        return
            (try? ExtendedAttributes.set(
                Array(Self.list.utf8), to: [2, 0, 0, 0] + entries.joined(), of: opened(url)))
            != nil
    }

    private func opened(_ url: URL) throws -> Descriptor {
        try Directory.open("/").descriptor.openFile(Array(url.path.utf8), O_RDONLY)
    }

    private func attribute(_ name: String, of url: URL) -> [UInt8]? {
        try? ExtendedAttributes.value(of: Array(name.utf8), of: opened(url))
    }
}

/// Runs `body` while the process cannot open anything; no other thread may run meanwhile.
private func withoutDescriptors<Result>(_ body: () throws -> Result) throws -> Result {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var short = limit
    short.rlim_cur = 0
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &short)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    return try body()
}
