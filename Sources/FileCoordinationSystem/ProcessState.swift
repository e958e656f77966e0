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

    /// Whether no thread of the process will run any more: it has ended, or dumps core; false when
    /// it cannot be told.
    ///
    /// Its memory can stay for long, with the locks on what is mapped there: for as long as the
    /// core is written, or as a half-made child shares it.
    public static func hasEnded(_ processID: Int32) -> Bool {
        guard processID > 0 else { return false }
        do {
            return try ProcessHandle(processID: processID).hasEnded
        } catch {
            return error.code == ErrorNumber.noSuchProcess
        }
    }

    /// Whether the process is writing its memory to a core file, or a core handler reads it; false
    /// when it cannot be told.
    public static func isDumpingCore(_ processID: Int32) -> Bool {
        guard processID > 0, let text = KernelText.readAll("/proc/\(processID)/status") else {
            return false
        }
        return saysDumpingCore(text)
    }

    /// Whether that is what a text of the form of `/proc/PID/status` says.
    static func saysDumpingCore(_ text: [UInt8]) -> Bool {
        let name = Array("CoreDumping:".utf8)
        // The program's name comes before; what is no letter of it is escaped.
        return text.split(separator: UInt8(ascii: "\n")).contains { line in
            line.starts(with: name)
                && line.dropFirst(name.count).contains(UInt8(ascii: "1"))
        }
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
