// SPDX-License-Identifier: Apache-2.0
//
// The kernel's information about the states of processes.

/// Queries about other processes.
public enum ProcessState {
    /// Whether the process is stopped by a signal or debugger, or frozen with its control group;
    /// false if that cannot be determined.
    public static func isStopped(_ processID: Int32) -> Bool {
        guard let letter = stateLetter(of: processID) else { return false }
        if letter == UInt8(ascii: "T") || letter == UInt8(ascii: "t") { return true }
        return ControlGroup.isFrozen(processID)
    }

    /// Whether no thread of the process will run again: it has ended or is dumping core; false if
    /// that cannot be determined.
    ///
    /// Its memory can exist for long after that, with the locks on mapped files: while the kernel
    /// writes the core dump, or while a child between fork and exec shares the memory.
    public static func hasEnded(_ processID: Int32) -> Bool {
        guard processID > 0 else { return false }
        do {
            return try ProcessHandle(processID: processID).hasEnded
        } catch {
            return error.code == ErrorNumber.noSuchProcess
        }
    }

    /// Whether the kernel is writing the process's memory to a core file or handler; false if that
    /// cannot be determined.
    public static func isDumpingCore(_ processID: Int32) -> Bool {
        processID > 0 && memory(of: "/proc/\(processID)") == .dumped
    }

    /// Whether the kernel has taken the memory from all threads of a process, so that none will run
    /// again; false if that cannot be determined.
    ///
    /// The kernel then closes the process's files, the last ones first, and last of all those that
    /// were mapped. For each inotify instance it waits for some 15 ms. Writes that the process has
    /// left to the kernel may go on, so this is not the end of the process's claims.
    public static func hasNoMemory(_ processID: Int32) -> Bool {
        guard processID > 0, memory(of: "/proc/\(processID)") == .released, showsMemory else {
            return false
        }
        // The first thread of a running process may have ended before the others. A thread that has
        // gone may have started another one before, and a list may be cut short at it. So two lists
        // must be equal, and all their threads must be read.
        guard let threads = threadsWithoutMemory(of: processID) else { return false }
        return threadsWithoutMemory(of: processID) == threads
    }

    /// Returns the threads of a process if all of them can be read and none has memory.
    private static func threadsWithoutMemory(of processID: Int32) -> Set<String>? {
        let tasks = "/proc/\(processID)/task"
        // Nothing is known of the threads of a process that has gone, or may not be examined.
        guard let threads = try? Directory.open(tasks).names(),
            threads.allSatisfy({ memory(of: "\(tasks)/\($0)") == .released })
        else { return nil }
        return Set(threads)
    }

    /// Whether the kernel shows which processes have memory; those before 4.15 do not.
    private static var showsMemory: Bool { memory(of: "/proc/thread-self") == .usable }

    /// The memory of a process or thread, according to its file `status`.
    enum Memory: Hashable {
        /// Code can run in it.
        case usable
        /// The kernel is writing it to a core file or handler.
        case dumped
        /// There is none: the process or thread ends.
        case released
    }

    /// Returns nil if there is no such process or thread, or it may not be examined.
    private static func memory(of directory: String) -> Memory? {
        KernelText.readAll("\(directory)/status").map { memory($0) }
    }

    /// Returns what a text in the format of `/proc/PID/status` says of the memory.
    static func memory(_ text: [UInt8]) -> Memory {
        let name = Array("CoreDumping:".utf8)
        // The program's name comes before, with newlines escaped. The line is left out if there is
        // no memory.
        let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name) }
        guard let line else { return .released }
        return line.dropFirst(name.count).contains(UInt8(ascii: "1")) ? .dumped : .usable
    }

    /// Whether a process is this one, or a child of it, or a child of such a child.
    public static func isOwnOrDescendant(_ processID: Int32) -> Bool {
        var process = processID
        // The depth is bounded, because processes come and go meanwhile.
        for _ in 0..<64 {
            if process == CurrentProcess.id { return true }
            guard process > 1, let parent = parent(of: process) else { return false }
            process = parent
        }
        return false
    }

    /// The process that started a process, or that has taken it over: the fourth field of
    /// `/proc/PID/stat`; nil if it cannot be read.
    public static func parent(of processID: Int32) -> Int32? {
        guard let text = KernelText.read("/proc/\(processID)/stat"),
            let bracket = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = text[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > 1 ? Int32(String(decoding: fields[1], as: UTF8.self)) : nil
    }

    /// The state of a process: that of its first thread or, if that has ended, of the next one.
    private static func stateLetter(of processID: Int32) -> UInt8? {
        guard processID > 0, let letter = stateLetter(at: "/proc/\(processID)") else { return nil }
        guard isOver(letter) else { return letter }
        let tasks = "/proc/\(processID)/task"
        // Without a list of its threads, the process counts as ended.
        let threads = (try? Directory.open(tasks).names()) ?? []
        return threads.lazy.compactMap { stateLetter(at: "\(tasks)/\($0)") }
            .first { !isOver($0) } ?? letter
    }

    /// Whether a thread in this state has ended.
    private static func isOver(_ letter: UInt8) -> Bool {
        letter == UInt8(ascii: "Z") || letter == UInt8(ascii: "X")
    }

    /// The third field of the file `stat` in a directory of `/proc`.
    ///
    /// The second is a name in parentheses that may contain anything.
    private static func stateLetter(at directory: String) -> UInt8? {
        guard let text = KernelText.read("\(directory)/stat"),
            let bracket = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let index = bracket + 2
        return index < text.count ? text[index] : nil
    }
}
