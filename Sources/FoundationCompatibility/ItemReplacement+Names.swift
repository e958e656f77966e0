// SPDX-License-Identifier: Apache-2.0
//
// The steps of a replacement that change names: the new item gets the original's name, and the old
// contents get the backup's. File systems that cannot exchange two names are served in two steps.

#if !canImport(Darwin)
import FileCoordinationSystem
import FileTree
import Glibc

extension ItemReplacement {
    // MARK: The exchange

    mutating func install() throws(SystemError) {
        do {
            try takeName()
        } catch let error where error.code == ErrorNumber.crossDevice && !isCopy {
            // This is known only now: the file system is mounted twice, or consists of several
            // parts.
            try bringOver()
            try perform(.carryMetadata)
            try perform(.synchronize)
            try installCopy()
        } catch {
            removeCopy()
            throw error
        }
        do {
            try synchronizeName()
        } catch {
            // The device may have the old name still, so the old contents are not removed.
            isReplacedWithoutProof = true
            strayOriginal = old?.path
            throw error
        }
    }

    private func synchronizeName() throws(SystemError) {
        guard !missing.contains(.synchronizeDirectories) else {
            throw SystemError(code: EIO, operation: "fdatasync")
        }
        try original.directory.synchronize()
    }

    private mutating func installCopy() throws(SystemError) {
        do {
            try takeName()
        } catch {
            removeCopy()
            throw error
        }
    }

    func removeCopy() {
        if isCopy { TreeRemoval.remove(source.name, from: source.directory) }
    }

    private mutating func takeName() throws(SystemError) {
        guard let oldStatus else {
            return try rename(source, original, ifTaken: .refuse)
        }
        let status = try source.directory.status(of: source.name)
        // A rename of one name of a file over another one has no effect.
        let isLink = status.st_dev == oldStatus.st_dev && status.st_ino == oldStatus.st_ino
        if !keepsBackup, !isLink, ![oldStatus.kind, status.kind].contains(S_IFDIR) {
            return try rename(source, original)
        }
        do {
            try exchange(source, original)
            old = source
        } catch let error where Self.cannotExchange.contains(error.code) {
            try takeNameInTwoSteps()
        }
    }

    private static let cannotExchange = [
        ErrorNumber.invalidArgument, ErrorNumber.notSupported, ENOSYS,
    ]

    /// For file systems that cannot exchange names: the item has no name for an instant.
    private mutating func takeNameInTwoSteps() throws(SystemError) {
        let aside = hiddenPlace()
        try rename(original, aside, ifTaken: .refuse)
        do {
            try rename(source, original, ifTaken: .refuse)
            old = aside
        } catch {
            do {
                try rename(aside, original, ifTaken: .refuse)
            } catch {
                strayOriginal = aside.path
            }
            throw error
        }
    }

    private func exchange(_ one: Place, _ other: Place) throws(SystemError) {
        guard !missing.contains(.exchangeNames) else {
            throw SystemError(code: ErrorNumber.notSupported, operation: "exchange two names")
        }
        try rename(one, other, ifTaken: .exchange)
    }

    private func rename(
        _ place: Place, _ target: Place, ifTaken: Directory.TakenName = .replace
    ) throws(SystemError) {
        if ifTaken == .refuse, missing.contains(.refuseTakenNames) {
            return try place.directory.renameInSteps(
                place.name, toFree: target.name, in: target.directory)
        }
        try place.directory.rename(
            place.name, to: target.name, in: target.directory, ifTaken: ifTaken)
    }

    // MARK: The old content

    mutating func keepBackup() throws(SystemError) {
        guard keepsBackup, let backup, let old else { return }
        // The exchange has given the old content the new item's name, which may be the backup's.
        guard old.path != backup.path else { return self.old = nil }
        do {
            let former = backup.status?.kind
            if former != nil, [former, old.status?.kind].contains(S_IFDIR) {
                try takeBackupName(backup, from: old)
            } else {
                try rename(old, backup)
                self.old = nil
            }
        } catch {
            putBack(old)
            throw error
        }
    }

    /// Gives the old content the backup's name; if an earlier backup has the name, that is
    /// discarded.
    private mutating func takeBackupName(_ backup: Place, from old: Place) throws(SystemError) {
        do {
            try exchange(old, backup)
        } catch let error where Self.cannotExchange.contains(error.code) {
            let aside = hiddenPlace()
            try rename(backup, aside, ifTaken: .refuse)
            do {
                try rename(old, backup, ifTaken: .refuse)
            } catch {
                // If this fails too, the earlier backup keeps the hidden name.
                try? rename(aside, backup, ifTaken: .refuse)
                throw error
            }
            self.old = aside
        }
    }

    /// Gives the original its name again, because no backup can be made.
    private mutating func putBack(_ old: Place) {
        // The other way is to rename both; the error that led here is the one that counts.
        if (try? exchange(old, original)) == nil {
            strayOriginal = old.path
            // If this fails too, the error says where the original is.
            guard (try? rename(original, source, ifTaken: .refuse)) != nil,
                (try? rename(old, original, ifTaken: .refuse)) != nil
            else { return }
            strayOriginal = nil
        }
        removeCopy()
    }
}
#endif
