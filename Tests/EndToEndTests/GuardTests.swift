// SPDX-License-Identifier: Apache-2.0
//
// Lease guards: plain programs wait until a presenter has saved (Rule 7.14), and no other program
// waits. The tests determine the order from what a program found, not from durations.

import TestHome
import XCTest

class GuardTests: StageTestCase {
    /// Starts `filecoord present --guard` for a file, and waits until it has the lease.
    private func present(
        _ file: String, _ options: String..., awaiting line: String = "\"guard on\""
    ) throws -> Program {
        let program = try stage.start(
            "presenter", [Products.filecoord, "present", "--json", "--guard", file] + options)
        try program.expect(line, inside: true)
        return program
    }

    /// A shell command that saves by replacing the file, and then leaves a mark.
    private func saving(_ text: String) -> String {
        "printf '\(text)' | '\(Products.filecoord)' write --timeout 20 "
            + "--purpose \"$FILECOORD_PURPOSE\" \"$FILECOORD_PATH\" && touch '\(mark)'"
    }

    /// The file that exists once the presenter has saved.
    private var mark: String { stage.path("mark") }

    private func start(_ command: String) throws -> Program {
        try stage.start("plain", ["/bin/sh", "-c", command])
    }

    /// Runs a shell command, to its end.
    private func run(_ command: String) throws {
        XCTAssertEqual(try start(command).awaitEnd(), 0, command)
    }

    /// Opens a file to append to it, and writes whether the presenter had saved by then.
    private func appending(_ file: String) -> String {
        "exec 3>>'\(file)'; test -e '\(mark)' && echo after >&3 || echo before >&3"
    }

    private func inode(_ path: String) -> UInt64 {
        var status = stat()
        stat(path, &status)
        return UInt64(status.st_ino)
    }

    /// Waits until the kernel lists a lease of the file: held, or with a process that waits.
    private func untilLease(_ file: String, _ word: String = "ACTIVE") throws {
        let end = Date() + Program.patience
        while !stage.kernelText("/proc/locks").split(separator: "\n").contains(where: {
            $0.contains("LEASE") && $0.contains(word) && $0.contains(":\(inode(file)) ")
        }) {
            guard Date() < end else {
                throw StageError("no lease: " + stage.kernelText("/proc/locks"))
            }
            poll(nil, 0, 2)
        }
    }

