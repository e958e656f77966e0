// SPDX-License-Identifier: Apache-2.0
//
// Checks and carries out one move in the file system. What the kernel would refuse is refused here
// first, with a message that tells the user what to do.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// The new path of an item.
struct MoveTarget {
    var path: NativePath
    /// Whether the user wrote a slash at the end, which is only valid for a directory.
    var isDirectory: Bool
}

/// Identifies a file, to check later that it is still the one that the user was asked about.
struct FileNumber: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
}

/// An item that the same command has moved, by its new name.
struct MovedItem: Hashable {
    let name: [UInt8]
    let number: FileNumber
}

/// An item and its new path.
struct MovePlan {
    /// What to do if the new path exists.
    enum Taken: Hashable {
        /// Replace it.
        case replace
        /// Move nothing.
        case leave
        /// Ask the user first.
        case ask
        /// Replace only this file, about which the user was asked; nil means that there was none.
        case replaceOnly(FileNumber?)
    }

    private let source: NativePath
    private let target: NativePath
    /// Whether the user wrote a slash after the item's path, which is only valid for a directory.
    private let sourceIsDirectory: Bool
    /// Whether the user wrote a slash after the new path.
    private let targetIsDirectory: Bool
    private var taken: Taken
    /// The items that must not be replaced, whatever ``taken`` says.
    private let moved: Set<MovedItem>

    /// The move of an item from its present path, by a command that has moved `moved` already.
    init(
        from source: NativePath, isDirectory: Bool, to target: MoveTarget, _ taken: Taken,
        sparing moved: Set<MovedItem>
    ) {
        self.source = source
        self.target = target.path
        sourceIsDirectory = isDirectory
        targetIsDirectory = target.isDirectory
        self.taken = taken
        self.moved = moved
    }

    // MARK: Looking

    /// Checks the move, and throws if it is impossible.
    ///
    /// - Returns: what to do if the new path exists, or nil if nothing is to be moved.
    func mayGo() throws(Failure) -> Taken? {
        let item = try itemStatus()
        let there = try thereStatus()
        guard item.kind == .directory || there?.kind == .directory || !targetIsDirectory else {
            throw Failure(.badPath, "\(target) is no directory to move \(source) into")
        }
        guard let there else {
            try refuseLoop(item)
            return taken == .ask ? .replaceOnly(nil) : taken
        }
        guard taken != .leave else { return nil }
        guard FileNumber(there) != FileNumber(item) else {
            throw Failure(.badPath, "\(source) and \(target) are the same file: nothing to move")
        }
        guard !moved.contains(MovedItem(name: target.name, number: .init(there))) else {
            throw Failure(
                .badPath,
                "\(target) was moved there a moment ago by this command: \(source) is not moved; "
                    + "choose another name for one of the two")
        }
        try refuseLoop(item)
        try refuseKind(item, there)
        switch taken {
        case .replace, .leave: return taken
        case .ask: return Question.ask("replace \(target)?") ? .replaceOnly(.init(there)) : nil
        case .replaceOnly(let asked):
            guard asked == FileNumber(there) else {
                throw Failure(
                    .badPath, "another file came to be \(target) meanwhile: nothing was moved")
            }
            return taken
        }
    }

