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

    /// Whether no thread of the process will run again: it has ended, is dumping core or has no
    /// memory any more; false if that cannot be determined.
    ///
    /// Its sockets and its locks on mapped files can exist for long after that: while the kernel
    /// writes the core dump or closes an inotify instance, or while a child between fork and exec
    /// shares the memory.
    public static func hasEnded(_ processID: Int32) -> Bool {
        guard processID > 0 else { return false }
        do {
            return try ProcessHandle(processID: processID).hasEnded
        } catch {
            return error.code == ErrorNumber.noSuchProcess
        }
    }

    /// The memory of a process or thread, according to `/proc/PID/status`.
    enum Memory: Hashable {
        /// Code can run in it.
        case usable
        /// The kernel is writing it to a core file or handler.
        case dumped
        /// There is none: the process or thread ends.
        case released
    }

    /// Whether the kernel is writing the process's memory to a core file or handler, or has
    /// released it; false if that cannot be determined.
    ///
    /// To close an inotify instance, the kernel waits for some 15 ms, and it closes the other files
    /// of a dying process one after the other, and at last those that were mapped.
    public static func isEnding(_ processID: Int32) -> Bool {
        guard processID > 0 else { return false }
        switch memory(of: "/proc/\(processID)") {
        case .dumped: return true
        case .usable, nil: return false
        case .released: break
        }
        // The first thread of a running process may have ended before the others.
        let tasks = "/proc/\(processID)/task"
        // If the threads are not listed, nothing is known of them.
        guard showsMemory, let threads = try? Directory.open(tasks).names() else { return false }
        return threads.allSatisfy { memory(of: "\(tasks)/\($0)") ?? .released == .released }
    }

    /// Whether the kernel shows which processes have memory; those before 4.15 do not.
    private static let showsMemory = memory(of: "/proc/self") == .usable

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
