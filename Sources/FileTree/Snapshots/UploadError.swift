// SPDX-License-Identifier: Apache-2.0
//
// Why a snapshot could not be made, in words that say what to do (Rules 15.3, 17.3).

package import FileCoordinationSystem

/// Why an item could not be copied for uploading.
///
/// Nothing of the attempt remains.
package enum UploadError: Error, Hashable {
    /// The item, or something in it, could not be read.
    case unreadable(path: [UInt8], code: Int32)
    /// The item is a symbolic link.
    ///
    /// A copy of it would lead to the original file, or nowhere.
    case symbolicLink(path: [UInt8])
    /// The item is a socket, a pipe or a device.
    case notCopyable(path: [UInt8])
    /// The item is the root directory, which has no name for the archive.
    case nameless
    /// A path inside the directory is too long for an archive.
    case nameTooLong(path: [UInt8])
    /// The temporary copy could not be written.
    case unwritable(SystemError)
    /// Other users have access to the directory for temporary copies, or it cannot be used.
    ///
    /// The text says why.
    case unsafeTemporaries(path: String, reason: String)
    /// The directory for temporary copies could not be opened or made.
    case noTemporaries(path: String, SystemError)

    /// Translates the error of a copy.
    init(_ error: TreeError) {
        self =
            switch error {
            case .unreadable(let path, let error): .unreadable(path: path, code: error.code)
            case .unwritable(_, let error): .unwritable(error)
            case .intoItself, .unwanted: .unwritable(error.systemError)
            }
    }

    /// The error number, if a system call failed.
    package var number: Int32? {
        switch self {
        case .unreadable(_, let number): number
        case .symbolicLink: ErrorNumber.symbolicLink
        case .notCopyable: ErrorNumber.notSupported
        case .nameTooLong: ErrorNumber.nameTooLong
        case .unwritable(let error), .noTemporaries(_, let error): error.code
        case .nameless, .unsafeTemporaries: nil
        }
    }

    // MARK: Words

    /// The path that the error concerns.
    package var path: String? {
        switch self {
        case .unreadable(let path, _), .symbolicLink(let path), .notCopyable(let path),
            .nameTooLong(let path):
            String(decoding: path, as: UTF8.self)
        case .unsafeTemporaries(let path, _), .noTemporaries(let path, _): path
        case .nameless, .unwritable: nil
        }
    }

    /// What failed, and why.
    package var text: String {
        switch self {
        case .unreadable(_, let number):
            "\(SystemError(code: number, operation: "Copying \(path ?? "")")); "
                + "nothing was uploaded."
        case .symbolicLink:
            "\(path ?? "") is a symbolic link, of which no copy can be uploaded."
        case .notCopyable:
            "\(path ?? "") is a socket, a pipe or a device, of which no copy can be uploaded."
        case .nameless: "The root directory has no name by which its archive could be called."
        case .nameTooLong: "The path \(path ?? "") does not fit into a zip archive."
        case .unwritable(let error):
            "The temporary copy for an upload could not be written: \(error)"
        case .unsafeTemporaries(let path, let reason):
            "The directory for temporary copies, \(path), \(reason)."
        case .noTemporaries(let path, let error):
            "The directory for temporary copies, \(path), cannot be used: \(error)"
        }
    }

    /// What the user can do.
    package var advice: String {
        switch self {
        case .unreadable(_, ErrorNumber.noSuchFile), .unreadable(_, ErrorNumber.notADirectory):
            "Check the path, and try again."
        case .unreadable: "Make it readable, or take it out of the directory, and try again."
        case .symbolicLink:
            "Ask for .resolvesSymbolicLink too, which uploads what the link leads to."
        case .notCopyable: "Name a file or a directory."
        case .nameless: "Name a directory inside it."
        case .nameTooLong: "Shorten the names on the way to it, and try again."
        case .unwritable, .noTemporaries:
            "Make room, or set TMPDIR to a directory that can be written, and try again."
        case .unsafeTemporaries:
            "Remove it, or set TMPDIR to a directory of your own, and try again."
        }
    }
}
