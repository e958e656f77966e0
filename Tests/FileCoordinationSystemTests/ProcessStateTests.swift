// SPDX-License-Identifier: Apache-2.0
//
// What a text of `/proc/PID/status` says of the process's memory. LingeringDeathTests has processes
// that dump core, and dying ones.

import Testing

@testable import FileCoordinationSystem

@Suite struct ProcessStateTests {
    private func memory(_ text: String) -> ProcessState.Memory {
        ProcessState.memory(Array(text.utf8))
    }

    @Test(arguments: [
        "Name:\ta\nState:\tD (disk sleep)\nCoreDumping:\t1\nTHP_enabled:\t1\n",
        "Name:\ta\nCoreDumping:\t1\nTHP_enabled:\t0\n",
        // At the end, with and without the end of the line.
        "Name:\ta\nCoreDumping:\t1\n", "Name:\ta\nCoreDumping:\t1", "CoreDumping:\t1",
    ])
    func `A core dump is found`(text: String) { #expect(memory(text) == .dumped) }

    @Test(arguments: [
        "Name:\ta\nThreads:\t1\nCoreDumping:\t0\nTHP_enabled:\t1\n",
        "Name:\ta\nCoreDumping:\t0\n", "Name:\ta\nCoreDumping:\t0", "CoreDumping:\t",
    ])
    func `A process that dumps no core has its memory`(text: String) {
        #expect(memory(text) == .usable)
    }

    // Kernels before 4.15 do not have the line at all.
    @Test(arguments: ["Name:\ta\nThreads:\t1\nSigQ:\t1/1\n", ""])
    func `Without the line, there is no memory`(text: String) { #expect(memory(text) == .released) }

    /// The kernel writes a newline of the name as a backslash and an `n`.
    @Test(arguments: ["CoreDumping:\t1", "CoreDumping: 1", "\\nCoreDumping:\t1"])
    func `The name of a program does not count`(name: String) {
        #expect(memory("Name:\t\(name)\nThreads:\t1\nCoreDumping:\t0\n") == .usable)
        #expect(memory("Name:\t\(name)\nThreads:\t1\n") == .released)
        #expect(memory("Name:\t\(name)\nThreads:\t1\nCoreDumping:\t1\n") == .dumped)
    }

    @Test func `This process has its memory and dumps no core`() {
        for process in [CurrentProcess.id, 0] {
            #expect(!ProcessState.isDumpingCore(process))
            #expect(!ProcessState.hasNoMemory(process))
        }
    }
}
