// SPDX-License-Identifier: Apache-2.0
//
// What a forked child keeps, and how it knows that it is one.

import FileCoordinationSystem
import Glibc
import XCTest

final class ForkGuardTests: XCTestCase {
    func testOnlyRegisteredDescriptorsAreClosed() throws {
        let guarded = try TestPipe()
        let kept = try TestPipe()
        let unregistered = try TestPipe()
        ForkGuard.closeInChild(guarded.reader.number)
        ForkGuard.closeInChild(unregistered.reader.number)
        ForkGuard.keepInChild(unregistered.reader.number)
        defer { ForkGuard.keepInChild(guarded.reader.number) }
        let child = Child {
            guard fcntl(guarded.reader.number, F_GETFD) == -1 else { return 1 }
            guard fcntl(kept.reader.number, F_GETFD) != -1 else { return 2 }
            guard fcntl(unregistered.reader.number, F_GETFD) != -1 else { return 3 }
            return 0
        }
        XCTAssertEqual(child.wait(), 0)
        XCTAssertNotEqual(fcntl(guarded.reader.number, F_GETFD), -1, "Open here as before")
    }

    func testNumbersOutsideTheTableAreIgnored() {
        for number: Int32 in [-1, 65_536, .max, .min] {
            ForkGuard.closeInChild(number)
            ForkGuard.keepInChild(number)
        }
    }

    func testTheTokenIsZeroInAChildUntilItIsRearmed() {
        let mine = ForkGuard.processToken
        XCTAssertNotEqual(mine, 0)
        let child = Child {
            guard ForkGuard.processToken == 0, ForkGuard.isForkedChild else { return 1 }
            ForkGuard.rearm()
            guard !ForkGuard.isForkedChild, ForkGuard.processToken != mine else { return 2 }
            let grandchild = fork()
            if grandchild == 0 { _exit(ForkGuard.isForkedChild ? 0 : 1) }
            var status: Int32 = 0
            return waitpid(grandchild, &status, 0) == grandchild && status == 0 ? 0 : 3
        }
        XCTAssertEqual(child.wait(), 0)
        XCTAssertEqual(ForkGuard.processToken, mine)
        ForkGuard.rearm()
        XCTAssertEqual(ForkGuard.processToken, mine, "What is armed stays")
    }

    func testAnInheritedObjectClosesNothingInTheChild() throws {
        var wakeUp: WakeUp? = try WakeUp()
        let number = wakeUp?.descriptor.number ?? -1
        let child = Child {
            // The child reuses the object's descriptor number,
            // and the object must not close that descriptor.
            guard dup2(2, number) == number else { return 1 }
            wakeUp = nil
            return fcntl(number, F_GETFD) == -1 ? 2 : 0
        }
        XCTAssertEqual(child.wait(), 0)
        XCTAssertNotEqual(fcntl(number, F_GETFD), -1)
        wakeUp = nil
    }

    func testAnInheritedMappingObjectUnmapsNothingInTheChild() throws {
        let file = try Scratch().file("f")
        var mapping: SharedMapping? = try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: false)
        let base = mapping?.base
        let child = Child {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED
            guard mmap(base, 4096, PROT_READ | PROT_WRITE, flags, -1, 0) == base else { return 1 }
            mapping = nil
            base?.storeBytes(of: 1, as: UInt8.self)
            return 0
        }
        XCTAssertEqual(child.wait(), 0)
        mapping = nil
    }
}
