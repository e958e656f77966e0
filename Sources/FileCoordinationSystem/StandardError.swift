// SPDX-License-Identifier: Apache-2.0
//
// Prints messages inside a program of another author, which must not end because of that.

internal import CFileCoordinationSystem

/// The standard error output of the process.
public enum StandardError {
    /// Writes the bytes.
    ///
    /// If a write fails, the rest is discarded, and no SIGPIPE or SIGXFSZ ends the process.
    public static func write(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { buffer in
            var rest = unsafe buffer[...]
            while unsafe !rest.isEmpty {
                let slice = unsafe UnsafeRawBufferPointer(rebasing: rest)
                let count = unsafe fcs_write(2, slice.baseAddress, slice.count)
                guard count > 0 else { return }
                unsafe rest = rest.dropFirst(count)
            }
        }
    }
}
