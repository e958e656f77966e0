// SPDX-License-Identifier: Apache-2.0
//
// Receives new content in a temporary file before it replaces a file. The temporary file is in the
// same directory and so on the same file system, which makes the replacement atomic. It has no
// name, so that nothing remains if the program dies. If the file system does not support files
// without names, it gets a name; signals and failures remove it, and after a kill the next program
// does.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// The temporary file with new content.
final class Spool {
    /// The content so far.
    ///
    /// The descriptor's number is above those of the standard streams.
    let contents: Descriptor
    private let signals: SignalReceiver
    private let placing: Placing
    private let umask: mode_t
    /// The path of the temporary file if it has a name.
    private var leftover: NativePath?

    /// Makes an empty temporary file beside `path`, after checking that `path` may be written.
    init(
        for named: NativePath, followsLinks: Bool, _ placing: Placing, signals: SignalReceiver
    ) throws(Failure) {
        let path: NativePath
        do throws(SystemError) {
            path = followsLinks ? try named.followed() : named
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: named)
        }
        self.signals = signals
        self.placing = placing
        // The umask can only be read by setting it. No other thread creates files yet.
        umask = Glibc.umask(0)
        _ = Glibc.umask(umask)
        let target = try replacing { () throws(ReplacingError) in try ReplacedFile(path, placing) }
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
        // No signal may arrive before the name of the new file is known to the signal thread.
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

    /// Reads all of `descriptor` into the file.
    ///
    /// Returns the number of bytes.
    @discardableResult
    func fill(from descriptor: Int32) throws(Failure) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(
                    .inputOutput,
                    "cannot read standard input: \(ErrorNumber.reason(errno))")
            }
            guard count > 0 else { return offset }
            do throws(SystemError) {
                try unsafe contents.write(
                    UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            } catch {
                throw Failure(error, path: "the spool")
            }
            offset += UInt64(count)
        }
    }

    /// Waits until all content is on the device, so that the replacing file is complete even after
    /// a crash.
    func synchronize() throws(Failure) {
        do throws(SystemError) {
            try contents.synchronize()
        } catch {
            throw Failure(error, path: "the spool")
        }
    }

    // MARK: Putting in place

    /// Replaces the file at `path`, and preserves its attributes.
    ///
    /// Prints what cannot be preserved.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - seen: the state in which it must be until the last moment; nil for any.
    ///   - status: the status of the failure if it is not.
    /// - Returns: the token of what was left; nil if another program has changed it by now.
    /// - Throws: the failure.
    @discardableResult
    func place(
        at path: NativePath, ifStill seen: ItemToken? = nil, else status: ExitStatus = .inputOutput
    ) throws(Failure) -> ItemToken? {
        let result: ReplacedFile.Replacement?
        do throws(ReplacingError) {
            let target = try ReplacedFile(path, placing)
            if placing == .inPlace, target.status != nil {
                try target.overwrite(with: contents)
                result = nil
            } else {
                result = try target.replace(
                    by: contents, named: leftover, umask: umask, ifStill: seen)
            }
        } catch {
            guard case .changed = error else { throw Failure(error) }
            throw Failure(status: status.rawValue, lines: Failure(error).lines)
        }
        for loss in result?.losses ?? [] { Console.say("\(path): \(loss) could not be kept") }
        leftover = nil
        // What was written in place cannot be told from what others have written there since.
        return result?.token
    }

    /// Removes the temporary file after a failure.
    func discard() {
        if let leftover { _ = unsafe leftover.withCString { unsafe unlink($0) } }
    }
}
