// SPDX-License-Identifier: Apache-2.0
//
// Descriptors, memory, disk space or the permission to write are missing: a new call that needs
// them gets a clear error, running accesses continue, and new calls succeed again when the shortage
// is over.

import XCTest

class ShortageTests: StageTestCase {
    /// Asserts that a call is refused with a sentence that contains `words`.
    private func assertRefused(
        _ program: Program, _ words: String, line: UInt = #line
    ) throws {
        try program.ask(
            "w write \(stage.path("g")) explain", "w failed FileCoordinationErrorDomain 1")
        let sentence = try program.expect("w because")
        XCTAssertTrue(sentence.contains(words), sentence, line: line)
    }

    private func assertServed(_ program: Program, line: UInt = #line) throws {
        try program.ask("w write \(stage.path("g"))", "w granted")
        try program.ask("w go", "w released")
    }

    /// A holds f, B waits for it.
    private func line() throws -> (a: Program, b: Program) {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b read \(stage.path("f"))")
        try stage.untilWaits(b)
        return (a, b)
    }

    private func mount(_ arguments: String...) throws {
        let status = try stage.start("mount", ["/bin/mount"] + arguments).awaitEnd()
        try XCTSkipUnless(status == 0, "Nothing may be mounted here.")
    }

    private func unmount() { umount2(stage.runtime, Int32(MNT_DETACH)) }

    /// Uses up the small disk that the runtime directory is on.
    private func fillDisk() -> String {
        let path = stage.runtime + "/filler"
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        var block = [UInt8](repeating: 1, count: 65536)
        while write(file, block, block.count) > 0 {}
        block = [UInt8](repeating: 1, count: 512)
        while write(file, block, block.count) > 0 {}
        return path
    }

    //  A                       B                   C
    //  write(f) granted
    //                          read(f) waits
    //  (the disk of the runtime directory is full)
    //                                              write(g): error
    //  (the arbiter is killed)
    //  returns
    //                          granted
    //  (there is room again)
    //                                              write(g): granted
    //
    /// Rules 18.7 and 18.12.
    func testTheDiskIsFull() throws {
        mkdir(stage.runtime, 0o700)
        try mount("-t", "tmpfs", "-o", "size=1M,mode=700", "tmpfs", stage.runtime)
        defer { unmount() }
        if Self.serving == .embedded { _ = try stage.firstProgram("server") }
        let (a, b) = try line()
        let c = try stage.peer("C")
        let filler = fillDisk()
        try assertRefused(c, "No space left on device")
        // Programs that already have their ledger coordinate as before.
        try assertServed(a)
        kill(try stage.arbiter(), SIGKILL)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
        try assertServed(a)
        unlink(filler)
        try assertServed(c)
    }

    /// Rule 18.12: a ledger that has to grow for more claims at once than before.
    func testALedgerCannotGrow() throws {
        mkdir(stage.runtime, 0o700)
        try mount("-t", "tmpfs", "-o", "size=1M,mode=700", "tmpfs", stage.runtime)
        defer { unmount() }
        let (a, b) = try line()
        let filler = fillDisk()
        let folder = try stage.folder("d")
        try a.ask("m many \(folder) 200", "m asked")
        let answer = try a.expect("m refused FileCoordinationErrorDomain 1")
        XCTAssertTrue(answer.contains("No space left on device"), answer)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
        unlink(filler)
        try assertServed(a)
        try assertServed(b)
    }

    /// Rule 18.12: the directory can be read and not written.
    func testTheDirectoryIsReadOnly() throws {
        let (a, b) = try line()
        let c = try stage.peer("C")
        try mount("--bind", stage.runtime, stage.runtime)
        try mount("-o", "remount,bind,ro", stage.runtime)
        defer { unmount() }
        try assertRefused(c, "Read-only file system")
        try assertServed(a)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
        unmount()
        try assertServed(c)
        try assertServed(a)
    }

    /// Rule 18.12: a program without descriptors.
    func testAProgramsDescriptors() throws {
        try XCTSkipUnless(
            TestEnvironment.isLong,
            "Now and then the program's own run loop does without descriptors worse than we do.")
        let (a, b) = try line()
        let c = try stage.peer("C")
        for count in 3...12 {
            try stage.limit("--nofile=\(count):", of: c)
            c.tell("w write \(stage.path("g")) explain")
            guard try c.expect("w").hasPrefix("w failed") else {
                // This many descriptors are enough.
                XCTAssertGreaterThan(count, 4)
                try c.ask("w go", "w released")
                break
            }
            let sentence = try c.expect("w because")
            XCTAssertTrue(sentence.contains("Too many open files"), sentence)
        }
        try stage.limit("--nofile=1024:", of: c)
        try assertServed(c)
        try a.ask("a go", "a released")
        try b.expect("b granted")
    }

    /// Rule 18.12: a program that gets no memory for its ledger.
    func testAProgramsMemory() throws {
        try XCTSkipIf(Stage.isSanitized, "A sanitizer needs terabytes of addresses")
        let (a, b) = try line()
        let c = try stage.peer("C")
        let pages = stage.text("/proc/\(c.pid)/statm")?.split(separator: " ").first
        let size = (pages.flatMap { Int($0) } ?? 0) * 4096
        // Under the limit the program could not start its
        // thread for the access, so it starts it before.
        try c.ask("w prepared write \(stage.path("g")) explain", "w stands by")
        // Enough for threads and small things, and not for a ledger.
        try stage.limit("--as=\(size + (22 << 20)):", of: c)
        try c.ask("w go", "w failed FileCoordinationErrorDomain 1")
        let sentence = try c.expect("w because")
        XCTAssertTrue(sentence.contains("Cannot allocate memory"), sentence)
        try stage.limit("--as=unlimited:", of: c)
        try assertServed(c)
        try a.ask("a go", "a released")
        try b.expect("b granted")
    }
}

/// The same with the daemon.
final class ShortageWithDaemonTests: ShortageTests {
    override class var serving: Serving { .daemon }

    /// Rule 18.12: an arbiter that gets no memory for a program's ledger says so to that program.
    func testTheArbitersMemory() throws {
        let daemon = try stage.daemon()
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        let b = try stage.peer("B")
        let pages = stage.text("/proc/\(daemon.pid)/statm")?.split(separator: " ").first
        let size = (pages.flatMap { Int($0) } ?? 0) * 4096
        try stage.limit("--as=\(size + (16 << 20)):", of: daemon)
        try b.ask("w write \(stage.path("g"))", "w failed FileCoordinationErrorDomain 2")
        try a.ask("a go", "a released")
        try stage.limit("--as=unlimited:", of: daemon)
        // A connection that was refused just before may let one more access fail.
        var answer = ""
        for _ in 1...8 where !answer.hasPrefix("w granted") {
            answer = try b.ask("w write \(stage.path("g"))", "w")
        }
        XCTAssertTrue(answer.hasPrefix("w granted"), answer)
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }
}
