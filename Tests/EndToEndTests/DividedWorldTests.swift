// SPDX-License-Identifier: Apache-2.0
//
// The usual runtime directory is unavailable: another user has taken its path, or a container does
// not see it. Then the user's processes find each other in another directory, or fail with an
// explanation. Two servers never grant claims on the same items (Rules 2.0 and 18.14).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class DividedWorldTests: StageTestCase {
    private let file = Machine.home + "/f"

    /// B has to wait for A.
    private func assertWaits(_ b: Program, for a: Program, line: UInt = #line) throws {
        try a.ask("x write \(file)", "x granted")
        b.tell("y write \(file)")
        try stage.untilWaits(b)
        XCTAssertFalse(b.lines.last?.hasPrefix("y granted") ?? false, line: line)
        try a.ask("x go", "x released")
        try b.expect("y granted")
        try b.ask("y go", "y released")
        try stage.untilNoClaimHolds()
    }

    private func assertRefused(
        _ program: Program, _ words: String..., line: UInt = #line
    ) throws {
        try program.ask("z write \(file) explain", "z failed FileCoordinationErrorDomain 1")
        let sentence = try program.expect("z because")
        for word in words { XCTAssertTrue(sentence.contains(word), sentence, line: line) }
    }

    private func machineOfASquatter() throws -> Machine {
        let machine = try Machine(stage)
        try machine.run(
            "mkdir /dev/shm/filecoordination-0 && chown 65534 /dev/shm/filecoordination-0")
        return machine
    }

    /// Rule 18.14: another user has taken the usual place; a job comes before the login.
    func testAnotherUserHasThePlace() throws {
        let machine = try machineOfASquatter()
        machine.meet(in: "/tmp/filecoordination-0")
        let job = try machine.peer("job")
        try job.ask("x write \(file)", "x granted")
        try job.expect("! FileCoordination: the runtime directory", inside: true)
        XCTAssertTrue(job.lines.contains { $0.contains("belongs to user 65534, not to you") })
        try machine.logIn()
        let user = try machine.peer("user", isLoggedIn: true)
        user.tell("y write \(file)")
        try stage.untilWaits(user)
        XCTAssertFalse(user.said("y granted"))
        try job.ask("x go", "x released")
        try user.expect("y granted")
        try user.ask("y go", "y released")
        try assertWaits(job, for: user)
    }

    /// Rules 2.0 and 18.14: the same after the login, whose directory goes with the logout.
    func testAnotherUserHasThePlaceAndTheLoginEnds() throws {
        try assertAJobIsServed { try $0.endLogin() }
    }

    /// Rules 2.0 and 18.14: the directory is detached with all that is in it, which the kernel does
    /// not report to a process that has it open.
    func testAnotherUserHasThePlaceAndTheLoginsFileSystemIsDetached() throws {
        try assertAJobIsServed { try $0.run("umount -l /run/user/0; rmdir /run/user/0") }
    }

    private func assertAJobIsServed(after end: (Machine) throws -> Void) throws {
        let machine = try machineOfASquatter()
        try machine.logIn()
        machine.meet(in: "/run/user/0/filecoordination")
        let survivor = try machine.peer("survivor", isLoggedIn: true)
        try survivor.ask("x write \(file)", "x granted")
        _ = try stage.arbiter()
        try end(machine)
        machine.meet(in: "/tmp/filecoordination-0")
        let job = try machine.peer("job")
        // Until the survivor's arbiter has taken the job's place, too, the job is refused.
        for refusals in 0..<50 {
            job.tell("y write \(file)")
            try stage.until("the job waits, or is refused") { report in
                job.count("y failed") > refusals
                    || report.claims.contains { $0.processID == job.pid && $0.stage == .waiting }
            }
            if job.count("y failed") == refusals { break }
        }
        try stage.untilWaits(job)
        XCTAssertFalse(job.said("y granted"))
        try survivor.ask("x go", "x released")
        try job.expect("y granted")
        try job.ask("y go", "y released")
        try assertWaits(survivor, for: job)
    }

    /// Rule 2.0: if /tmp is private as well, the processes share only the ledger fallback.
    ///
    /// The second one is refused.
    func testAnotherUserHasThePlaceAndTmpIsPrivate() throws {
        let machine = try machineOfASquatter()
        machine.meet(in: "/tmp/filecoordination-0")
        let job = try machine.peer("job")
        try job.ask("x write \(file)", "x granted")
        let service = try machine.peer("service", preparation: "mount -t tmpfs private /tmp")
        try assertRefused(
            service, "your other programs meet in /tmp/filecoordination-0",
            "FILECOORDINATION_RUNTIME_DIR")
        XCTAssertFalse(service.said("z granted"))
    }

    /// Rule 2.0: a container that has a /dev/shm of its own, and sees the login's directory, is
    /// refused while programs outside coordinate.
    ///
    /// They are refused while the container's programs do.
    func testAContainerWithMemoryOfItsOwn() throws {
        for isFirst in [true, false] {
            let machine = try Machine(stage)
            try machine.logIn()
            func program(_ isInside: Bool) throws -> Program {
                try machine.peer(
                    isInside ? "inside" : "outside", isLoggedIn: true,
                    preparation: isInside ? "mount -t tmpfs private /dev/shm" : nil)
            }
            let first = try program(isFirst)
            try first.ask("x write \(file)", "x granted")
            let second = try program(!isFirst)
            try assertRefused(
                second, "your other programs meet in /dev/shm/filecoordination-0",
                "to which no path leads from here")
            // The second program is refused only as long as the first runs.
            first.end()
            try second.ask("y write \(file)", "y granted")
            second.end()
        }
    }

    /// Rule 18.14: a container that comes first and can make nothing in /dev/shm is joined by
    /// programs outside, in the login's directory.
    func testAContainerWithoutMemory() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        machine.meet(in: "/run/user/0/filecoordination")
        let without = "mount -t tmpfs -o ro private /dev/shm"
        let inside = try machine.peer("inside", preparation: without)
        try inside.ask("s write \(file)", "s granted")
        try inside.ask("s go", "s released")
        let outside = try machine.peer("outside")
        try assertWaits(outside, for: inside)
        try assertWaits(inside, for: outside)
        // The next server is outside, and programs in the container find it.
        inside.end()
        let another = try machine.peer("another", preparation: without)
        try assertWaits(another, for: outside)
        try assertWaits(outside, for: another)
    }
}
