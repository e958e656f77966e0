// SPDX-License-Identifier: Apache-2.0
//
// A process held by a descriptor: it stays the same process, while numbers are used again.

internal import CFileCoordinationSystem

/// A process, possibly one that has ended.
///
/// May be used from any thread.
public final class ProcessHandle: Sendable {
    /// A descriptor that becomes readable when the process ends, for a ``Poller``.
    public let descriptor: Descriptor

    init(adopting number: Int32) { descriptor = Descriptor(adopting: number) }

    /// Takes hold of a process; ``ErrorNumber/noSuchProcess`` if there is none with that number.
    public init(processID: Int32) throws(SystemError) {
        descriptor = Descriptor(
            adopting: try check(fcs_process_open(processID), "open process \(processID)"))
    }

    /// Whether the process has ended, be it waited for or not.
    public var hasExited: Bool { fcs_is_readable_now(descriptor.number) > 0 }

    /// Whether no thread of the process will run any more: it has ended, or dumps core
    /// (``ProcessState/hasEnded(_:)``).
    ///
    /// Never looks at another process: the number is that of this very one.
    public var hasEnded: Bool {
        if hasExited { return true }
        guard let number = visibleNumber, ProcessState.isDumpingCore(number) else { return false }
        return visibleNumber == number
    }

    /// The number by which `/proc` has the process here; nil if it has ended, or lives in a
    /// namespace that is not seen from here.
    ///
    /// Not what other calls take for a number if `/proc` is that of another namespace.
    public var visibleNumber: Int32? {
        let text = KernelText.read("/proc/self/fdinfo/\(descriptor.number)") ?? []
        for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: "Pid:".utf8) {
            let digits = line.dropFirst(4).filter { $0 > UInt8(ascii: " ") }
            guard let number = Int32(String(decoding: digits, as: UTF8.self)) else { return nil }
            return number > 0 ? number : nil
        }
        return nil
    }

    /// Whether the process is stopped or frozen (``ProcessState``); false when it cannot be told.
    ///
    /// Never looks at another process: the number is that of this very one.
    public var isStopped: Bool {
        guard let number = visibleNumber, ProcessState.isStopped(number) else { return false }
        // It may have ended, and the number be another's.
        return visibleNumber == number
    }

    /// The namespace in which the process has its own number; nil if that cannot be told: it has
    /// ended, may not be looked at, or (before Linux 6.11) is not seen from here.
    public var namespace: UInt64? {
        var told: UInt64 = 0
        if fcs_process_namespace(descriptor.number, &told) == 0 { return told }
        guard let number = visibleNumber,
            let found = try? FileStatus(path: "/proc/\(number)/ns/pid").inode,
            visibleNumber == number
        else { return nil }
        return found
    }

    /// Sends a signal; 0 only checks.
    ///
    /// ``ErrorNumber/noSuchProcess`` if it has ended.
    public func kill(signal: Int32) throws(SystemError) {
        try check(
            fcs_process_kill(descriptor.number, signal), "send signal \(signal) to a process")
    }
}
