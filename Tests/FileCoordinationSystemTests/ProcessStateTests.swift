// SPDX-License-Identifier: Apache-2.0
//
// Whether a text of `/proc/PID/status` says that the kernel writes a core dump. LingeringDeathTests
// has processes that do.

import Testing

@testable import FileCoordinationSystem

@Suite struct ProcessStateTests {
    private func saysDumpingCore(_ text: String) -> Bool {
        ProcessState.saysDumpingCore(Array(text.utf8))
    }

    @Test(arguments: [
        "Name:\ta\nState:\tD (disk sleep)\nCoreDumping:\t1\nTHP_enabled:\t1\n",
        "Name:\ta\nCoreDumping:\t1\nTHP_enabled:\t0\n",
        // At the end, with and without the end of the line.
        "Name:\ta\nCoreDumping:\t1\n", "Name:\ta\nCoreDumping:\t1", "CoreDumping:\t1",
    ])
    func `A core dump is found`(text: String) { #expect(saysDumpingCore(text)) }

    @Test(arguments: [
        "Name:\ta\nThreads:\t1\nCoreDumping:\t0\nTHP_enabled:\t1\n",
        "Name:\ta\nCoreDumping:\t0\n", "Name:\ta\nCoreDumping:\t0", "CoreDumping:\t",
        // Kernels before 4.15 do not have the line.
        "Name:\ta\nThreads:\t1\nSigQ:\t1/1\n", "",
    ])
    func `A process that dumps no core is none`(text: String) { #expect(!saysDumpingCore(text)) }

    /// The kernel writes a newline of the name as a backslash and an `n`.
    @Test(arguments: ["CoreDumping:\t1", "CoreDumping: 1", "\\nCoreDumping:\t1"])
    func `The name of a program does not count`(name: String) {
        #expect(!saysDumpingCore("Name:\t\(name)\nThreads:\t1\nCoreDumping:\t0\n"))
        #expect(!saysDumpingCore("Name:\t\(name)\nThreads:\t1\n"))
        #expect(saysDumpingCore("Name:\t\(name)\nThreads:\t1\nCoreDumping:\t1\n"))
    }

    @Test func `This process dumps no core`() {
        #expect(!ProcessState.isDumpingCore(CurrentProcess.id))
        #expect(!ProcessState.isDumpingCore(0))
    }
}
