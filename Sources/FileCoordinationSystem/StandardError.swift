// SPDX-License-Identifier: Apache-2.0
//
// Prints messages inside a program of another author, which must not end because of that.

internal import CFileCoordinationSystem

/// The standard error output of the process.
public enum StandardError {
    /// Writes the bytes.
    ///
    /// If a write fails, the rest is discarded, and no SIGPIPE or SIGXFSZ ends the process.
    public static func write(_ bytes: [UInt8]) { write(bytes, to: 2) }

    /// Writes the bytes to a log instead, in the same way; in one call, if possible.
    public static func write(_ bytes: [UInt8], to log: Int32) {
        unsafe bytes.withUnsafeBytes { buffer in
            var rest = unsafe buffer[...]
            while unsafe !rest.isEmpty {
                let slice = unsafe UnsafeRawBufferPointer(rebasing: rest)
                let count = unsafe fcs_write(log, slice.baseAddress, slice.count)
                guard count > 0 else { return }
                unsafe rest = rest.dropFirst(count)
            }
        }
    }
}
