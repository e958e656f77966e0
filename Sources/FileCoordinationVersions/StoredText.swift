// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes small values in files of their own: records, intentions and notes.

import FileCoordinationSystem
package import FileCoordinationWire

/// A type that a small file of the store can hold.
package protocol Stored {
    /// The value to write.
    var stored: JSONValue { get }
    /// Reads a value.
    ///
    /// Returns nil if it is invalid.
    init?(_ stored: JSONValue)
}

extension Directory {
    /// Writes `value` to the file `name` atomically, after it is on the device.
    func write(_ value: some Stored, to name: String) throws(SystemError) {
        let draft = name + ".draft"
        let file = try openFile(draft, [.write, .create])
        try file.write(value)
        try file.synchronize()
        try rename(draft, to: name)
        try descriptor.synchronize()
    }

    /// Reads a value.
    ///
    /// Returns nil if the file does not exist or is invalid.
    func read<Value: Stored>(_ type: Value.Type, from name: String) -> Value? {
        // The caller is told nil; the other function tells the two cases apart.
        (try? openFile(name, .read))?.read(type)
    }

    /// Does the same, but returns nil only if the file does not exist, and throws if it cannot be
    /// read.
    func readIfThere<Value: Stored>(
        _ type: Value.Type, from name: String
    ) throws(SystemError) -> Value? {
        let file: Descriptor
        do {
            file = try openFile(name, .read)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return nil
        }
        guard let value = file.read(type) else {
            throw SystemError(code: ErrorNumber.invalidArgument, operation: "read \(name)")
        }
        return value
    }
}

extension Descriptor {
    /// Replaces the contents of the file by `value`.
    func write(_ value: some Stored) throws(SystemError) {
        try FileSpace.truncate(self, length: 0)
        let result = unsafe value.stored.written.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try unsafe write(bytes, at: 0) }
        }
        try result.get()
    }

    /// Reads a value.
    ///
    /// Returns nil if it is invalid.
    func read<Value: Stored>(_ type: Value.Type) -> Value? {
        let longest: UInt64 = 1 << 20
        // A text that cannot be read is treated as invalid.
        guard let size = try? status().size, (1...longest).contains(size) else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        // Contents that cannot be read count as invalid.
        let count = unsafe bytes.withUnsafeMutableBytes { try? unsafe read(into: $0, at: 0) }
        guard count == bytes.count else { return nil }
        return JSONValue(reading: bytes).flatMap { Value($0) }
    }
}
