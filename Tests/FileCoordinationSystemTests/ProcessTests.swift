// SPDX-License-Identifier: Apache-2.0
//
// Other processes, and daemons that leave no trace in the one that starts them.

import FileCoordinationSystem
import Glibc
import Synchronization
import XCTest

private let childSignals = Atomic(0)

final class ProcessTests: XCTestCase {
    func testAHandleFollowsItsProcess() throws {
        let go = try TestPipe()
        let child = Child {
            _ = go.next()
            return 0
        }
        let handle = try ProcessHandle(processID: child.id)
        XCTAssertFalse(handle.hasExited)
        try handle.kill(signal: 0)
        try handle.kill(signal: SIGKILL)
        XCTAssertEqual(child.wait(), -SIGKILL)
        XCTAssertTrue(handle.hasExited)
        XCTAssertEqual(
            systemError { try handle.kill(signal: SIGTERM) }?.code, ErrorNumber.noSuchProcess)
        XCTAssertNotNil(systemError { try ProcessHandle(processID: child.id) })
        XCTAssertNotNil(systemError { try ProcessHandle(processID: -1) })
    }

    func testAHandleTellsWhetherItsProcessIsStopped() throws {
        let own = try ProcessHandle(processID: getpid())
        XCTAssertEqual(own.visibleNumber, getpid())
        XCTAssertFalse(own.isStopped)
        XCTAssertNotEqual(CurrentProcess.processNamespace, 0)
        XCTAssertEqual(own.namespace, CurrentProcess.processNamespace)
        let go = try TestPipe()
        let child = Child {
            _ = go.next()
            return 0
        }
        let handle = try ProcessHandle(processID: child.id)
        XCTAssertEqual(handle.visibleNumber, child.id)
        XCTAssertFalse(handle.isStopped)
        try handle.kill(signal: SIGSTOP)
        var status: Int32 = 0
        XCTAssertEqual(waitpid(child.id, &status, WUNTRACED), child.id)
        XCTAssertTrue(handle.isStopped)
        try handle.kill(signal: SIGKILL)
        XCTAssertEqual(child.wait(), -SIGKILL)
        XCTAssertNil(handle.visibleNumber)
        XCTAssertFalse(handle.isStopped)
        XCTAssertNil(handle.namespace)
    }

    /// The first thread's state says that it has ended, and the process goes on.
    func testAStoppedProcessWhoseFirstThreadHasEndedIsStopped() throws {
        try XCTSkipIf(
            ProcessInfo.processInfo.environment["FILECOORDINATION_SANITIZER"] == "thread",
            "The thread sanitizer lets no child of a program with threads start any")
        let child = Child {
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
            guard result == 0 else { return 1 }
            pthread_exit(nil)
        }
        let handle = try ProcessHandle(processID: child.id)
        let limit = MonotonicClock.after(.seconds(60))
        while !isFirstThreadOver(child.id), MonotonicClock.now < limit { sched_yield() }
        XCTAssertTrue(isFirstThreadOver(child.id))
        XCTAssertFalse(ProcessState.isStopped(child.id))
        try handle.kill(signal: SIGSTOP)
        var status: Int32 = 0
        XCTAssertEqual(waitpid(child.id, &status, WUNTRACED), child.id)
        XCTAssertTrue(ProcessState.isStopped(child.id))
        XCTAssertFalse(ProcessState.hasEnded(child.id))
        try handle.kill(signal: SIGKILL)
        XCTAssertEqual(child.wait(), -SIGKILL)
        XCTAssertFalse(ProcessState.isStopped(child.id))
    }

