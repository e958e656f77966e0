// SPDX-License-Identifier: Apache-2.0
//
// A process that is killed while it uploads: no incomplete copy is left at a path where a program
// would take it for a complete one, and the next process that makes a copy removes the rest.

import FileCoordination
import FileCoordinationSystem
import FileTree
import Foundation
import Glibc
import Testing

@Suite struct UploadCrashTests {
    /// Makes an archive, and kills this process before it writes beyond the first `bytes` of it.
    private static func archive(_ name: String, of stage: UploadStage, until bytes: UInt64) throws {
        let stop: @Sendable (UInt64) -> Void = { if $0 > bytes { kill(getpid(), SIGKILL) } }
        _ = try ArchiveProgress.$beforeWriting.withValue(stop) { try stage.snapshot(of: name) }
    }

    /// Makes a directory whose archive has about a million bytes.
    private static func fill(_ stage: UploadStage) throws {
        try stage.make("folder")
        for number in 0..<10 { try stage.write("folder/\(number)", noise(100_000)) }
    }

    /// Shows that nothing named is left, and nothing at all after the next copy.
    private static func expectNoHalf(in stage: UploadStage) throws {
        #expect(try stage.temporaries.filter { $0.hasSuffix(".zip") }.isEmpty)
        do { _ = try stage.snapshot(of: "folder") }
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `Killed in the middle of an archive, a process leaves no half`() async throws {
        let stage = try UploadStage.shared("middle", by: getpid())
        try Self.fill(stage)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let stage = try UploadStage.shared("middle", by: getppid())
            try Self.archive("folder", of: stage, until: 600_000)
        }
        #expect(try stage.temporaries.contains { $0.hasSuffix(".lock") })
        try Self.expectNoHalf(in: stage)
    }

    @Test func `Killed at the first byte, a process leaves no half`() async throws {
        let stage = try UploadStage.shared("first", by: getpid())
        try Self.fill(stage)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let stage = try UploadStage.shared("first", by: getppid())
            try Self.archive("folder", of: stage, until: 0)
        }
        try Self.expectNoHalf(in: stage)
    }

    @Test func `The copy of a process that was killed while it uploaded goes`() async throws {
        let stage = try UploadStage.shared("accessor", by: getpid())
        try Self.fill(stage)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let stage = try UploadStage.shared("accessor", by: getppid())
            let snapshot = try stage.snapshot(of: "folder")
            kill(getpid(), SIGKILL)
            withExtendedLifetime(snapshot) {}
        }
        #expect(try stage.temporaries.filter { $0.hasSuffix("/folder.zip") }.count == 1)
        UploadRoot.sweep(environment: stage.environment)
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `A process that presents, and stays, removes what others left`() async throws {
        let stage = try UploadStage.shared("presenter", by: getpid())
        _ = try stage.root.directory.openFile("1-0123456789abcdef.lock", [.write, .create])
        await #expect(processExitsWith: .success) {
            let stage = try UploadStage.shared("presenter", by: getppid())
            setenv("TMPDIR", stage.path + "/tmp", 1)
            setenv("FILECOORDINATION_RUNTIME_DIR", stage.path + "/runtime", 1)
            setenv("FILECOORDINATIOND", "", 1)
            NSFileCoordinator.addFilePresenter(Bystander(URL(fileURLWithPath: stage.path)))
            // A bound for a test that fails.
            alarm(60)
            while try !stage.temporaries.isEmpty { sched_yield() }
            _exit(0)
        }
    }

    /// Presents a place, and does nothing.
    private final class Bystander: NSObject, NSFilePresenter {
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()

        init(_ url: URL) { presentedItemURL = url }
    }

    @Test func `A forked child that outlives the process does not keep its copy`() async throws {
        let stage = try UploadStage.shared("fork", by: getpid())
        try Self.fill(stage)
        try stage.makeSpecial("gate", S_IFIFO)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let stage = try UploadStage.shared("fork", by: getppid())
            let snapshot = try stage.snapshot(of: "folder")
            if fork() == 0 {
                let gate = open(stage.path + "/gate", O_RDWR)
                // Otherwise processes would wait until this child closes the test process's pipes.
                for number in 0..<Int32(1024) where number != gate { close(number) }
                // A bound for a test that fails.
                alarm(60)
                var byte: UInt8 = 0
                _exit(read(gate, &byte, 1) == 1 ? 0 : 1)
            }
            // Opening for writing succeeds once the child has opened the gate for reading.
            alarm(60)
            while open(stage.path + "/gate", O_WRONLY | O_NONBLOCK) < 0 { sched_yield() }
            kill(getpid(), SIGKILL)
            withExtendedLifetime(snapshot) {}
        }
        let gate = open(stage.path + "/gate", O_WRONLY | O_NONBLOCK)
        #expect(gate >= 0, "the child is not there")
        UploadRoot.sweep(environment: stage.environment)
        #expect(try stage.temporaries.isEmpty)
        #expect(write(gate, "x", 1) == 1)
        close(gate)
    }
}
