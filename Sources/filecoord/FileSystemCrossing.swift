// SPDX-License-Identifier: Apache-2.0
//
// Moves an item to another file system, which the kernel cannot do. It copies the item to a
// temporary name beside the destination, waits until the copy is on the device, renames the copy
// atomically, waits until the device has its name, and then removes the original. At every moment,
// at least one of the two places has the whole item.

import FileCoordinationSystem
import FileTree
import Glibc

/// Moves an item by copying and removing it.
struct FileSystemCrossing {
    private let source: NativePath
    private let target: NativePath
    /// The parent directories of source and target.
    private let from: Descriptor
    private let to: Descriptor
    private let signals: SignalReceiver
    private let ifTaken: Directory.TakenName

    init(
        _ source: NativePath, in from: Descriptor, to target: NativePath, in to: Descriptor,
        _ signals: SignalReceiver, ifTaken: Directory.TakenName
    ) {
        (self.source, self.from) = (source, from)
        (self.target, self.to) = (target, to)
        self.signals = signals
        self.ifTaken = ifTaken
    }

    /// The greatest number of lost attributes that are listed one by one.
    private static let toldLosses = 10

    /// Moves the item.
    ///
    /// - Returns: a failure to report if a part of the original could not be removed.
    func run() throws(Failure) -> Failure? {
        TemporaryEntry.sweep(from)
        try refuseUnremovable()
        let former = try contents(of: source.name)
        let copy = try makeEntry(in: to, target)
        do throws(Failure) {
            let losses = try make(copy)
            // After this, a signal comes too late to stop the move.
            if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            try place(copy)
            tell(losses)
        } catch {
            copy.remove()
            throw error
        }
        copy.remove()
        try synchronizeName()
        return try removeOriginal(former)
    }

    /// The properties by which a program's change during the copy is found.
    ///
    /// The time of the last status change is not among them, because a rename also sets it. What is
    /// inside a directory is not compared.
    private struct Contents: Hashable {
        let device: UInt64
        let inode: UInt64
        var size = 0
        var modified = [0, 0]

        init(_ status: stat) {
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
            guard status.kind == S_IFREG else { return }
            size = Int(status.st_size)
            modified = [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
        }
    }

    private func contents(of name: [UInt8]) throws(Failure) -> Contents {
        do throws(SystemError) {
            return Contents(try from.status(of: name))
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: source)
        }
    }

    private func makeEntry(
        in directory: Descriptor, _ path: NativePath
    ) throws(Failure) -> TemporaryEntry {
        do throws(SystemError) {
            return try TemporaryEntry.make(in: directory)
        } catch {
            throw Failure(errorNumber: error.code, doing: "write in", path: path.directory)
        }
    }

    /// Fails before anything is copied if the original cannot be removed.
    ///
    /// The kernel knows: it depends on permissions, inode flags, owners in sticky directories and
    /// capabilities. So it is asked to rename the original over a directory that is not empty. It
    /// checks first whether the original may leave its name, and always refuses the rest.
    private func refuseUnremovable() throws(Failure) {
        guard unsafe faccessat(from.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw Failure(errorNumber: errno, doing: "remove", path: source)
        }
        // Nothing can be tried there, because a name that is made in it stays.
        guard !from.isAppendOnly else { throw unremovable(EPERM) }
        let full = try makeEntry(in: from, source)
        var isFull = true
        defer { if isFull { full.remove() } }
        do throws(SystemError) {
            try unsafe from.call("make directory", full.name) { unsafe mkdirat($0, $1, 0o700) }
            let inside = full.name + [UInt8(ascii: "/")] + full.name
            try unsafe from.call("make directory", inside) { unsafe mkdirat($0, $1, 0o700) }
        } catch {
            // The device may be full, which is a reason to move files away. The removal needs no
            // room for directories.
            return
        }
        do throws(SystemError) {
            try from.rename(source.name, to: full.name, in: from)
            // No file system may do that. What has the temporary name now is the original.
            isFull = false
            full.giveAway()
            try from.rename(full.name, to: source.name, in: from, ifTaken: .refuse)
        } catch {
            switch error.code {
            case EISDIR, ENOTEMPTY, EEXIST: if isFull { return }
            case EPERM, EACCES: if isFull { throw unremovable(error.code) }
            case _: break
            }
            throw Failure(errorNumber: error.code, doing: "remove", path: source)
        }
        throw unremovable(EINVAL)
    }

