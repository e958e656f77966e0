// SPDX-License-Identifier: Apache-2.0
//
// Children that die with the process that started them. XCTest, because it starts them from one
// thread.

import FileCoordinationSystem
import Glibc
import XCTest

final class DependentProcessTests: XCTestCase {
    /// A null-terminated list of copies, freed with this object.
    private final class List {
        let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        private let count: Int

        init(_ strings: [String?]) {
            count = strings.count
            pointer = .allocate(capacity: count + 1)
            pointer.initialize(repeating: nil, count: count + 1)
            for (index, string) in strings.enumerated() {
                pointer[index] = string.flatMap { strdup($0) }
            }
        }

        deinit {
            for index in 0..<count { free(pointer[index]) }
            pointer.deallocate()
        }
    }

    /// Starts one of the candidates with a mask that blocks only USR2.
    private func start(_ candidates: [String], _ words: [String]) -> DependentProcess.Start {
        let (candidates, list) = (List(candidates), List(words))
        let shell = List(["/bin/sh", nil] + Array(words.dropFirst()))
        let environment = List(["A=b"])
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGUSR2)
        return withExtendedLifetime((candidates, list, shell, environment)) {
            let start = DependentProcess.start(
                candidates: candidates.pointer, words: list.pointer, shellWords: shell.pointer,
                environment: environment.pointer, mask: mask)
            XCTAssertNil(shell.pointer[1], "It belongs to the other list")
            return start
        }
    }

    private func status(of child: Int32?) throws -> Int32 {
        var status: Int32 = 0
        XCTAssertEqual(waitpid(try XCTUnwrap(child), &status, 0), child)
        return status
    }

    func testAChildHasItsWordsItsVariablesItsMaskAndNoHandler() throws {
        // A handler of ours, and a signal that is ignored.
        let formerHandler = signal(SIGUSR1) { _ in }
        let formerIgnored = signal(SIGTTOU, SIG_IGN)
        defer {
            signal(SIGUSR1, formerHandler)
            signal(SIGTTOU, formerIgnored)
        }
        let script = """
            [ "$A$1" = bc ] || exit 1
            while read -r name value; do
                case $name in
                SigBlk:) [ $((0x$value & 0xfff)) -eq $((1 << 11)) ] || exit 2 ;;
                SigIgn:) [ $((0x$value >> 21 & 1)) -eq 1 ] || exit 3 ;;
                SigCgt:) [ $((0x$value >> 9 & 1)) -eq 0 ] || exit 4 ;;
                esac
            done </proc/$$/status
            exit 7
            """
        let start = start(["/no/such/program", "/bin/sh"], ["sh", "-c", script, "sh", "c"])
        XCTAssertNil(start.error)
        XCTAssertEqual(try status(of: start.processID), 7 << 8)
    }

    func testAScriptThatDoesNotSayWhatRunsItIsRunByTheShell() throws {
        let scratch = try Scratch()
        let script = Array("exit $1\n".utf8)
        let file = try scratch.directory.openFile("s", [.write, .create], mode: 0o700)
        try script.withUnsafeBytes { try file.write($0, at: 0) }
        let path = scratch.path + "/t"
        // Not the file that is open for writing: that cannot be run.
        let copying = start(["/bin/cp"], ["cp", scratch.path + "/s", path])
        XCTAssertEqual(try status(of: copying.processID), 0)
        let start = start([path], ["t", "5"])
        XCTAssertNil(start.error)
        XCTAssertEqual(try status(of: start.processID), 5 << 8)
    }

    func testAChildThatCannotBecomeAProgramSaysWhyAndIsReaped() throws {
        let scratch = try Scratch()
        _ = try scratch.file("plain")
        for (candidates, error) in [
            (["/no/such/program"], ENOENT), ([scratch.path + "/plain", "/no/such"], EACCES),
            ([scratch.path + "/plain/below"], ENOENT),
        ] {
            let start = start(candidates, ["p"])
            XCTAssertEqual(start.error, error, "\(candidates)")
            XCTAssertEqual(try status(of: start.processID), 126 << 8)
        }
    }
}
