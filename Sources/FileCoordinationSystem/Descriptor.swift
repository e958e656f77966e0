// SPDX-License-Identifier: Apache-2.0
//
// An owned file descriptor. It is closed exactly once, when the last reference is released.

internal import CFileCoordinationSystem

/// An owned file descriptor.
///
/// Descriptors opened by this target are not inherited by `exec`. Each descriptor defines whether
/// forked children keep it. May be used from any thread.
public final class Descriptor: Sendable {
    /// What happens to a descriptor in a forked child.
    public enum InForkedChild: Hashable, Sendable {
        /// The child shares the open file.
        case kept
        /// It is closed before `fork()` returns in the child (``ForkGuard``).
        ///
        /// In the child this object owns nothing and must not be used.
        case closed
    }

    /// The number of the descriptor.
    ///
    /// Valid as long as this object exists.
    public let number: Int32
    /// The process that a guarded descriptor belongs to; 0 if it is not guarded.
    private let guardedIn: UInt64

    /// Takes ownership of an open descriptor, which no other code may close from now on.
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

    /// Opens a descriptor that serves only as a reserve, to be closed when no other is left.
    public static func placeholder() throws(SystemError) -> Descriptor {
        try Directory.open("/").descriptor
    }

    deinit {
        if guardedIn != 0 {
            // In a forked child, the number may stand for another descriptor now.
            guard guardedIn == ForkGuard.processToken else { return }
            // Done before closing, because the number may be reused at once.
            ForkGuard.keepInChild(number)
        }
        // Errors of close are ignored, because the caller cannot react to them.
        _ = fcs_close(number)
    }

    /// Returns the status of the open file.
    public func status() throws(SystemError) -> FileStatus {
        var status = fcs_status()
        try unsafe check(fcs_status_of(number, &status), "read the status of descriptor \(number)")
        return FileStatus(status)
    }

    /// Reads at `offset`.
    ///
    /// Returns the number of bytes; 0 at the end of the file.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try unsafe check(fcs_read_at(number, buffer.baseAddress, buffer.count, offset), "read")
    }

    /// Reads the whole file.
    ///
    /// - Parameter limit: the most bytes.
    /// - Returns: the contents.
    /// - Throws: ``ErrorNumber/tooLarge`` if there are more.
    public func contents(limit: Int = .max) throws(SystemError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var contents: [UInt8] = []
        while true {
            let count = try unsafe read(into: buffer, at: UInt64(contents.count))
            guard count > 0 else { return contents }
            unsafe contents += buffer[..<count]
            guard contents.count <= limit else {
                throw SystemError(code: ErrorNumber.tooLarge, operation: "read")
            }
        }
    }

    /// Writes all of `bytes` at offset 0.
    public func write(contents bytes: [UInt8]) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        defer { unsafe buffer.deallocate() }
        unsafe buffer.copyBytes(from: bytes)
        try unsafe write(UnsafeRawBufferPointer(buffer), at: 0)
    }

    /// Writes all of `bytes` at `offset`.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            unsafe written += try check(
                fcs_write_at(number, rest.baseAddress, rest.count, offset + UInt64(written)),
                "write")
        }
    }

    /// Waits until the file's contents are on the device.
    public func synchronize() throws(SystemError) {
        try check(fcs_synchronize(number), "fdatasync")
    }
}
