// SPDX-License-Identifier: Apache-2.0
//
// Read leases: who waits, and what the kernel refuses.

import Testing

@testable import FileCoordinationSystem

@Suite struct FileLeaseTests {
    @Test func `Only the processes that wait at this process's lease of the file are found`() {
        let text = """
            1: LEASE  BREAKING  UNLCK 9901 fe:00:162 0 EOF
            1: -> LEASE  BREAKER   WRITE 9942 <none>:0 0 EOF
            1:  -> LEASE  BREAKER   WRITE 9943 <none>:0 0 EOF
            2: LEASE  BREAKING  UNLCK 9902 fe:00:162 0 EOF
            2: -> LEASE  BREAKER   WRITE 9944 <none>:0 0 EOF
            3: OFDLCK ADVISORY  WRITE -1 fe:00:162 0 EOF

            """
        let bytes = Array(text.utf8)
        #expect(FileLease.waitingProcesses(in: bytes, holder: 9901, inode: 162) == [9942, 9943])
        #expect(FileLease.waitingProcesses(in: bytes, holder: 9901, inode: 62) == [])
        #expect(FileLease.waitingProcesses(in: [], holder: 1, inode: 1) == [])
    }

    @Test func `A directory gets no lease`() {
        #expect(throws: SystemError.self) { try FileLease(openingFileAt: Array("/tmp".utf8)) }
    }
}
