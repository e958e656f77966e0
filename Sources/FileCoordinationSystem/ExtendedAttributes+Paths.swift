// SPDX-License-Identifier: Apache-2.0
//
// Extended attributes of files and directories by path. Symbolic links on the way are followed; one
// at the end is not.

internal import CFileCoordinationSystem
import Glibc

extension ExtendedAttributes {
    /// Returns the size in bytes of the attribute `name`; nil if there is none.
    ///
    /// Throws ``ErrorNumber/notSupported`` if the file system has no attributes.
    public static func size(of name: String, at path: [UInt8]) throws(SystemError) -> Int? {
        let operation = "look for the attribute \"\(name)\" of"
        let path = try CName(path, for: operation)
        let result = find(name, at: path)
        guard result != -Int(ENODATA) else { return nil }
        return try check(result, "\(operation) \(path)")
    }

    /// Whether the attribute `name` exists, with a value of any size.
    ///
    /// False where ``size(of:at:)`` would throw, without the cost of creating an error.
    public static func isPresent(_ name: String, at path: [UInt8]) -> Bool {
        // A path with a null byte leads nowhere.
        guard let path = try? CName(path, for: "read an attribute of") else { return false }
        return find(name, at: path) >= 0
    }

    /// Returns the size, or -errno.
    ///
    /// Called for every directory on the way to an item, so the name is passed without conversion.
    private static func find(_ name: String, at path: CName) -> Int {
        guard !name.utf8.contains(0) else { return -Int(EINVAL) }
        return unsafe path.withPointer { unsafe fcs_attribute_size($0, name) }
    }
}
