// SPDX-License-Identifier: Apache-2.0
//
// A named note on a file or directory, kept by the file system beside the contents. Asked for by
// path, and of the very thing that the path names: a link on the way is followed, the last is not.

internal import CFileCoordinationSystem
import Glibc

extension ExtendedAttributes {
    /// The size in bytes of the attribute `name`; nil if there is none.
    ///
    /// A file system that keeps no attributes at all is an error, ``ErrorNumber/notSupported``.
    public static func size(of name: String, at path: [UInt8]) throws(SystemError) -> Int? {
        let operation = "look for the attribute \"\(name)\" of"
        let path = try CName(path, for: operation)
        let result = find(name, at: path)
        guard result != -Int(ENODATA) else { return nil }
        return try check(result, "\(operation) \(path)")
    }

    /// Whether there is an attribute `name`, of any size, also none.
    ///
    /// No where ``size(of:at:)`` would fail, too; then it costs no error's description.
    public static func isPresent(_ name: String, at path: [UInt8]) -> Bool {
        guard let path = try? CName(path, for: "read an attribute of") else { return false }
        return find(name, at: path) >= 0
    }

    /// Gives what is at `path` an attribute, in place of an earlier one of that name.
    public static func set(
        _ name: String, to value: [UInt8] = [], at path: [UInt8]
    ) throws(SystemError) {
        let operation = "set the attribute \"\(name)\" of"
        let path = try CName(path, for: operation)
        let attribute = try CName(name, for: operation)
        let result = path.withPointer { path in
            attribute.withPointer { attribute in
                value.withUnsafeBytes {
                    fcs_attribute_set(path, attribute, $0.baseAddress, $0.count)
                }
            }
        }
        try check(result, "\(operation) \(path)")
    }

    /// The size, or -errno.
    ///
    /// Asked for every directory on the way to an item, so the name is passed as it is.
    private static func find(_ name: String, at path: CName) -> Int {
        guard !name.utf8.contains(0) else { return -Int(EINVAL) }
        return path.withPointer { fcs_attribute_size($0, name) }
    }
}
