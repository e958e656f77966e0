// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationSystem
import FileTree
import Foundation
import Glibc
import Testing

/// Where copies are, and that they go (Rule 15.2).
@Suite struct UploadTemporariesTests {
    private let stage: UploadStage

    init() throws {
        stage = try UploadStage()
        try stage.write("note", "text")
    }

    // MARK: Going

    @Test func `A copy is in a directory of its own, which goes with it`() throws {
        let snapshot = try stage.snapshot(of: "note")
        let folder = snapshot.url.deletingLastPathComponent().lastPathComponent
        #expect(try stage.temporaries == [folder, folder + ".lock", folder + "/note"].sorted())
        snapshot.remove()
        #expect(try stage.temporaries.isEmpty)
        snapshot.remove()
    }

    @Test func `A copy goes with the last that has it`() throws {
        do { _ = try stage.snapshot(of: "note") }
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `A copy that was moved away stays`() throws {
        let snapshot = try stage.snapshot(of: "note")
        let kept = URL(fileURLWithPath: stage.path + "/kept")
        try FileManager.default.moveItem(at: snapshot.url, to: kept)
        snapshot.remove()
        #expect(try contents(of: kept) == Array("text".utf8))
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `What was put beside the copy goes with it, but not through links`() throws {
        try stage.make("outside")
        try stage.write("outside/kept", "text")
        let snapshot = try stage.snapshot(of: "note")
        let folder = snapshot.url.deletingLastPathComponent().path
        let inner = folder.dropFirst(stage.path.count + 1) + "/a"
        try stage.make(String(inner))
        try stage.make(inner + "/b")
        try stage.write(inner + "/b/file", "text")
        try stage.link(inner + "/b/link", to: stage.path + "/outside")
        try stage.make(inner + "/b", mode: 0o500)
        try stage.make(String(inner), mode: 0o500)
        snapshot.remove()
        #expect(try stage.temporaries.isEmpty)
        #expect(FileManager.default.fileExists(atPath: stage.path + "/outside/kept"))
    }

    @Test func `A forked child does not remove its parent's copy`() throws {
        let snapshot = try stage.snapshot(of: "note")
        let child = fork()
        if child == 0 {
            snapshot.remove()
            _exit(0)
        }
        while waitpid(child, nil, 0) < 0 && errno == EINTR {}
        #expect(try contents(of: snapshot.url) == Array("text".utf8))
        snapshot.remove()
    }

    // MARK: Sweeping

    @Test func `A sweep takes no copy of a living process, and nothing that is not ours`() throws {
        let snapshot = try stage.snapshot(of: "note")
        try stage.write("tmp/\(try stage.root.path.split(separator: "/").last ?? "")/mine", "text")
        let before = try stage.temporaries
        try stage.root.sweep()
        _ = try stage.snapshot(of: "note")
        UploadRoot.sweep(environment: stage.environment)
        #expect(try stage.temporaries == before)
        #expect(before.count == 4)
        withExtendedLifetime(snapshot) {}
    }

    @Test func `A sweep removes what is not locked`() throws {
        let root = try stage.root.directory
        let names = ["1-0123456789abcdef", "2-0123456789abcdef", "3-0123456789abcdef"]
        // One whole, one whose lock was removed, one that has nothing but its lock.
        for name in names.prefix(2) {
            let folder = try root.openSubdirectory(name, creatingWithMode: 0o700)
            _ = try folder.openFile("half.zip", [.write, .create])
        }
        for name in [names[0], names[2]] {
            _ = try root.openFile(name + ".lock", [.write, .create])
        }
        _ = try root.openFile(names[0] + ".part", [.write, .create])
        UploadRoot.sweep(environment: stage.environment)
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `Sweeping where no copy was ever made makes nothing`() throws {
        UploadRoot.sweep(environment: stage.environment)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.path + "/tmp").isEmpty)
    }

    // MARK: Unfinished copies

    @Test(arguments: [UnfinishedFile.Naming.none, .part])
    func `An unfinished copy is not where the accessor looks`(naming: UnfinishedFile.Naming) throws
    {
        let slot = try UploadSlot(in: stage.root)
        let copy = try UnfinishedFile(in: slot, naming: naming)
        try Array("half".utf8).withUnsafeBytes { try copy.file.write($0, at: 0) }
        #expect(try slot.directory.names().isEmpty)
        try copy.publish(as: Array("note".utf8))
        #expect(try slot.directory.names() == ["note"])
        #expect(try stage.temporaries.filter { $0.hasSuffix("part") }.isEmpty)
    }

    // MARK: The directory

    @Test func `The directory for copies is closed to others`() throws {
        #expect(try stage.root.directory.status().permissions == 0o700)
        chmod(try stage.root.path, 0o755)
        #expect(throws: UploadError.self) { try stage.snapshot(of: "note") }
        chmod(stage.path + "/tmp/filecoordination-uploads-\(geteuid())", 0o700)
        _ = try stage.snapshot(of: "note")
    }

    @Test func `A link in place of the directory for copies is refused`() throws {
        try stage.make("elsewhere", mode: 0o700)
        try stage.link(
            "tmp/filecoordination-uploads-\(geteuid())", to: stage.path + "/elsewhere")
        let error = try #require(throws: UploadError.self) { try stage.snapshot(of: "note") }
        guard case .unsafeTemporaries = error else {
            Issue.record("\(error)")
            return
        }
        let report = error.nsError(item: URL(fileURLWithPath: stage.path + "/note"))
        #expect(report.code == CocoaError.fileWriteNoPermission.rawValue)
        #expect(report.localizedRecoverySuggestion?.contains("TMPDIR") == true)
    }

    @Test func `A directory for copies that cannot be made is named`() throws {
        #expect(throws: UploadError.self) {
            try UploadRoot.open(environment: ["TMPDIR": stage.path + "/none"])
        }
    }
}