    private func isFirstThreadOver(_ process: pid_t) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.contains(") Z ") == true
    }

    func testTheUserHasTheSameNumberOutsideWhereAllHave() throws {
        try XCTSkipIf(CurrentProcess.missesUsers, "This is a user namespace of its own.")
        XCTAssertEqual(CurrentProcess.outerUserID, geteuid())
    }

    func testTheCurrentProcessKnowsItself() throws {
        XCTAssertEqual(CurrentProcess.id, getpid())
        XCTAssertEqual(CurrentProcess.userID, getuid())
        XCTAssertFalse(CurrentProcess.hasBorrowedRights)
        let path = try XCTUnwrap(CurrentProcess.executablePath)
        XCTAssertEqual(path.first, "/")
        XCTAssertTrue(path.hasSuffix("/" + CurrentProcess.name))
    }

    /// Runs a shell as a daemon, and returns what it writes to descriptor 3.
    private static func daemon(_ script: String, environment: [String] = []) throws -> String {
        var pipe = try TestPipe()
        try DetachedProcess.start(
            executable: "/bin/sh", arguments: ["-c", script], environment: environment,
            inheriting: pipe.writer)
        pipe.closeWriter()
        return pipe.all()
    }

    func testADaemonHasItsOwnSessionAndNothingOfOurs() throws {
        let extra = try TestPipe()
        _ = fcntl(extra.reader.number, F_SETFD, 0)
        // Builtins only: for a child the shell opens descriptors and blocks signals of its own
        // accord.
        let script = """
            open= null= n=0
            while [ $n -lt 256 ]; do
                [ -e /proc/$$/fd/$n ] && open="$open $n"
                [ /proc/$$/fd/$n -ef /dev/null ] && null="$null $n"
                n=$((n + 1))
            done
            read -r stat < /proc/$$/stat; echo "$stat" >&3
            pwd -P >&3
            echo "open$open, null$null" >&3
            while read -r line; do
                case "$line" in Sig*) echo "$line" >&3; esac
            done < /proc/$$/status
            echo "$COLOUR" >&3
            """
        signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, SIG_DFL) }
        let report = try Self.daemon(script, environment: ["PATH=/usr/bin:/bin", "COLOUR=red"])
        let lines = report.split(separator: "\n").map(String.init)
        let stat = lines[0].split(separator: " ")
        XCTAssertEqual(stat[5], stat[0], "It leads its own session")
        XCTAssertNotEqual(stat[3], "\(getpid())", "It is not our child")
        XCTAssertEqual(lines[1], "/")
        XCTAssertEqual(lines[2], "open 0 1 2 3, null 0 1 2")
        XCTAssertTrue(lines.contains("SigBlk:\t0000000000000000"), report)
        XCTAssertTrue(lines.contains("SigIgn:\t0000000000000000"), report)
        XCTAssertTrue(lines.contains("red"))
        withExtendedLifetime(extra) {}
    }

    /// Waits until the children that other tests have killed are gone.
    private func awaitEndOfOtherChildren() throws {
        let deadline = MonotonicClock.after(.seconds(60))
        var status = siginfo_t()
        // ECHILD: there is none. One that has ended stays until its test has taken its status.
        while waitid(P_ALL, 0, &status, WEXITED | WNOHANG | WNOWAIT) == 0 {
            try XCTSkipIf(MonotonicClock.now > deadline, "A child of another test stays")
            sched_yield()
        }
    }

    func testTheProgramHasNoChildAndGetsNoSignal() throws {
        try awaitEndOfOtherChildren()
        signal(SIGCHLD) { _ in childSignals.add(1, ordering: .relaxed) }
        defer { signal(SIGCHLD, SIG_DFL) }
        let before = childSignals.load(ordering: .relaxed)
        XCTAssertEqual(try Self.daemon("echo done >&3"), "done\n")
        XCTAssertEqual(childSignals.load(ordering: .relaxed), before)
        var status: Int32 = 0
        XCTAssertEqual(waitpid(-1, &status, WNOHANG), -1)
        XCTAssertEqual(errno, ECHILD)
        XCTAssertEqual(waitpid(-1, &status, WNOHANG | Int32(bitPattern: 0x4000_0000)), -1)
        XCTAssertEqual(errno, ECHILD, "nor one that only __WALL shows")
    }

    func testAnIgnoredChildSignalChangesNothing() throws {
        signal(SIGCHLD, SIG_IGN)
        defer { signal(SIGCHLD, SIG_DFL) }
        XCTAssertEqual(try Self.daemon("echo done >&3"), "done\n")
    }

    func testWhyAProgramCouldNotBeStartedIsReported() throws {
        let scratch = try Scratch()
        _ = try scratch.file("no-program")
        let absent = systemError { try DetachedProcess.start(executable: "/no/such/program") }
        XCTAssertEqual(absent?.code, ErrorNumber.noSuchFile)
        XCTAssertEqual(absent?.operation, "start \"/no/such/program\"")
        let refused = systemError {
            try DetachedProcess.start(executable: scratch.path + "/no-program")
        }
        XCTAssertEqual(refused?.code, ErrorNumber.accessDenied)
        let zero = systemError {
            try DetachedProcess.start(executable: "/bin/sh", arguments: ["a\0b"])
        }
        XCTAssertEqual(zero?.code, ErrorNumber.invalidArgument)
    }

    func testManyThreadsStartDaemonsAtOnce() throws {
        let done = Monitor<[String]>([])
        for number in 0..<8 {
            try DetachedThread.start(name: "starter") {
                let result = (try? Self.daemon("echo \(number) >&3")) ?? "failed"
                done.withLock { $0.append(result) }
                done.notifyAll()
            }
        }
        XCTAssertTrue(done.wait { $0.count == 8 })
        XCTAssertEqual(done.withLock { $0.sorted() }, (0..<8).map { "\($0)\n" })
    }
}
