// SPDX-License-Identifier: Apache-2.0
//
// Saying something to people in a program in which we are guests: it must not end for that.

internal import CFileCoordinationSystem

/// The standard error output of the process.
public enum StandardError {
    /// Writes what can be written, without a signal where that is nothing.
    public static func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let slice = UnsafeRawBufferPointer(rebasing: rest)
                let count = fcs_write(2, slice.baseAddress, slice.count)
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
