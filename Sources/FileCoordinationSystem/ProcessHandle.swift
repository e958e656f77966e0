// SPDX-License-Identifier: Apache-2.0
//
// A process that is referenced by a descriptor (pidfd), which becomes readable when the process has
// ended. It remains the same process, while process IDs are reused.

internal import CFileCoordinationSystem

/// A process, which may have ended.
///
/// May be used from any thread.
public final class ProcessHandle: Sendable {
    /// A descriptor that becomes readable when the process ends, for a ``Poller``.
    public let descriptor: Descriptor

    init(adopting number: Int32) { descriptor = Descriptor(adopting: number) }

    /// Opens a process; throws ``ErrorNumber/noSuchProcess`` if no process has this ID.
    public init(processID: Int32) throws(SystemError) {
        descriptor = Descriptor(
            adopting: try check(fcs_process_open(processID), "open process \(processID)"))
    }

    /// Whether the process has ended, even if its parent has not waited for it yet.
    public var hasExited: Bool { fcs_is_readable_now(descriptor.number) > 0 }

    /// Whether no thread of the process will run again: it has ended or is dumping core
    /// (``ProcessState/hasEnded(_:)``).
    ///
    /// Never examines another process, because the ID comes from this descriptor.
    public var hasEnded: Bool {
        if hasExited { return true }
        guard let number = visibleNumber, ProcessState.isDumpingCore(number) else { return false }
        return visibleNumber == number
    }

    /// Whether the process has no memory any more (``ProcessState/hasNoMemory(_:)``).
    ///
    /// Never examines another process, because the ID comes from this descriptor.
    public var hasNoMemory: Bool {
        guard let number = visibleNumber, ProcessState.hasNoMemory(number) else { return false }
        return visibleNumber == number
    }

    /// The process ID in this process's `/proc`; nil if the process has ended or is in a PID
    /// namespace that this process cannot see.
    ///
    /// If `/proc` belongs to another PID namespace, system calls do not accept this ID.
    public var visibleNumber: Int32? {
        let text = KernelText.read("/proc/thread-self/fdinfo/\(descriptor.number)") ?? []
        for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: "Pid:".utf8) {
            let digits = line.dropFirst(4).filter { $0 > UInt8(ascii: " ") }
            guard let number = Int32(String(decoding: digits, as: UTF8.self)) else { return nil }
            return number > 0 ? number : nil
        }
        return nil
    }

    /// Whether the process is stopped or frozen (``ProcessState``); false if that cannot be
    /// determined.
    ///
    /// Never examines another process, because the ID comes from this descriptor.
    public var isStopped: Bool {
        guard let number = visibleNumber, ProcessState.isStopped(number) else { return false }
        // The process may have ended, and its ID may have been reused.
        return visibleNumber == number
    }

    /// The PID namespace of the process; nil if that cannot be determined, because the process has
    /// ended, may not be examined, or (before Linux 6.11) is not visible.
    public var namespace: UInt64? {
        var told: UInt64 = 0
        if unsafe fcs_process_namespace(descriptor.number, &told) == 0 { return told }
        guard let number = visibleNumber,
            // Another user's process, or one that has ended: its namespace is not known.
            let found = try? FileStatus(path: "/proc/\(number)/ns/pid").inode,
            visibleNumber == number
        else { return nil }
        return found
    }

    /// Sends a signal.
    ///
    /// With 0, none is sent, and only whether the process exists is checked.
    ///
    /// - Throws: ``ErrorNumber/noSuchProcess`` if the process has ended.
    public func kill(signal: Int32) throws(SystemError) {
        try check(
            fcs_process_kill(descriptor.number, signal), "send signal \(signal) to a process")
    }
}
