// SPDX-License-Identifier: Apache-2.0
//
// Replaces an item by another one, in steps. After each step both contents exist under some name.
// Only the last steps remove the old contents, when the new ones are on the device under the item's
// name.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationSystem
import FileTree
import Glibc

/// The replacement of an item by another one.
package struct ItemReplacement {
    /// The steps, in order.
    package enum Step: CaseIterable, Sendable {
        /// Copies a new item from another file system to the directory of the original.
        case bringOver
        /// Copies metadata of the original to the new item.
        case carryMetadata
        /// Writes the new item to its device.
        case synchronize
        /// Gives the new item the original's name.
        case install
        /// Gives the original the backup's name, if the backup is kept.
        case keepBackup
        /// Removes the old contents and what else must not remain.
        case discard
    }

    /// What not every file system can do.
    package enum Ability: Sendable {
        case exchangeNames
        case refuseTakenNames
        case synchronizeDirectories
    }

    /// A name in an open directory.
    private struct Place {
        var directory: Descriptor
        var path: ItemPath
        var name: [UInt8] { path.name }

        /// The status of the item; nil if there is none, or it cannot be examined and so cannot be
        /// replaced.
        var status: stat? { try? directory.status(of: name) }
        func sibling(_ name: [UInt8]) -> Place {
            Place(directory: directory, path: path.sibling(name))
        }
    }

    private let original: Place
    private let new: Place
    private let backup: Place?
    private let keepsBackup: Bool
    private let keepsMetadata: Bool
    /// The status of the original; nil if there was none.
    private let oldStatus: stat?
    /// The item that gets the original's name: the new item, or its copy on the original's file
    /// system.
    private var source: Place
    /// Where the old contents are after they have lost their name.
    private var old: Place?

    /// What the file system is taken to be unable to do; for tests.
    package var missing: Set<Ability> = []

    /// Where the original is, if it is not at its path after ``run()`` has failed.
    package private(set) var strayOriginal: ItemPath?
    /// Whether the new item has the original's name though ``run()`` has failed; then a power
    /// failure may undo that.
    package private(set) var isReplacedWithoutProof = false

    /// Prepares the replacement without changing anything.
    ///
    /// - Throws: `noSuchFile` if the new item does not exist, and `invalidArgument` if the backup's
    ///   name is invalid, the original's, or that of a directory which contains the new item while
    ///   the backup is kept.
    package init(
        of original: ItemPath, by new: ItemPath, backupName: String?, keepsBackup: Bool,
        keepsMetadata: Bool
    ) throws(SystemError) {
        self.original = Place(
            directory: try .openDirectory(at: original.parent.bytes), path: original)
        self.new = Place(directory: try .openDirectory(at: new.parent.bytes), path: new)
        self.keepsBackup = keepsBackup && backupName != nil
        self.keepsMetadata = keepsMetadata
        if let backupName {
            let name = Array(backupName.utf8)
            guard !name.isEmpty, !name.contains(UInt8(ascii: "/")), !name.contains(0),
                !["", ".", ".."].contains(backupName), name != original.name, original.depth > 0
            else {
                throw SystemError(
                    code: ErrorNumber.invalidArgument, operation: "name a backup \"\(backupName)\"")
            }
            let place = self.original.sibling(name)
            // The old content takes the new item's name first. The backup would replace the
            // directory that contains it.
            guard !keepsBackup || !place.path.contains(new) else {
                throw SystemError(
                    code: ErrorNumber.invalidArgument,
                    operation: "name a backup \"\(backupName)\", which contains the new item")
            }
            backup = place
        } else {
            backup = nil
        }
        source = self.new
        _ = try self.new.directory.status(of: new.name)
        oldStatus = self.original.status
    }

    /// Performs all steps.
    package mutating func run() throws(SystemError) {
        guard let status = new.status, !isOriginal(status) else { return }
        for step in Step.allCases { try perform(step) }
    }

    private func isOriginal(_ status: stat) -> Bool {
        oldStatus?.st_dev == status.st_dev && oldStatus?.st_ino == status.st_ino
            && original.path == new.path
    }

    /// Performs one step.
    package mutating func perform(_ step: Step) throws(SystemError) {
        do throws(SystemError) {
            try take(step)
        } catch {
            // The later steps remove the copy themselves, unless it has the original's name.
            if [.carryMetadata, .synchronize].contains(step) { removeCopy() }
            throw error
        }
    }

    private mutating func take(_ step: Step) throws(SystemError) {
        switch step {
        case .bringOver:
            guard try new.directory.status(of: new.name).st_dev != deviceOfOriginal() else {
                return
            }
            try bringOver()
        case .carryMetadata:
            guard keepsMetadata, let oldStatus else { return }
            try ItemMetadata.carry(
                from: original.name, in: original.directory, oldStatus, to: source.name,
                in: source.directory)
        case .synchronize: try synchronize()
        case .install: try install()
        case .keepBackup: try keepBackup()
        case .discard: discard()
        }
    }

    // MARK: The new item

    private func deviceOfOriginal() throws(SystemError) -> dev_t {
        try original.directory.status(of: Array(".".utf8)).st_dev
    }

    private mutating func bringOver() throws(SystemError) {
        let copy = hiddenPlace()
        do {
            try TreeCopy.copy(
                TreePlace(new.name, in: new.directory), to: TreePlace(copy.name, in: copy.directory)
            )
        } catch {
            TreeRemoval.remove(copy.name, from: copy.directory)
            throw error
        }
        source = copy
    }

    /// Returns an unused hidden name in the original's directory.
    private func hiddenPlace() -> Place {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        return original.sibling(Array(".replacing-\(number)~".utf8))
    }

    private var isCopy: Bool { source.path != new.path }

    private func synchronize() throws(SystemError) {
        switch try source.directory.status(of: source.name).kind {
        case S_IFREG:
            // A file that may not be read is written out with its file system.
            let file = try? source.directory.openFile(source.name, O_RDONLY | O_NONBLOCK)
            if let file { try file.synchronize() } else { fallthrough }
        case S_IFDIR: try source.directory.synchronizeFileSystem()
        default: break
        }
    }

    // MARK: The exchange

    private mutating func install() throws(SystemError) {
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

    private func removeCopy() {
        if isCopy { TreeRemoval.remove(source.name, from: source.directory) }
    }

    private mutating func takeName() throws(SystemError) {
        guard let oldStatus else {
            return try rename(source, original, ifTaken: .refuse)
        }
        let kinds = [oldStatus.kind, try source.directory.status(of: source.name).kind]
        if !keepsBackup, !kinds.contains(S_IFDIR) {
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

    private mutating func keepBackup() throws(SystemError) {
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

    /// Gives the old content the backup's name; an earlier backup is what is discarded then.
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

    /// Errors are ignored: the new item is in its place, as requested.
    private func discard() {
        if let old { TreeRemoval.remove(old.name, from: old.directory) }
        if isCopy { TreeRemoval.remove(new.name, from: new.directory) }
        if !keepsBackup, let backup, backup.path != new.path {
            TreeRemoval.remove(backup.name, from: backup.directory)
        }
        // The item is replaced; after a crash of the machine, it may be the old one.
        try? original.directory.synchronize()
    }
}
#endif
