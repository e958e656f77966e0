// SPDX-License-Identifier: Apache-2.0
//
// Liveness is a lock that a mapping holds: who keeps it alive, and who does not.

import FileCoordinationSystem
import Glibc
import XCTest

final class FileLockTests: XCTestCase {
    private var scratch: Scratch!

    override func setUpWithError() throws { scratch = try Scratch() }

    override func tearDown() { scratch = nil }

    /// Locks a file through a descriptor, maps it, and closes the descriptor.
    private func lockedMapping(_ name: String) throws -> SharedMapping {
        let file = try scratch.file(name)
        XCTAssertTrue(try FileLock.tryLock(file))
        return try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: false)
    }

    func testTwoDescriptionsExcludeEachOther() throws {
        let first = try scratch.file("f")
        let second = try scratch.file("f")
        XCTAssertFalse(try FileLock.isHeldByAnother(first))
        XCTAssertTrue(try FileLock.tryLock(first))
        XCTAssertTrue(try FileLock.tryLock(first), "Its own lock is no obstacle")
        XCTAssertFalse(try FileLock.isHeldByAnother(first))
        XCTAssertTrue(try FileLock.isHeldByAnother(second))
        XCTAssertFalse(try FileLock.tryLock(second))
        try FileLock.unlock(first)
        XCTAssertTrue(try FileLock.tryLock(second))
    }

    func testAReadOnlyDescriptorCannotLock() throws {
        _ = try scratch.file("f")
        let file = try scratch.directory.openFile("f", .read)
        XCTAssertNotNil(systemError { try FileLock.tryLock(file) })
        XCTAssertFalse(try FileLock.isHeldByAnother(file), "but it can ask")
    }

    func testALockEndsWithItsHolder() throws {
        let file = try scratch.file("f")
        let ready = try TestPipe()
        let go = try TestPipe()
        let name = scratch.path + "/f"
        // child   open, lock, ready ·· waits for go ·· dies
        // test                        go ······················ has it
        let child = Child {
            var whole = flock()
            whole.l_type = Int16(F_WRLCK)
            let number = open(name, O_RDWR)
            guard fcntl(number, 37 /* F_OFD_SETLK */, &whole) == 0 else { return 1 }
            ready.write(1)
            _ = go.next()
            return 0
        }
        XCTAssertEqual(ready.next(), 1)
        XCTAssertFalse(try FileLock.tryLock(file))
        go.write(1)
        XCTAssertEqual(child.wait(), 0)
        XCTAssertTrue(try FileLock.tryLock(file))
    }

    func testTheMappingKeepsTheLockWhenTheDescriptorIsClosed() throws {
        var mapping: SharedMapping? = try lockedMapping("f")
        let observer = try scratch.file("f")
        XCTAssertTrue(try FileLock.isHeldByAnother(observer))
        withExtendedLifetime(mapping) {}
        mapping = nil
        XCTAssertFalse(try FileLock.isHeldByAnother(observer))
    }

    func testAForkedChildDoesNotKeepTheLock() throws {
        var mapping: SharedMapping? = try lockedMapping("f")
        let observer = try scratch.file("f")
        let go = try TestPipe()
        let child = Child {
            _ = go.next()
            return 0
        }
        XCTAssertTrue(try FileLock.isHeldByAnother(observer))
        withExtendedLifetime(mapping) {}
        mapping = nil
        XCTAssertFalse(try FileLock.isHeldByAnother(observer), "The child lives, the lock is free")
        go.write(1)
        XCTAssertEqual(child.wait(), 0)
    }

    func testAnInheritedMappingWouldKeepTheLock() throws {
        // The counterpart, which shows that the tests here can fail.
        let file = try scratch.file("f")
        XCTAssertTrue(try FileLock.tryLock(file))
        var mapping: SharedMapping? = try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: true)
        let go = try TestPipe()
        let child = Child {
            _ = go.next()
            return 0
        }
        let observer = try scratch.file("f")
        withExtendedLifetime(mapping) {}
        mapping = nil
        XCTAssertTrue(try FileLock.isHeldByAnother(observer))
        go.write(1)
        XCTAssertEqual(child.wait(), 0)
        withExtendedLifetime(file) {}
    }

    func testExecReleasesTheLock() throws {
        let observer = try scratch.file("f")
        let ready = try TestPipe()
        let go = try TestPipe()
        let name = scratch.path + "/f"
        let arguments: [UnsafeMutablePointer<CChar>?] = [
            strdup("sh"), strdup("-c"), strdup("echo; read x"), nil,
        ]
        defer { for argument in arguments { free(argument) } }
        // child   lock, map, close, ready ·· waits for go ·· exec ·· prints ·· waits
        // test    sees the lock held ········ go ··················· sees it free, kills the child
        let child = Child {
            var whole = flock()
            whole.l_type = Int16(F_WRLCK)
            let number = open(name, O_RDWR | O_CLOEXEC)
            guard fcntl(number, 37 /* F_OFD_SETLK */, &whole) == 0 else { return 1 }
            let base = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
            guard base != MAP_FAILED, close(number) == 0 else { return 2 }
            ready.write(1)
            _ = go.next()
            guard let writer = ready.writer, dup2(writer.number, 1) == 1,
                dup2(go.reader.number, 0) == 0
            else { return 3 }
            execv("/bin/sh", arguments)
            return 4
        }
        XCTAssertEqual(ready.next(), 1)
        XCTAssertTrue(try FileLock.isHeldByAnother(observer))
        go.write(1)
        XCTAssertEqual(ready.next(), UInt8(ascii: "\n"))
        XCTAssertFalse(try FileLock.isHeldByAnother(observer))
        kill(child.id, SIGKILL)
        XCTAssertEqual(child.wait(), -SIGKILL)
    }

    func testMappingsOfTheSameFileShareTheirWords() throws {
        let file = try scratch.file("f")
        let one = try SharedMapping(file: file, length: 4096, writable: true, inheritedByFork: true)
        let two = try SharedMapping(
            file: file, length: 4096, writable: false, inheritedByFork: true)
        one.word(at: 4088).store(42)
        XCTAssertEqual(two.word(at: 4088).load(), 42)
        XCTAssertNotEqual(one.base, two.base)
    }

    func testAnEmptyMappingIsAnError() throws {
        let file = try scratch.file("f")
        let error = systemError {
            try SharedMapping(file: file, length: 0, writable: true, inheritedByFork: true)
        }
        XCTAssertEqual(error?.code, ErrorNumber.invalidArgument)
    }
}
