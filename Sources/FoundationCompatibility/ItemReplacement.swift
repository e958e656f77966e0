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

    /// The abilities that some file systems lack.
    package enum Ability: Sendable {
        case exchangeNames
        case refuseTakenNames
        case synchronizeDirectories
    }

    /// A name in an open directory.
    struct Place {
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

    let original: Place
    let new: Place
    let backup: Place?
    let keepsBackup: Bool
    private let keepsMetadata: Bool
    /// The status of the original; nil if there was none.
    let oldStatus: stat?
    /// The item that gets the original's name: the new item, or its copy on the original's file
    /// system.
    var source: Place
    /// The place of the old contents after the new ones have taken their name.
    var old: Place?

    /// The abilities that the file system is treated as lacking; for tests.
    package var missing: Set<Ability> = []

    /// Where the original is, if it is not at its path after ``run()`` has failed.
    package internal(set) var strayOriginal: ItemPath?
    /// Whether the new item has the original's name though ``run()`` has failed; then a power
    /// failure may undo that.
    package internal(set) var isReplacedWithoutProof = false

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

    mutating func bringOver() throws(SystemError) {
        let copy = hiddenPlace()
        // What gets the original's access rights is this user's alone before.
        let kind = try new.directory.status(of: new.name).kind
        let isCarried = keepsMetadata && oldStatus?.kind == kind
        do {
            try TreeCopy.copy(
                TreePlace(new.name, in: new.directory),
                to: TreePlace(copy.name, in: copy.directory), isTopPrivate: isCarried)
        } catch {
            TreeRemoval.remove(copy.name, from: copy.directory)
            throw error
        }
        source = copy
    }

    /// Returns an unused hidden name in the original's directory.
    func hiddenPlace() -> Place {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        return original.sibling(Array(".replacing-\(number)~".utf8))
    }

    var isCopy: Bool { source.path != new.path }

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