    private func refuseKind(_ item: FileStatus, _ there: FileStatus) throws(Failure) {
        switch (item.kind == .directory, there.kind == .directory) {
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
    }

    private func itemStatus() throws(Failure) -> FileStatus {
        let status: FileStatus
        do throws(SystemError) {
            status = try source.status()
        } catch {
            throw Failure(errorNumber: error.code, doing: "move", path: source)
        }
        guard status.kind == .directory || !sourceIsDirectory else {
            throw Failure(errorNumber: ENOTDIR, doing: "move", path: source)
        }
        return status
    }

    private func thereStatus() throws(Failure) -> FileStatus? {
        do throws(SystemError) {
            if let status = try target.statusIfAny() { return status }
        } catch {
            throw Failure(errorNumber: error.code, doing: "move to", path: target)
        }
        do throws(SystemError) {
            _ = try FileStatus(path: target.directory.bytes)
            return nil
        } catch {
            throw Failure(errorNumber: error.code, doing: "move into", path: target.directory)
        }
    }

    /// Refuses to move a directory into itself.
    private func refuseLoop(_ item: FileStatus) throws(Failure) {
        guard item.kind == .directory else { return }
        let inner: [UInt8]
        let outer: [UInt8]
        do throws(SystemError) {
            inner = try RealPath.resolve(target.directory.bytes)
            outer = try RealPath.resolve(source.bytes)
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
            names = try target.open(O_RDONLY | O_DIRECTORY | O_NOFOLLOW).names()
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

    /// Moves the item; to another file system, `mv` of the coreutils does it.
    ///
    /// - Returns: a failure to report although the item is at its new path.
    func run(_ signals: SignalReceiver) throws(Failure) -> Failure? {
        let (old, new) = (try open(source.directory), try open(target.directory))
        do throws(SystemError) {
            try old.rename(source.name, to: target.name, in: new, ifTaken: ifTaken)
            return nil
        } catch {
            guard error.code == EXDEV else { throw failure(error.code) }
        }
        return try copyAndRemove(signals)
    }

    private func copyAndRemove(_ signals: SignalReceiver) throws(Failure) -> Failure? {
        let paths = [source, target].map { ArgumentText.encode($0.bytes) }
        let mayReplace = ifTaken == .replace ? "-f" : "-n"
        let mv = try ChildProcess(
            words: ["mv", mayReplace, "-T", "--"] + paths, environment: [:])
        let status = try mv.run(signals: signals)
        // What counts is what is there now: the item may have been copied, but not removed.
        let (isGone, isThere) = (!exists(source), exists(target))
        let outcome = isGone && isThere ? "was moved to" : "was not moved, or not whole, to"
        let left: Failure? =
            switch status {
            case 0 where isGone: nil
            case 0:
                Failure(
                    .badPath,
                    "another file came to be \(target) meanwhile: \(source) was not moved")
            case 129...: Failure.interrupted(by: status - 128)
            case _:
                Failure(
                    .inputOutput,
                    "\(source) \(outcome) \(target): mv ended with status \(status); compare the "
                        + "two, and remove what is left")
            }
        if let left, !isGone || !isThere { throw left }
        return left
    }

    /// Whether there is an item; what cannot be looked at counts as one.
    private func exists(_ path: NativePath) -> Bool {
        do throws(SystemError) { return try path.statusIfAny() != nil } catch { return true }
    }

    private var ifTaken: Directory.TakenName {
        switch taken {
        case .replace, .replaceOnly(.some), .ask: .replace
        case .leave, .replaceOnly(.none): .refuse
        }
    }

    private func open(_ directory: NativePath) throws(Failure) -> Descriptor {
        do throws(SystemError) {
            return try directory.openDirectory()
        } catch {
            throw Failure(errorNumber: error.code, doing: "move in", path: directory)
        }
    }

    /// The message for a failed `rename`.
    ///
    /// The kernel does not say which of the two paths is at fault.
    private func failure(_ code: Int32) -> Failure {
        switch code {
        case EACCES, EPERM, EROFS:
            for directory in [source.directory, target.directory] {
                let mayChange = unsafe directory.withCString {
                    unsafe faccessat(AT_FDCWD, $0, W_OK | X_OK, AT_EACCESS) == 0
                }
                guard !mayChange else { continue }
                return Failure(errorNumber: errno, doing: "change", path: directory)
            }
            return Failure(errorNumber: code, doing: "move", path: "\(source) to \(target)")
        case ENOENT: return Failure(errorNumber: code, doing: "move", path: source)
        case ENOSPC, EDQUOT, ENAMETOOLONG, EEXIST, ENOTEMPTY, EISDIR, ENOTDIR, EMLINK, EINVAL:
            return Failure(errorNumber: code, doing: "move to", path: target)
        case _: return Failure(errorNumber: code, doing: "move", path: "\(source) to \(target)")
        }
    }
}
