// SPDX-License-Identifier: Apache-2.0
//
// A name or path for the kernel, which reads up to the first zero byte. A name that contains one
// would denote another file, so it is rejected.

import Glibc

/// A zero-terminated path without a zero byte inside.
struct CName: CustomStringConvertible {
    private let bytes: [CChar]

    init(_ bytes: [UInt8], for operation: String) throws(SystemError) {
        let length = bytes.count
        // Uses memchr and a copy of all bytes, because every system call on a path creates a name.
        let isName = unsafe bytes.withUnsafeBytes { source in
            unsafe source.baseAddress.map { unsafe memchr($0, 0, length) == nil } ?? true
        }
        guard isName else {
            throw SystemError(
                code: EINVAL, operation: "\(operation) \(String(decoding: bytes, as: UTF8.self))")
        }
        self.bytes = unsafe Array(unsafeUninitializedCapacity: length + 1) { buffer, count in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: source)
            }
            unsafe buffer[length] = 0
            count = length + 1
        }
    }

    init(_ string: String, for operation: String) throws(SystemError) {
        try self.init(Array(string.utf8), for: operation)
    }

    func withPointer<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let address = buffer.baseAddress else {
                preconditionFailure("A name holds at least its end")
            }
            return unsafe body(address)
        }
    }

    /// The name in quotes, for error messages.
    var description: String {
        let text = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\"\(text)\""
    }
}
