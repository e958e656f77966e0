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

    /// Sends a signal; 0 only checks.
    ///
    /// ``ErrorNumber/noSuchProcess`` if it has ended.
    public func kill(signal: Int32) throws(SystemError) {
        try check(
            fcs_process_kill(descriptor.number, signal), "send signal \(signal) to a process")
    }
}
