// SPDX-License-Identifier: Apache-2.0
//
// A move from one file system to another, which no kernel does: a copy is made beside the new place
// under a name of its own, put into place in one step when it is whole and on the device, and then
// the original goes. Whatever happens, the item is whole in one of the two places.

import FileCoordinationSystem
import FileTree
import Glibc

/// A move by copying and removing.
struct FileSystemCrossing {
    private let source: NativePath
    private let target: NativePath
    /// The directories of the two.
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

    /// How many losses are told one by one.
    private static let toldLosses = 10

    /// Moves the item.
    ///
    /// - Returns: what is to be said if something is left of it at its old place.
    func run() throws(Failure) -> Failure? {
        try refuseUnremovable()
        TemporaryEntry.sweep(from)
        let copy = try makeEntry(in: to, target)
        do throws(Failure) {
            let losses = try make(copy)
            // From here on it is too late to turn back.
            if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            try place(copy)
            tell(losses)
        } catch {
            copy.remove()
            throw error
        }
        copy.remove()
        return try removeOriginal()
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

    /// Before anything is copied: an original that cannot go makes no move.
    private func refuseUnremovable() throws(Failure) {
        guard faccessat(from.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw Failure(errorNumber: errno, doing: "remove", path: source)
        }
    }

    // MARK: Copying

    private func make(
        _ copy: TemporaryEntry
    ) throws(Failure) -> [(path: NativePath, loss: AttributeLoss)] {
        // Nothing is left out in silence, because the original is going to be removed.
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

    private func tell(_ losses: [(path: NativePath, loss: AttributeLoss)]) {
        for (path, loss) in losses.prefix(Self.toldLosses) {
            Console.say("\(path): \(loss) could not be kept")
        }
        let rest = losses.count - Self.toldLosses
        if rest > 0 { Console.say("… and \(rest) more attributes could not be kept") }
    }

    // MARK: Removing

    /// Takes the original's name away in one step, and then all that is in it.
    private func removeOriginal() throws(Failure) -> Failure? {
        let rubbish: TemporaryEntry
        do throws(SystemError) {
            rubbish = try TemporaryEntry.make(in: from)
            try from.rename(source.name, to: rubbish.name, in: from)
        } catch {
            throw Failure(
                .inputOutput,
                "\(source) was copied to \(target), but cannot be removed: "
                    + "\(String(cString: strerror(error.code))); remove one of the two")
        }
        guard !rubbish.remove() else { return nil }
        return Failure(
            .inputOutput,
            "\(source) was moved to \(target), but not all of it can be removed at its old place: "
                + "remove \(source.directory.appending(rubbish.name))")
    }
}
