// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says a process is doing.

/// Questions about other processes.
public enum ProcessState {
    /// Whether the process is stopped, by a signal, by a debugger, or frozen with its cgroup; false
    /// when it cannot be told.
    public static func isStopped(_ processID: Int32) -> Bool {
        guard let letter = stateLetter(of: processID) else { return false }
        if letter == UInt8(ascii: "T") || letter == UInt8(ascii: "t") { return true }
        return ControlGroup.isFrozen(processID)
    }

    /// The third field of `/proc/PID/stat`; the second is a name in brackets that may hold
    /// anything.
    private static func stateLetter(of processID: Int32) -> UInt8? {
        guard processID > 0, let text = KernelText.read("/proc/\(processID)/stat"),
            let bracket = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let index = bracket + 2
        return index < text.count ? text[index] : nil
    }
}
