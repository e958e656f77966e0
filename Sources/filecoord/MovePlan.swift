// SPDX-License-Identifier: Apache-2.0
//
// One move in the file system: may it be, and doing it. What the kernel would refuse is refused
// here first, in words that tell what to do.

import FileCoordinationSystem
import Foundation

/// The name that an item is to get.
struct MoveTarget {
    var url: URL
    /// Whether it was named with a slash at the end, as only directories are.
    var isDirectory: Bool
}

/// An item and the name that it is to get.
struct MovePlan {
    private let source: String
    private let target: String
    private let from: PathParts
    private let to: PathParts
    /// Whether the item was named with a slash at the end, as only directories are.
    private let sourceIsDirectory: Bool
    /// The same of its new name.
    private let targetIsDirectory: Bool
    private let noClobber: Bool

    /// What `command` asks for, with the item where it is by now.
    init(from source: URL, to target: MoveTarget, _ command: MoveCommand) {
        self.source = source.systemPath
        self.target = target.url.systemPath
        from = PathParts(self.source)
        to = PathParts(self.target)
        sourceIsDirectory = command.source.hasSuffix("/")
        targetIsDirectory = target.isDirectory
        noClobber = command.noClobber
    }

    // MARK: Looking

    /// Whether there is something to do; an error if it cannot be done.
    func mayGo() throws(Failure) -> Bool {
        let item = try itemStatus()
        let taken = try takenName()
        guard item.kind == .directory || taken?.kind == .directory || !targetIsDirectory else {
            throw Failure(.badPath, "\(target) is no directory to move \(source) into")
        }
        guard let taken else {
            try refuseLoop(item)
            return true
        }
        guard !noClobber else { return false }
        guard taken.device != item.device || taken.inode != item.inode else {
            throw Failure(.badPath, "\(source) and \(target) are the same file: nothing to move")
        }
        try refuseLoop(item)
        switch (item.kind == .directory, taken.kind == .directory) {
        case (false, false): break
        case (false, true):
            throw Failure(
                .badPath,
                "\(target) is a directory, and \(source) is not: choose another name, or remove it "
                    + "first")
        case (true, false):
            throw Failure(
                .badPath,
                "\(target) is not a directory, and \(source) is: choose another name, or remove it "
                    + "first")
        case (true, true): try refuseContents()
        }
        return true
    }

    private func itemStatus() throws(Failure) -> FileStatus {
        let status: FileStatus
        do {
            status = try FileStatus(path: source, followLinks: false)
        } catch {
            throw Failure(errorNumber: error.code, doing: "move", path: source)
        }
        guard status.kind == .directory || !sourceIsDirectory else {
            throw Failure(errorNumber: ENOTDIR, doing: "move", path: source)
        }
        return status
    }

    /// What has the new name already; nil if nothing does, but something may.
    private func takenName() throws(Failure) -> FileStatus? {
        do throws(SystemError) {
            return try FileStatus(path: target, followLinks: false)
        } catch {
            guard error.code == ENOENT else {
                throw Failure(errorNumber: error.code, doing: "move to", path: target)
            }
        }
        do throws(SystemError) {
            _ = try FileStatus(path: to.directory)
        } catch {
            throw Failure(errorNumber: error.code, doing: "move into", path: to.directory)
        }
        return nil
    }

    /// Refuses a directory that would be inside of itself.
    private func refuseLoop(_ item: FileStatus) throws(Failure) {
        guard item.kind == .directory else { return }
        let inner: [UInt8]
        let outer: [UInt8]
        do throws(SystemError) {
            inner = try RealPath.resolve(Array(to.directory.utf8))
            outer = try RealPath.resolve(Array(source.utf8))
        } catch {
            throw Failure(errorNumber: error.code, doing: "move", path: source)
        }
        guard inner != outer, !inner.starts(with: outer + [UInt8(ascii: "/")]) else {
            throw Failure(.badPath, "\(source) cannot be moved into itself: \(target) is inside")
        }
    }

    private func refuseContents() throws(Failure) {
        let names: [[UInt8]]
        do throws(SystemError) {
            names = try Directory.open(target, followLinks: false).rawNames()
        } catch {
            throw Failure(errorNumber: error.code, doing: "look into", path: target)
        }
        guard names.isEmpty else {
            throw Failure(
                .badPath,
                "\(target) is a directory that is not empty: remove it first, or move it away")
        }
    }

    // MARK: Moving

    /// Moves the item.
    ///
    /// - Returns: what is to be said if something is left of it at its old place.
    func run(_ signals: SignalDesk) throws(Failure) -> Failure? {
        let (old, new) = (try open(from.directory), try open(to.directory))
        do throws(SystemError) {
            try rename(in: old, to: new)
            return nil
        } catch {
            guard error.code == EXDEV else {
                throw Failure(errorNumber: error.code, doing: "move", path: source)
            }
        }
        let crossing = FileSystemCrossing(
            from: (old, from.name), to: (new, to.name), signals, ifTaken: ifTaken)
        return try crossing.run()
    }

    private var ifTaken: Directory.TakenName { noClobber ? .refuse : .replace }

    private func rename(in old: Directory, to new: Directory) throws(SystemError) {
        do throws(SystemError) {
            try old.rename(from.name, to: to.name, in: new, ifTaken: ifTaken)
        } catch {
            // Some file systems know no such promise. Nothing was there a moment ago.
            guard error.code == EINVAL, noClobber else { throw error }
            try old.rename(from.name, to: to.name, in: new)
        }
    }

    private func open(_ directory: String) throws(Failure) -> Directory {
        do throws(SystemError) {
            return try Directory.open(directory)
        } catch {
            throw Failure(errorNumber: error.code, doing: "move in", path: directory)
        }
    }
}
