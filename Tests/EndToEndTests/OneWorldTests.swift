// SPDX-License-Identifier: Apache-2.0
//
// All processes of one user on one machine use one server (Rule 18.14): jobs that run before, in
// and after a login, and services with a private /tmp, started in every order.

import FileCoordinationWire
import XCTest

class OneWorldTests: StageTestCase {
    private let file = Machine.home + "/f"
    private let privateTmp = "mount -t tmpfs private /tmp"

    /// B has to wait for A, and A for B.
    private func assertMeet(_ a: Program, _ b: Program, line: UInt = #line) throws {
        for (first, second) in [(a, b), (b, a)] {
            try first.ask("x write \(file)", "x granted")
            second.tell("y write \(file)")
            try stage.untilWaits(second)
            XCTAssertFalse(second.lines.last?.hasPrefix("y granted") ?? false, line: line)
            try first.ask("x go", "x released")
            try second.expect("y granted")
            try second.ask("y go", "y released")
        }
        try stage.untilNoClaimHolds()
    }

    //  job                     login                   program of the login
    //  write(f) granted
    //                          makes /run/user/UID
    //                                                  write(f): waits
    //  returns
    //                                                  granted
    //
    /// Rule 18.14.
    func testAJobThatStartsBeforeTheLogin() throws {
        let machine = try Machine(stage)
        let job = try machine.peer("job")
        try job.ask("x write \(file)", "x granted")
        try machine.logIn()
        let user = try machine.peer("user", isLoggedIn: true)
        user.tell("y write \(file)")
        try stage.untilWaits(user)
        XCTAssertFalse(user.said("y granted"))
        try job.ask("x go", "x released")
        try user.expect("y granted")
        try user.ask("y go", "y released")
        try assertMeet(job, user)
    }

    /// Rule 18.14.
    func testAJobThatStartsAfterTheLogin() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        let user = try machine.peer("user", isLoggedIn: true)
        try user.ask("x write \(file)", "x granted")
        let job = try machine.peer("job")
        job.tell("y write \(file)")
        try stage.untilWaits(job)
        try user.ask("x go", "x released")
        try job.expect("y granted")
        try job.ask("y go", "y released")
        try assertMeet(job, user)
    }

    /// Rule 18.14: a service with a private /tmp, a job and a program of a login, in all six orders
    /// of start.
    func testAServiceWithAPrivateTmp() throws {
        let names = ["service", "job", "user"]
        for first in 0..<3 {
            for second in 0..<3 where second != first {
                let machine = try Machine(stage)
                let order = [first, second, 3 - first - second].map { names[$0] }
                let programs = try order.map { name in
                    if name == "user" { try machine.logIn() }
                    let program = try machine.peer(
                        name, isLoggedIn: name == "user",
                        preparation: name == "service" ? privateTmp : nil)
                    // It coordinates once, so that it has begun before the next program does.
                    try program.ask("s write \(file)", "s granted")
                    try program.ask("s go", "s released")
                    return program
                }
                try assertMeet(programs[0], programs[1])
                try assertMeet(programs[1], programs[2])
                try assertMeet(programs[0], programs[2])
                for program in programs { program.end() }
            }
        }
    }

    //  job of a login          logout                  job
    //  write(f) granted
    //                          removes all that the user has
    //                                                  write(f): waits
    //                          login
    //                                                                  program: waits
    //  returns
    //                                                  granted
    //
    /// Rules 2.0 and 18.14: a job that survives the logout, and a login under it.
    func testAJobThatSurvivesALogout() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        let survivor = try machine.peer("survivor", isLoggedIn: true)
        try survivor.ask("x write \(file)", "x granted")
        try machine.logOut()
        let job = try machine.peer("job", preparation: privateTmp)
        job.tell("y write \(file)")
        try stage.untilWaits(job)
        try machine.logIn()
        let user = try machine.peer("user", isLoggedIn: true)
        user.tell("y write \(file)")
        try stage.untilWaits(user)
        XCTAssertFalse(job.said("y granted") || user.said("y granted"))
        try survivor.ask("x go", "x released")
        try job.expect("y granted")
        try job.ask("y go", "y released")
        try user.expect("y granted")
        try user.ask("y go", "y released")
        try assertMeet(survivor, user)
        try assertMeet(job, user)
    }

    /// Rules 2.0 and 18.14: the arbiter's process ends with the logout, killed.
    func testTheArbiterDiesInALogout() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        let server = Self.serving == .embedded ? try machine.peer("server", isLoggedIn: true) : nil
        try server?.ask("s write \(file)", "s granted")
        try server?.ask("s go", "s released")
        let survivor = try machine.peer("survivor", isLoggedIn: true)
        try survivor.ask("x write \(file)", "x granted")
        let arbiter = try stage.arbiter()
        XCTAssertNotEqual(arbiter, survivor.pid)
        kill(arbiter, SIGSTOP)
        try machine.logOut()
        kill(arbiter, SIGKILL)
        let job = try machine.peer("job")
        job.tell("y write \(file)")
        try stage.untilWaits(job)
        try survivor.ask("x go", "x released")
        try job.expect("y granted")
    }

    /// Rule 2.0: a service with a network of its own holds through a logout; a program that comes
    /// before the server has made its directory anew waits.
    func testAServiceWithANetworkOfItsOwn() throws {
        let machine = try Machine(stage)
        try machine.logIn()
        let server = try machine.peer("server", isLoggedIn: true)
        try server.ask("s write \(file)", "s granted")
        try server.ask("s go", "s released")
        let service = try machine.peer(
            "service", through: ["/usr/bin/unshare", "--net", "--"])
        try service.ask("x write \(file)", "x granted")
        let job = try machine.peer("job")
        try machine.logOut()
        job.tell("y write \(file)")
        try stage.untilWaits(job)
        XCTAssertFalse(job.said("y granted"))
        try service.ask("x go", "x released")
        try job.expect("y granted")
    }
}

/// The same with the daemon.
final class OneWorldWithDaemonTests: OneWorldTests {
    override class var serving: Serving { .daemon }

    /// Rule 18.14: the daemon finds the same place as its starter.
    func testTheDaemonServes() throws {
        let machine = try Machine(stage)
        let job = try machine.peer("job", preparation: "mount -t tmpfs private /tmp")
        try job.ask("x write \(Machine.home)/f", "x granted")
        let report = try stage.until("an arbiter answers") { _ in true }
        XCTAssertEqual(report.arbiter.kind, .daemon)
    }
}
