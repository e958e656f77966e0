// SPDX-License-Identifier: Apache-2.0
//
// Renames items between open directories. Names are bytes, because users' names need not be valid
// text.

internal import CFileCoordinationSystem
import Glibc

extension Descriptor {
    /// Renames `name` in this directory to `newName` in `target`, on the same file system.
    ///
    /// This is atomic: no process sees both names or neither. ``Directory/TakenName/replace``
    /// replaces a file by a file, or an empty directory by a directory, as the kernel permits.
    ///
    /// Some file systems cannot refuse a taken name in one step, for example NFS, 9p and sshfs.
    /// There, ``Directory/TakenName/refuse`` takes two steps: see ``renameInSteps(_:toFree:in:)``.
    public func rename(
        _ name: [UInt8], to newName: [UInt8], in target: Descriptor,
        ifTaken: Directory.TakenName = .replace
    ) throws(SystemError) {
        do throws(SystemError) {
            try renameInOneStep(name, to: newName, in: target, ifTaken: ifTaken)
        } catch {
            guard ifTaken == .refuse, Self.cannotRefuse.contains(error.code) else { throw error }
            try renameInSteps(name, toFree: newName, in: target)
        }
    }

    /// Errors of a file system, or of a kernel, that does not know the flags of renameat2(2).
    ///
    /// If `EINVAL` means something else, the rename without flags fails with it, too.
    private static let cannotRefuse = [EINVAL, ENOSYS, EOPNOTSUPP]

    /// Renames `name` in this directory to `newName` in `target`, unless `newName` is taken,
    /// without the help of the file system.
    ///
    /// A file has both names for an instant, and also after a death in that instant. For a
    /// directory, or where there are no hard links, the new name is looked up first. If another
    /// process takes the name after that, its file is lost to a file; a directory replaces at most
    /// an empty directory.
    package func renameInSteps(
        _ name: [UInt8], toFree newName: [UInt8], in target: Descriptor
    ) throws(SystemError) {
        if try status(of: name).kind != S_IFDIR, try moveLink(name, to: newName, in: target) {
            return
        }
        do throws(SystemError) {
            _ = try target.status(of: newName)
        } catch {
            guard error.code == ENOENT else { throw error }
            return try renameInOneStep(name, to: newName, in: target, ifTaken: .replace)
        }
        throw SystemError(
            code: EEXIST, operation: "rename to \(String(decoding: newName, as: UTF8.self))")
    }

    /// Makes a hard link, which refuses a taken name, and removes the old name.
    ///
    /// Returns false if no link can be made.
    private func moveLink(
        _ name: [UInt8], to newName: [UInt8], in target: Descriptor
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try target.makeHardLink(newName, to: name, in: self)
        } catch {
            guard Self.cannotLink.contains(error.code) else { throw error }
            return false
        }
        do throws(SystemError) {
            try removeEntry(name)
        } catch {
            // The first error counts. If this fails, too, the file keeps both names.
            try? target.removeEntry(newName)
            throw error
        }
        return true
    }

    /// Errors for a file system without hard links, too many links of the file, or another user's
    /// file, to which the kernel may forbid links.
    private static let cannotLink = [EPERM, EOPNOTSUPP, ENOSYS, EMLINK]

    private func renameInOneStep(
        _ name: [UInt8], to newName: [UInt8], in target: Descriptor,
        ifTaken: Directory.TakenName
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
