// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says a process is doing.

import Glibc

/// Questions about other processes.
public enum ProcessState {
    /// Whether the process is stopped, by a signal or by a debugger; false when it cannot be told.
    public static func isStopped(_ processID: Int32) -> Bool {
        guard let letter = stateLetter(of: processID) else { return false }
        return letter == UInt8(ascii: "T") || letter == UInt8(ascii: "t")
    }

    /// The third field of `/proc/PID/stat`; the second is a name in brackets that may hold
    /// anything.
    private static func stateLetter(of processID: Int32) -> UInt8? {
        guard processID > 0 else { return nil }
        let number = open("/proc/\(processID)/stat", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(number, &buffer, buffer.count)
        guard count > 0, let bracket = buffer[..<count].lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        let index = bracket + 2
        return index < count ? buffer[index] : nil
    }
}
