// SPDX-License-Identifier: Apache-2.0
//
// Extended attributes: small named values that people and programs attach to files. Names are bytes
// and begin with a namespace; all users may use `user.`.

internal import CFileCoordinationSystem
import Glibc

/// The extended attributes of an open file.
public enum ExtendedAttributes {
    /// Returns the names that this process may see, in no particular order; none if the file system
    /// has no attributes.
    public static func names(of file: Descriptor) throws(SystemError) -> [[UInt8]] {
        let operation = "list extended attributes"
        let bytes: [UInt8]
        do {
            bytes = try unsafe whole(operation) { buffer in
                unsafe fcs_attribute_names(
                    file.number, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    buffer.count)
            }
        } catch let error where error.code == ErrorNumber.notSupported {
            return []
        }
        return bytes.split(separator: 0).map { Array($0) }
    }

    /// Returns the value of `name`; nil if there is none.
    public static func value(
        of name: [UInt8], of file: Descriptor
    ) throws(SystemError) -> [UInt8]? {
        let text = try CName(name, for: "read the extended attribute")
        do {
            return unsafe try whole("read the extended attribute \(text)") { buffer in
                unsafe text.withPointer {
                    unsafe fcs_attribute(file.number, $0, buffer.baseAddress, buffer.count)
                }
            }
        } catch let error where [ENODATA, ErrorNumber.notSupported].contains(error.code) {
            return nil
        }
    }

    /// Sets the value of `name`, and replaces an earlier one.
    public static func set(
        _ name: [UInt8], to value: [UInt8], of file: Descriptor
    ) throws(SystemError) {
        let text = try CName(name, for: "set the extended attribute")
        let result = unsafe text.withPointer { pointer in
            unsafe value.withUnsafeBytes {
                unsafe fcs_set_attribute(file.number, pointer, $0.baseAddress, $0.count)
            }
        }
        try check(result, "set the extended attribute \(text)")
    }

    /// Removes `name`.
    ///
    /// Returns whether it existed.
    @discardableResult
    public static func remove(_ name: [UInt8], of file: Descriptor) throws(SystemError) -> Bool {
        let text = try CName(name, for: "remove the extended attribute")
        let result = unsafe text.withPointer { unsafe fcs_remove_attribute(file.number, $0) }
        guard result != -ENODATA, result != -EOPNOTSUPP else { return false }
        try check(result, "remove the extended attribute \(text)")
        return true
    }

    /// Reads a value that may grow between the calls for its length and its bytes.
    private static func whole(
        _ operation: String, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(SystemError) -> [UInt8] {
        let nowhere = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        while true {
            let length = try unsafe check(read(nowhere), operation)
            guard length > 0 else { return [] }
            var bytes = [UInt8](repeating: 0, count: length)
            let count = unsafe bytes.withUnsafeMutableBytes(read)
            if count == -Int(ERANGE) { continue }
            return Array(bytes.prefix(try check(count, operation)))
        }
    }
}
