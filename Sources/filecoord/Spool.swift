// SPDX-License-Identifier: Apache-2.0
//
// New content, kept beside the file that it is to become: on the same file system, so that it can
// be put in place in one step, and without a name, so that nothing is left of it if it never is.
// File systems that know no files without names get one that signals and failures remove, and
// sweeps after a kill.

import FileCoordinationSystem
import Glibc

/// Content on its way into a file.
final class Spool {
    /// What has been put in so far; its number is above those of the standard streams.
    let contents: Descriptor
    private let signals: SignalReceiver
    private let placing: Placing
    private let umask: mode_t
    /// The path of the spool where it must have a name.
    private var leftover: NativePath?

    /// Makes an empty spool beside `path`, if something can be written there at all.
    init(for path: NativePath, _ placing: Placing, signals: SignalReceiver) throws(Failure) {
        self.signals = signals
        self.placing = placing
        // The only way to ask; nothing else creates files yet.
        umask = Glibc.umask(0)
        _ = Glibc.umask(umask)
        let target = try ReplacedFile(path, placing)
        let parent = path.directory
        do throws(SystemError) {
            if placing == .inPlace, target.status != nil {
                contents = try UnnamedFile.create(inOneOf: UnnamedFile.places(for: path))
                    .aboveStandardStreams()
                return
            }
            let directory = try parent.openDirectory()
            if let file = try UnnamedFile.tryCreate(in: directory, at: parent) {
                contents = try file.aboveStandardStreams()
                return
            }
        } catch {
            throw Failure(errorNumber: error.code, doing: "write in", path: parent)
        }
        // No signal may come between the file's making and its being known.
        try signals.hold()
        let name: [UInt8]
        do throws(SystemError) {
            let (file, ownName) = try UnnamedFile.createNamed(in: parent.openDirectory())
            (contents, name) = (try file.aboveStandardStreams(), ownName)
        } catch {
            throw Failure(errorNumber: error.code, doing: "write in", path: parent)
        }
        leftover = parent.appending(name)
        try signals.end(removing: leftover)
    }

    // MARK: Filling

    /// Takes in all of `descriptor`; returns how many bytes there were.
    @discardableResult
    func fill(from descriptor: Int32) throws(Failure) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(
                    .inputOutput,
                    "cannot read standard input: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return offset }
            do throws(SystemError) {
                try contents.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            } catch {
                throw Failure(error, path: "the spool")
            }
            offset += UInt64(count)
        }
    }

    /// Waits until all is on the device: what is put in place must be whole even after a crash.
    func synchronize() throws(Failure) {
        do throws(SystemError) {
            try contents.synchronize()
        } catch {
            throw Failure(error, path: "the spool")
        }
    }

    // MARK: Putting in place

    /// Puts the content in place, with the attributes of what was there.
    func place(at path: NativePath) throws(Failure) {
        let target = try ReplacedFile(path, placing)
        if placing == .inPlace, target.status != nil { return try target.overwrite(with: contents) }
        try target.giveAttributes(to: contents, umask: umask)
        do throws(SystemError) {
            let directory = try path.directory.openDirectory()
            let name = try nameSpool(in: directory)
            do throws(SystemError) {
                try directory.rename(name, to: path.name, in: directory)
            } catch {
                try? directory.removeEntry(name)
                throw error
            }
            leftover = nil
            try? FileLock.unlock(contents)
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
    }

    /// Removes what is left, after a failure.
    func discard() {
        if let leftover { _ = leftover.withCString { unlink($0) } }
    }

    /// Gives the spool a name in `directory`.
    private func nameSpool(in directory: Descriptor) throws(SystemError) -> [UInt8] {
        // A sweep that finds it knows that its maker lives.
        _ = try FileLock.tryLock(contents)
        let name = TemporaryEntry.spoolName()
        guard let leftover else {
            try directory.makeHardLink(name, toNameless: contents)
            return name
        }
        try directory.call("name the spool", name) { number, name in
            leftover.withCString { renameat(AT_FDCWD, $0, number, name) }
        }
        return name
    }
}