    private func versions(_ file: String) throws -> String {
        let list = try stage.start("list", [Products.filecoord, "versions", "list", file])
        try list.awaitEnd()
        return list.lines.joined(separator: "\n")
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stage.directory)
    }

    //  presenter               plain program
    //  guard on
    //                          opens f to append
    //  relinquish to writer
    //  save: replaces f
    //                          finds that it was saved, writes, closes
    //  reacquire
    //
    func testAPlainProgramThatOpensTheFileFindsItSaved() throws {
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--on", "savePresentedItemChanges", saving("saved"))
        try run(appending(file))
        try presenter.expect("relinquishPresentedItem(toWriter:)", inside: true)
        try presenter.expect("savePresentedItemChanges", inside: true)
        try presenter.expect("presentedItemDidGain", inside: true)
        try presenter.expect("reacquire(fromWriter)", inside: true)
        // The path names the plain program's file; what the presenter saved is kept as a version.
        XCTAssertEqual(stage.text(file), "old\nafter\n")
        XCTAssertTrue(try versions(file).contains("conflict"))
        XCTAssertEqual(try names().filter { $0.hasPrefix(".filecoord") }, [])
        // The guard is on again.
        try untilLease(file)
        unlink(mark)
        try run(appending(file))
        XCTAssertEqual(stage.text(file), "old\nafter\nafter\n")
    }

    func testAPresenterWithoutChangesLosesNothingAndNoVersionIsMade() throws {
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--on", "savePresentedItemChanges", "touch '\(mark)'")
        let former = inode(file)
        try run("exec 3<>'\(file)'; test -e '\(mark)' && read line <&3 && echo \"$line\" >&3")
        try presenter.expect("reacquire(fromWriter)", inside: true)
        XCTAssertEqual(stage.text(file), "old\nold\n")
        XCTAssertEqual(inode(file), former)
        XCTAssertFalse(try versions(file).contains("conflict"))
        XCTAssertEqual(try names().filter { $0.hasPrefix(".filecoord") }, [])
    }

    func testVimWaitsUntilTheEditorHasSaved() throws {
        let vim = "/usr/bin/vim"
        guard access(vim, X_OK) == 0 else { throw XCTSkip("vim is not installed") }
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--on", "savePresentedItemChanges", saving("saved"))
        let editor = try stage.start(
            "vim",
            [
                vim, "-u", "NONE", "-es", "-c", "set nocompatible backupcopy=yes", "-c",
                "normal oby vim", "-c", "w", "-c", "silent !test -e '\(mark)' && touch '\(mark)2'",
                "-c", "q", file,
            ])
        try presenter.expect("reacquire(fromWriter)", inside: true)
        try editor.awaitEnd()
        XCTAssertEqual(stage.text(file), "old\nby vim\n")
        XCTAssertTrue(try versions(file).contains("conflict"))
        XCTAssertTrue(FileManager.default.fileExists(atPath: mark + "2"))
    }

    func testTruncatingWaitsToo() throws {
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--on", "savePresentedItemChanges", saving("saved"))
        guard access("/usr/bin/perl", X_OK) == 0 else { throw XCTSkip("perl is not installed") }
        try run("perl -e 'truncate($ARGV[0], 1) or die $!' '\(file)' && test -e '\(mark)'")
        try presenter.expect("reacquire(fromWriter)", inside: true)
        XCTAssertEqual(stage.text(file), "o")
        XCTAssertTrue(try versions(file).contains("conflict"))
    }

    /// A program that asks the kernel not to wait, as truncate(1) does, gets an error instead; the
    /// presenter is asked nevertheless, and the next attempt after that succeeds.
    func testAProgramThatDoesNotWaitIsRefusedOnce() throws {
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--on", "savePresentedItemChanges", saving("saved"))
        XCTAssertNotEqual(try start("truncate -s 1 '\(file)'").awaitEnd(), 0)
        try presenter.expect("reacquire(fromWriter)", inside: true)
        // No program writes to the former file, so what the presenter saved stays.
        XCTAssertEqual(stage.text(file), "saved")
        XCTAssertFalse(try versions(file).contains("conflict"))
        XCTAssertEqual(try names().filter { $0.hasPrefix(".filecoord") }, [])
    }

    func testAnotherNameOfTheFileIsGuardedToo() throws {
        let file = try stage.file("f", "old\n")
        let other = stage.path("other")
        XCTAssertEqual(link(file, other), 0)
        let presenter = try present(file, "--on", "savePresentedItemChanges", "touch '\(mark)'")
        try run(appending(other))
        try presenter.expect("reacquire(fromWriter)", inside: true)
        XCTAssertEqual(stage.text(file), "old\nafter\n")
    }

    /// A container, for example, sees the directory at another path.
    func testTheFileInABindMountIsGuardedToo() throws {
        try Namespaces.skipUnlessPermitted()
        let file = try stage.file("f", "old\n")
        let place = stage.path("mounted")
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: false)
        let presenter = try present(file, "--on", "savePresentedItemChanges", saving("saved"))
        let plain = try stage.start(
            "plain",
            [
                "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
                "mount --bind '\(stage.directory)' '\(place)' && \(appending(place + "/f"))",
            ])
        XCTAssertEqual(try plain.awaitEnd(), 0)
        try presenter.expect("reacquire(fromWriter)", inside: true)
        XCTAssertEqual(stage.text(file), "old\nafter\n")
        XCTAssertTrue(try versions(file).contains("conflict"))
    }

    func testAFileThatIsOpenForWritingIsGuardedAfterwards() throws {
        let file = try stage.file("f", "old\n")
        let writer = try start("exec 3>>'\(file)'; echo open; read line; echo end >&3")
        try writer.expect("open")
        let presenter = try present(
            file, "--on", "savePresentedItemChanges", "touch '\(mark)'", awaiting: "guard off")
        XCTAssertTrue(presenter.lines.contains { $0.contains("open for writing") })
        writer.tell("go on")
        try presenter.expect("\"guard on\"", inside: true)
        try run(appending(file))
        XCTAssertEqual(stage.text(file), "old\nend\nafter\n")
    }

    func testCoordinatedWritersDoNotWaitAtALease() throws {
        let file = try stage.file("f", "old")
        let presenter = try present(file)
        for (option, text) in [("--in-place", "1"), ("--break-links", "2"), ("--in-place", "3")] {
            try untilLease(file)
            try run("printf \(text) | '\(Products.filecoord)' write \(option) '\(file)'")
            try presenter.expect("reacquire(fromWriter)", inside: true)
            XCTAssertEqual(stage.text(file), text)
        }
        // The presenter was not asked to save, as it is before a plain program writes.
        XCTAssertEqual(presenter.lines.count { $0.contains("savePresentedItemChanges") }, 0)
    }

    func testTheGuardFollowsAMoveAndAReplacement() throws {
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--on", "savePresentedItemChanges", "touch '\(mark)'")
        let moved = stage.path("moved")
        try run("mv '\(file)' '\(moved)'")
        try presenter.expect("presentedItemDidMove(to:)", inside: true)
        try untilLease(moved)
        try run(appending(moved))
        try presenter.expect("reacquire(fromWriter)", inside: true)
        XCTAssertEqual(stage.text(moved), "old\nafter\n")
        unlink(mark)
        let fresh = try stage.file("fresh", "new\n")
        try run("mv '\(fresh)' '\(moved)'")
        try untilLease(moved)
        try run(appending(moved))
        try presenter.expect("reacquire(fromWriter)", inside: true)
        XCTAssertEqual(stage.text(moved), "new\nafter\n")
    }

    /// Its bytes and the plain program's meet in one file, so its guard ends.
    func testASaverThatWritesInTheFileDoesNotWaitForItselfAndLosesItsGuard() throws {
        let file = try stage.file("f", "old\n")
        let presenter = try present(
            file, "--on", "savePresentedItemChanges", "printf saved >>\"$FILECOORD_PATH\"")
        try run("echo plain >>'\(file)'")
        try presenter.expect("reacquire(fromWriter)", inside: true)
        let text = try XCTUnwrap(stage.text(file))
        XCTAssertTrue(text.contains("plain") && text.contains("saved"), text)
        XCTAssertTrue(presenter.lines.contains { $0.contains("writes in the file instead") })
        XCTAssertTrue(presenter.lines.contains { $0.contains("! FileCoordination: the guard of") })
        // The next plain program does not wait, and the presenter is asked nothing.
        try run("echo plain >>'\(file)'")
        try presenter.expect("presentedItemDidChange", inside: true)
        XCTAssertEqual(presenter.lines.count { $0.contains("savePresentedItemChanges") }, 1)
    }

    //  presenter               plain program           another writer
    //  never answers
    //                          opens f, waits
    //                                                  writes g: granted at once
    //  is killed
    //                          goes on
    //
    func testAPendingBreakHoldsUpNeitherTheServerNorTheSurvivorsOfADeath() throws {
        let file = try stage.file("f", "old\n")
        let other = try stage.file("g")
        let presenter = try present(file, "--never-answer", "relinquishPresentedItem(toWriter:)")
        let plain = try start(appending(file))
        try untilLease(file, "BREAKING")
        try presenter.expect("relinquishPresentedItem(toWriter:)", inside: true)
        try run("printf 1 | '\(Products.filecoord)' write --timeout 20 '\(other)'")
        XCTAssertEqual(stage.text(other), "1")
        try run("'\(Products.filecoord)' status >/dev/null")
        XCTAssertEqual(stage.text(file), "old\n")
        presenter.end()
        XCTAssertEqual(try plain.awaitEnd(), 0)
        XCTAssertEqual(stage.text(file), "old\nbefore\n")
    }

    func testAPresenterThatNeverAnswersDelaysAPlainProgramByTheKernelsBound() throws {
        guard TestEnvironment.isLong else { throw XCTSkip("it takes the kernel's bound, 45 s") }
        let file = try stage.file("f", "old\n")
        let presenter = try present(file, "--never-answer", "savePresentedItemChanges")
        let bound = TimeInterval(stage.kernelText("/proc/sys/fs/lease-break-time").dropLast()) ?? 45
        XCTAssertEqual(try start(appending(file)).awaitEnd(within: bound + Program.patience), 0)
        XCTAssertEqual(stage.text(file), "old\nbefore\n")
        XCTAssertTrue(presenter.lines.contains { $0.contains("savePresentedItemChanges") })
    }

    func testAFileOfAnotherUserIsNotGuardedAndTheProgramIsTold() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can give a file to another user.")
        let setpriv = "/usr/bin/setpriv"
        try XCTSkipUnless(access(setpriv, X_OK) == 0, "setpriv is not installed")
        let file = try stage.file("f", "old\n")
        XCTAssertEqual(chown(file, 65534, 65534), 0)
        // Even root needs a capability for it.
        let presenter = try stage.start(
            "presenter",
            [
                setpriv, "--bounding-set", "-lease", "--inh-caps", "-lease", Products.filecoord,
                "present", "--json", "--guard", file,
            ])
        let line = try presenter.expect("guard off", inside: true)
        XCTAssertTrue(line.contains("another user's file"), line)
        try run(appending(file))
        XCTAssertEqual(stage.text(file), "old\nbefore\n")
    }

    func testTwoProcessesGuardOneFile() throws {
        let file = try stage.file("f", "old\n")
        let first = try present(file, "--on", "savePresentedItemChanges", "touch '\(mark)'")
        let second = try present(file, "--on", "savePresentedItemChanges", "touch '\(mark)2'")
        try run("\(appending(file)); test -e '\(mark)2' && echo both >&3")
        for presenter in [first, second] {
            try presenter.expect("reacquire(fromWriter)", inside: true)
        }
        XCTAssertEqual(stage.text(file), "old\nafter\nboth\n")
        XCTAssertEqual(try names().filter { $0.hasPrefix(".filecoord") }, [])
    }
}

final class GuardsWithADaemonTests: GuardTests {
    override class var serving: Serving { .daemon }

    func testADaemonServes() throws { try assertDaemonServes() }
}