    private func unremovable(_ code: Int32) -> Failure {
        Failure(
            .badPath,
            "\(source) cannot be removed after it was copied: \(ErrorNumber.reason(code)); "
                + "nothing was moved; look at its attributes (lsattr), its owner and its directory")
    }

    // MARK: Copying

    private func make(
        _ copy: TemporaryEntry
    ) throws(Failure) -> [(path: NativePath, loss: AttributeLoss)] {
        // Nothing may be left out silently, because the original will be removed.
        var options = TreeCopy.Options()
        options.keepsHardLinks = true
        options.keepsSpecials = true
        options.staysOnFileSystem = true
        options.isUnwanted = { [signals] in signals.noted != nil }
        var treeCopy = TreeCopy(options)
        do throws(TreeError) {
            try treeCopy.copy(
                TreePlace(source.name, in: from, path: source.bytes),
                to: TreePlace(copy.name, in: to, path: target.bytes))
        } catch {
            throw failure(error)
        }
        do throws(SystemError) {
            try to.synchronizeFileSystem()
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: target)
        }
        return treeCopy.losses.map { (NativePath($0.path), $0.loss) }
    }

    private func failure(_ error: TreeError) -> Failure {
        switch error {
        case .unreadable(let path, let error):
            Failure(errorNumber: error.code, doing: "read", path: NativePath(path))
        case .unwritable(let path, let error):
            Failure(errorNumber: error.code, doing: "write", path: NativePath(path))
        case .otherFileSystem(let path):
            Failure(
                .badPath, "\(NativePath(path)) is another file system: unmount it first")
        case .intoItself:
            Failure(.badPath, "\(source) cannot be moved into itself: \(target) is inside")
        case .unwanted: Failure.interrupted(by: signals.noted ?? SIGTERM)
        }
    }

    private func place(_ copy: TemporaryEntry) throws(Failure) {
        do throws(SystemError) {
            try to.rename(copy.name, to: target.name, in: to, ifTaken: ifTaken)
        } catch {
            throw Failure(errorNumber: error.code, doing: "move to", path: target)
        }
    }

    /// Waits until the copy's name is on the device.
    ///
    /// Otherwise the machine could lose its power and have removed the original, while the copy
    /// still has its temporary name, under which the next move would remove it.
    private func synchronizeName() throws(Failure) {
        do throws(SystemError) {
            try to.synchronize()
        } catch {
            throw Failure(
                .inputOutput,
                "\(source) was copied to \(target), but is not removed, because the device may not "
                    + "have the new name: \(ErrorNumber.reason(error.code)); remove one of the two")
        }
    }

    private func changed(_ place: String) -> Failure {
        Failure(
            .inputOutput,
            "\(source) was changed by another program while it was copied: what it was is at "
                + "\(target), what it is now is still \(place); compare the two, and remove one")
    }

    private func tell(_ losses: [(path: NativePath, loss: AttributeLoss)]) {
        for (path, loss) in losses.prefix(Self.toldLosses) {
            Console.say("\(path): \(loss) could not be kept")
        }
        let rest = losses.count - Self.toldLosses
        if rest > 0 { Console.say("… and \(rest) more attributes could not be kept") }
    }

    // MARK: Removing

    /// Removes the original: renames it atomically, and then removes its contents.
    ///
    /// If a program that does not coordinate has changed the original since it was copied, the
    /// original stays.
    private func removeOriginal(_ former: Contents) throws(Failure) -> Failure? {
        let rubbish: TemporaryEntry
        do throws(SystemError) {
            rubbish = try TemporaryEntry.make(in: from)
            try from.rename(source.name, to: rubbish.name, in: from)
        } catch {
            throw Failure(
                .inputOutput,
                "\(source) was copied to \(target), but cannot be removed: "
                    + "\(ErrorNumber.reason(error.code)); remove one of the two")
        }
        // What cannot be examined counts as changed.
        guard (try? contents(of: rubbish.name)) == former else {
            var place = "there"
            do throws(SystemError) {
                try from.rename(rubbish.name, to: source.name, in: from, ifTaken: .refuse)
            } catch {
                place = "at \(source.directory.appending(rubbish.name))"
            }
            rubbish.giveAway()
            throw changed(place)
        }
        guard !rubbish.remove() else { return nil }
        return Failure(
            .inputOutput,
            "\(source) was moved to \(target), but not all of it can be removed at its old place: "
                + "remove \(source.directory.appending(rubbish.name))")
    }
}
