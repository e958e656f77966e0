// SPDX-License-Identifier: Apache-2.0
//
// Why no snapshot could be made, in words that say what to do (Rules 15.3, 17.3).

package import FileCoordinationSystem

/// Why an item could not be made ready for uploading.
///
/// Nothing is left of the attempt.
package enum UploadError: Error, Hashable {
    /// The item, or something in it, cannot be read.
    case unreadable(path: [UInt8], code: Int32)
    /// The item itself is a symbolic link: a copy of it would lead to the live file, or nowhere.
    case symbolicLink(path: [UInt8])
    /// The item itself is a socket, a pipe or a device.
    case notCopyable(path: [UInt8])
    /// The item is the root of the file tree, after which no archive can be named.
    case nameless
    /// A path inside the directory is longer than an archive can say.
    case nameTooLong(path: [UInt8])
    /// The temporary copy cannot be written.
    case unwritable(SystemError)
    /// The directory for temporaries is not wholly ours, or cannot be used; the text says why.
    case unsafeTemporaries(path: String, reason: String)
    /// The directory for temporaries cannot be opened or made.
    case noTemporaries(path: String, SystemError)

    /// The failure of a copy.
    init(_ error: TreeError) {
        self =
            switch error {
            case .unreadable(let path, let error): .unreadable(path: path, code: error.code)
            case .unwritable(_, let error): .unwritable(error)
            case .otherFileSystem(let path):
                .unreadable(path: path, code: ErrorNumber.crossDevice)
            case .unwanted: .unwritable(error.systemError)
            }
    }

    /// The kernel's number, if it was the kernel that failed.
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

    /// The path that it is about.
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

    /// What to do now.
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
