// SPDX-License-Identifier: Apache-2.0
//
// An open file description's handle, owned by an object: closed exactly once, when the last
// reference is gone.

internal import CFileCoordinationSystem

/// An owned file descriptor.
///
/// A program started by `exec` never inherits it, provided that it was opened by this room.
/// May be used from any thread. What forked children get is chosen when it is made.
public final class Descriptor: Sendable {
    /// What becomes of a descriptor in a forked child.
    public enum InForkedChild: Hashable, Sendable {
        /// The child shares the open file.
        case kept
        /// It is closed before `fork()` returns in the child (``ForkGuard``), where this object
        /// then owns nothing, and must not be used.
        case closed
    }

    /// The number.
    ///
    /// Valid for as long as this object lives.
    public let number: Int32
    /// The process in which a guarded descriptor is open; 0 if it is not guarded.
    private let guardedIn: UInt64

    /// Takes over an open descriptor, which no other code may close from now on.
    public init(adopting number: Int32, inForkedChild: InForkedChild = .kept) {
        precondition(number >= 0, "Not a descriptor: \(number)")
        self.number = number
        switch inForkedChild {
        case .kept:
            guardedIn = 0
        case .closed:
            ForkGuard.closeInChild(number)
            guardedIn = ForkGuard.processToken
        }
    }

    /// A descriptor that is good for nothing but being closed when there is no other left.
    public static func placeholder() throws(SystemError) -> Descriptor {
        try Directory.open("/").descriptor
    }

    deinit {
        if guardedIn != 0 {
            // In a forked child the number may belong to another descriptor by now.
            guard guardedIn == ForkGuard.processToken else { return }
            // Before it is closed, for the same reason.
            ForkGuard.keepInChild(number)
        }
        // What an error would tell comes too late to be of use to anybody.
        _ = fcs_close(number)
    }

    /// The status of the open file.
    public func status() throws(SystemError) -> FileStatus {
        var status = fcs_status()
        try check(fcs_status_of(number, &status), "read the status of descriptor \(number)")
        return FileStatus(status)
    }

    /// Reads at `offset`; returns how many bytes there were, 0 at the end of the file.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try check(fcs_read_at(number, buffer.baseAddress, buffer.count, offset), "read")
    }

    /// Writes all of `bytes` at `offset`.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try check(
                fcs_write_at(number, rest.baseAddress, rest.count, offset + UInt64(written)),
                "write")
        }
    }

    /// Waits until the file's contents are on the device.
    public func synchronize() throws(SystemError) {
        try check(fcs_synchronize(number), "fdatasync")
    }
}
