// SPDX-License-Identifier: Apache-2.0
//
// A copy that no other user can read. `filecoord read` makes it under the claim and prints it
// afterwards, so that a slow reader of the pipe does not prolong the claim.

import FileCoordinationClient
import FileCoordinationSystem
import FileTree
import Glibc

/// The contents of a file at one moment.
struct PrivateCopy {
    /// The copy, which has no name and vanishes when it is closed.
    let contents: Descriptor

    /// Copies the file at `path`, in the same directory if possible.
    init(of path: NativePath, quiet: Bool) throws(Failure) {
        let original = try Self.open(path, quiet: quiet)
        var firstError: SystemError?
        for place in UnnamedFile.places(for: path) {
            let copy: Descriptor
            do throws(SystemError) {
                copy = try UnnamedFile.create(in: place)
            } catch {
                firstError = firstError ?? error
                continue
            }
            var copying = FileContents(of: original, to: copy)
            do throws(FileContents.Failure) {
                try copying.copy()
                contents = copy
                return
            } catch {
                switch error {
                // If the file cannot be read, copying it to another directory would fail as well.
                case .reading(let error):
                    throw Failure(errorNumber: error.code, doing: "read", path: path)
                case .writing(let error): firstError = firstError ?? error
                case .unwanted: continue
                }
            }
        }
        let reason = firstError.map { "\($0)" } ?? ""
        throw Failure(
            .inputOutput,
            "cannot copy \(path): \(reason); make room in its directory or in $TMPDIR")
    }

    /// Opens the file at `path`, which is a temporary copy itself and will be removed.
    init(keeping path: NativePath) throws(Failure) {
        do throws(SystemError) {
            contents = try path.open(O_RDONLY)
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: path)
        }
    }

    private static func open(_ path: NativePath, quiet: Bool) throws(Failure) -> Descriptor {
        let file: Descriptor
        let status: FileStatus
        let ownStatus: FileStatus
        do throws(SystemError) {
            // Another process may have put a pipe there. Opening it must not block under the claim.
            file = try path.open(O_RDONLY | O_NONBLOCK)
            status = try file.status()
            ownStatus = try path.status()
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: path)
        }
        switch status.kind {
        case .regular: break
        case .directory:
            throw Failure(
                .badPath,
                "\(path) is a directory: give a COMMAND after \"--\" that reads it, such as tar, "
                    + "and --recursive to cover what is inside")
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
