// SPDX-License-Identifier: Apache-2.0
//
// The usual runtime directory is unavailable: another user has taken its path, or nothing can be
// made there (Rules 2.0 and 18.14).

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

    /// Rule 18.14: another user has taken the place: the error names that user and the place.
    func testAnotherUserHasThePlace() throws {
        let machine = try machineOfASquatter()
        try machine.logIn()
        for isLoggedIn in [false, true] {
            let program = try machine.peer("program", isLoggedIn: isLoggedIn)
            try assertRefused(
                program, "/dev/shm/filecoordination-0 belongs to user 65534, not to you",
                "FILECOORDINATION_RUNTIME_DIR")
            program.end()
        }
    }

    /// Rule 18.14: programs that can make nothing in /dev/shm meet in /tmp, also with a login.
    func testContainersWithoutMemory() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        machine.meet(in: "/tmp/filecoordination-0")
        let without = "mount -t tmpfs -o ro private /dev/shm"
        let one = try machine.peer("one", preparation: without)
        try one.ask("s write \(file)", "s granted")
        try one.ask("s go", "s released")
        let other = try machine.peer("other", isLoggedIn: true, preparation: without)
        try assertWaits(other, for: one)
        try assertWaits(one, for: other)
        XCTAssertFalse(machine.has("/run/user/0/filecoordination"))
    }
}
