// SPDX-License-Identifier: Apache-2.0
//
// A copy that nobody else can see: it is taken under the claim and printed after it, so that a slow
// reader of the pipe holds nothing.

import FileCoordinationSystem
import Foundation

/// A file's contents at one moment.
struct PrivateCopy {
    /// The copy; it has no name, and is gone when it is closed.
    let contents: Descriptor

    /// Copies the file at `path`, beside it if possible: there it may share the file's blocks, and
    /// there is room for files of its size.
    init(of path: String, quiet: Bool) throws(Failure) {
        let original = try Self.open(path, quiet: quiet)
        var firstError: SystemError?
        for place in Self.places(for: path) {
            do throws(SystemError) {
                let copy = try UnnamedFile.create(in: place)
                try FileContents.copy(original, to: copy)
                contents = copy
                return
            } catch {
                firstError = firstError ?? error
            }
        }
        let reason = firstError.map { "\($0)" } ?? ""
        throw Failure(
            .inputOutput,
            "cannot copy \(path): \(reason); make room in its directory or in $TMPDIR")
    }

    /// Keeps the file at `path`, which is a copy already, and is going to lose its name.
    init(keeping path: String) throws(Failure) {
        let number = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw Failure(errorNumber: errno, doing: "read", path: path) }
        contents = Descriptor(adopting: number)
    }

    private static func places(for path: String) -> [String] {
        let temporary = getenv("TMPDIR").map { String(cString: $0) }
        return [PathParts(path).directory] + [temporary, "/tmp", "/var/tmp"].compactMap(\.self)
    }

    private static func open(_ path: String, quiet: Bool) throws(Failure) -> Descriptor {
        // A pipe that somebody has put there must not hold us up while we hold the claim.
        let number = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else {
            throw Failure(errorNumber: errno, doing: "read", path: path)
        }
        let file = Descriptor(adopting: number)
        let status: FileStatus
        let ownStatus: FileStatus
        do {
            status = try file.status()
            ownStatus = try FileStatus(path: path, followLinks: false)
        } catch {
            throw Failure(error, path: path)
        }
        switch status.kind {
        case .regular: break
        case .directory:
            throw Failure(
                .badPath,
                "\(path) is a directory: give a COMMAND after \"--\" that reads it, such as tar")
        case .symbolicLink, .socket, .other:
            throw Failure(.badPath, "\(path) is not a regular file: only those can be copied")
        }
        if ownStatus.kind == .symbolicLink, !quiet {
            Console.say(
                "\(path) is a symbolic link: the claim is on the link, not on what it leads to")
        }
        return file
    }
}
