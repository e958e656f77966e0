// SPDX-License-Identifier: Apache-2.0
//
// A name or path for the kernel, which reads up to the first zero byte. A name that contains one
// would denote another file, so it is rejected.

import Glibc

/// A zero-terminated path without a zero byte inside.
struct CName: CustomStringConvertible {
    private let bytes: [CChar]

    init(_ bytes: [UInt8], for operation: String) throws(SystemError) {
        guard !bytes.contains(0) else {
            throw SystemError(
                code: EINVAL, operation: "\(operation) \(String(decoding: bytes, as: UTF8.self))")
        }
        self.bytes = unsafe Array(unsafeUninitializedCapacity: bytes.count + 1) { buffer, count in
            for (index, byte) in bytes.enumerated() {
                unsafe buffer[index] = CChar(bitPattern: byte)
            }
            unsafe buffer[bytes.count] = 0
            count = bytes.count + 1
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
