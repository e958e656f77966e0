// SPDX-License-Identifier: Apache-2.0
//
// A file system in user space whose server never answers: a process that touches it waits. No other
// access does, neither in another process nor on another thread of the same one.

import FileCoordinationArbiter
import XCTest

final class DeadMountTests: StageTestCase {
    /// A FUSE mount whose server answers no request until the mount ends.
    private final class DeadMount {
        let path: String
        private var server: Int32

        init(at path: String) throws {
            self.path = path
            server = open("/dev/fuse", O_RDWR | O_CLOEXEC)
            guard server >= 0 else { throw XCTSkip("No FUSE may be used here: error \(errno).") }
            let options = "fd=\(server),rootmode=40000,user_id=0,group_id=0"
            let flags = UInt(MS_NOSUID) | UInt(MS_NODEV)
            guard mount("dead", path, "fuse", flags, options) == 0 else {
                let number = errno
                close(server)
                throw XCTSkip("Nothing may be mounted here: error \(number).")
            }
        }

        func end() {
            umount2(path, Int32(MNT_DETACH) | Int32(MNT_FORCE))
            // A process that still waits for an answer gets an error now.
            if server >= 0 { close(server) }
            server = -1
        }
    }

    //  A                           B                   command
    //  write(dead/f): never returns
    //  presents dead/g: never returns
    //                              write(dead/h): never returns
    //                                                  read dead/i: never returns
    //  write(f) granted
    //                              write(f) waits
    //  returns
    //                              granted
    //                                                  killed
    //
    /// Section 18: a program that waits for a file system delays no other program.
    func testAMountThatNeverAnswersDelaysNoOtherProcess() throws {
        // One mount for each program: in the kernel, the second program that looks up a name in
        // such a mount waits for the first, and cannot be killed before the first is.
        let mounts = try (1...3).map { try DeadMount(at: stage.folder("dead\($0)")) }
        defer { for mount in mounts { mount.end() } }
        let (ones, twos, threes) = (mounts[0].path, mounts[1].path, mounts[2].path)
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("q present \(file)", "q registered")
        a.tell("1 write \(ones)/f")
        a.tell("2 read \(ones)/f/inside options=resolvesSymbolicLink")
        a.tell("3 present \(ones)/g")
        a.tell("4 later write:\(ones)/h")
        b.tell("1 write \(twos)/h options=forDeleting")
        let command = try stage.start(
            "command", [Products.directory + "/filecoord", "write", threes + "/i", "--", "true"])
        for round in 1...20 {
            try a.ask("a write \(file)", "a granted")
            b.tell("b write \(file)")
            try stage.untilWaits(b)
            try a.ask("a put \(round)", "a put")
            try a.ask("a go", "a released")
            XCTAssertEqual(try b.expect("b granted"), "b granted \(round)")
            try a.expect("q relinquish to writer")
            try b.ask("b go", "b released")
        }
        // A claim on the whole tree is granted although the mounts inside never answer.
        try b.ask("d write \(stage.directory) options=forMoving", "d granted")
        try b.ask("d go", "d released")
        XCTAssertFalse(a.lines.contains { $0.hasPrefix("1 ") || $0.hasPrefix("3 ") })
        command.signal(SIGKILL)
        try command.awaitEnd()
        // Also a program that dies while its threads wait frees what it holds at once.
        try a.ask("a write \(file)", "a granted")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        a.end()
        try b.expect("b granted")
    }

    /// A session answers other requests, also while several wait for such a file system.
    func testASessionGoesOnWhileRequestsHang() throws {
        let mount = try DeadMount(at: stage.folder("dead"))
        defer { mount.end() }
        let session = try stage.start("session", [Products.directory + "/filecoord", "session"])
        for number in 1...3 {
            session.tell(#"{"id":\#(number),"do":"token","paths":["\#(mount.path)/\#(number)"]}"#)
            session.tell(#"{"id":"e\#(number)","do":"end","claim":"c9"}"#)
            try session.expect(
                #"{"id":"e\#(number)","error":{"code":"unknownClaim","message":"there"#)
        }
        XCTAssertFalse(session.lines.contains { $0.hasPrefix(#"{"id":1"#) })
        mount.end()
        for number in 1...3 {
            try session.expect(#"{"id":\#(number),"state":"done""#, inside: true)
        }
    }

    //  A                           B
    //                              read(dead/f)
    //  write(dead/f) waits
    //                              returns
    //  granted
    //                              read(dead/f) waits
    //  returns: but what it has done cannot be found out
    //                              write(f) granted
    //
    /// The same for a mount that dies while a claim on it runs, whose outcome is to be reported.
    func testAMountThatDiesUnderAClaim() throws {
        let place = try stage.folder("dead")
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        // A waits first, because the client does not examine
        // the item of an uncontended claim beforehand.
        try b.ask("0 read \(place)/f", "0 granted")
        a.tell("1 write \(place)/f")
        try stage.untilWaits(a)
        try b.ask("0 go", "0 released")
        try a.expect("1 granted")
        b.tell("2 read \(place)/f")
        try stage.untilWaits(b)
        let mount = try DeadMount(at: place)
        defer { mount.end() }
        // A compares the item with what it was before.
        // That waits for the mount, and so does the claim.
        a.tell("1 go")
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(file)")
        try stage.until(b, has: 2, .waiting)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        XCTAssertFalse(a.said("1 released"))
        mount.end()
        try a.expect("1 released")
        try b.expect("2 granted")
    }
}
