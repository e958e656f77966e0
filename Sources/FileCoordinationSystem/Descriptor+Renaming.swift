// SPDX-License-Identifier: Apache-2.0
//
// Renames items between open directories. Names are bytes, because users' names need not be valid
// text.

internal import CFileCoordinationSystem

extension Descriptor {
    /// Renames `name` in this directory to `newName` in `target`, on the same file system.
    ///
    /// This is atomic: no process sees both names or neither. ``Directory/TakenName/replace``
    /// replaces a file by a file, or an empty directory by a directory, as the kernel permits.
    public func rename(
        _ name: [UInt8], to newName: [UInt8], in target: Descriptor,
        ifTaken: Directory.TakenName = .replace
    ) throws(SystemError) {
        let old = try CName(name, for: "rename")
        let new = try CName(newName, for: "rename to")
        let flags: UInt32 =
            switch ifTaken {
            case .replace: UInt32(FCS_RENAME_REPLACE)
            case .refuse: UInt32(FCS_RENAME_REFUSE)
            case .exchange: UInt32(FCS_RENAME_EXCHANGE)
            }
        let result = unsafe old.withPointer { old in
            unsafe new.withPointer { new in
                unsafe fcs_rename_at(number, old, target.number, new, flags)
            }
        }
        try check(result, "rename \(old) to \(new)")
    }
}
