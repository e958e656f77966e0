// SPDX-License-Identifier: Apache-2.0
//
// A move from one file system to another, which no kernel does: a copy is made beside the new place
// under a name of its own, put into place in one step when it is whole and on the device, and then
// the original goes. Whatever happens, the item is whole in one of the two places.

import FileCoordination
import FileCoordinationSystem
import Foundation

/// A move by copying and removing.
struct FileSystemCrossing {
    private let from: (directory: Directory, name: String)
    private let to: (directory: Directory, name: String)
    private let signals: SignalDesk
    private let ifTaken: Directory.TakenName

    init(
        from: (Directory, String), to: (Directory, String), _ signals: SignalDesk,
        ifTaken: Directory.TakenName
    ) {
        self.from = from
        self.to = to
        self.signals = signals
        self.ifTaken = ifTaken
    }

    private var source: String { "\(from.directory.path)/\(from.name)" }
    private var target: String { "\(to.directory.path)/\(to.name)" }

    /// Moves the item.
    ///
    /// - Returns: what is to be said if something is left of it at its old place.
    func run() throws(Failure) -> Failure? {
        try refuseUnremovable()
        let copy = Self.temporaryName()
        do throws(Failure) {
            try make(copy)
            // From here on it is too late to turn back.
            if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            try place(copy)
        } catch {
            TreeRemoval.remove(Array(copy.utf8), from: to.directory.descriptor)
            throw error
        }
        return try removeOriginal()
    }

    private static func temporaryName() -> String {
        ".filecoord-\(getpid())-\(UInt32.random(in: .min ... .max))"
    }

    /// Before anything is copied: an original that cannot go makes no move.
    private func refuseUnremovable() throws(Failure) {
        guard faccessat(from.directory.descriptor.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw Failure(errorNumber: errno, doing: "remove", path: source)
        }
    }

    // MARK: Copying

    private func make(_ copy: String) throws(Failure) {
        var treeCopy = TreeCopy(of: source, to: to.directory.descriptor, signals)
        try treeCopy.copy(from.name, in: from.directory.descriptor, as: copy)
        do throws(SystemError) {
            try to.directory.descriptor.synchronizeFileSystem()
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: target)
        }
    }

    private func place(_ copy: String) throws(Failure) {
        do throws(SystemError) {
            try to.directory.rename(copy, to: to.name, ifTaken: ifTaken)
        } catch {
            throw Failure(errorNumber: error.code, doing: "move to", path: target)
        }
    }

    // MARK: Removing

    /// Takes the original's name away in one step, and then all that is in it.
    private func removeOriginal() throws(Failure) -> Failure? {
        let rubbish = Self.temporaryName()
        do throws(SystemError) {
            try from.directory.rename(from.name, to: rubbish, ifTaken: .replace)
        } catch {
            throw Failure(
                .inputOutput,
                "\(source) was copied to \(target), but cannot be removed: "
                    + "\(String(cString: strerror(error.code))); remove one of the two")
        }
        guard !TreeRemoval.remove(Array(rubbish.utf8), from: from.directory.descriptor) else {
            return nil
        }
        return Failure(
            .inputOutput,
            "\(source) was moved to \(target), but not all of it can be removed at its old place: "
                + "remove \(from.directory.path)/\(rubbish)")
    }
}
