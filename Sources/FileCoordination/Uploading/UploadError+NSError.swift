// SPDX-License-Identifier: Apache-2.0
//
// Converts the errors of upload snapshots to the NSError that a coordinated read for uploading
// returns instead of running its accessor (Rules 15.3, 17.3).

#if !canImport(Darwin)
import FileCoordinationSystem
package import FileTree
package import Foundation

extension UploadError {
    /// Returns the error for an upload of `item`.
    package func nsError(item: URL) -> NSError {
        var userInfo: [String: Any] = [
            NSURLErrorKey: item, NSLocalizedDescriptionKey: text,
            NSLocalizedRecoverySuggestionErrorKey: advice,
        ]
        if let path { userInfo[NSFilePathErrorKey] = path }
        if let number {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        }
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    private var code: CocoaError.Code {
        switch self {
        case .unreadable(_, let number): Self.readingCode(number)
        case .symbolicLink, .notCopyable: .fileReadUnknown
        case .nameless, .nameTooLong: .fileReadInvalidFileName
        case .unwritable(let error), .noTemporaries(_, let error): Self.writingCode(error.code)
        case .unsafeTemporaries: .fileWriteNoPermission
        }
    }

    private static func readingCode(_ number: Int32) -> CocoaError.Code {
        switch number {
        case ErrorNumber.noSuchFile, ErrorNumber.notADirectory: .fileReadNoSuchFile
        case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .fileReadNoPermission
        case ErrorNumber.nameTooLong: .fileReadInvalidFileName
        default: .fileReadUnknown
        }
    }

    private static func writingCode(_ number: Int32) -> CocoaError.Code {
        switch number {
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded: .fileWriteOutOfSpace
        case ErrorNumber.readOnlyFileSystem: .fileWriteVolumeReadOnly
        case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .fileWriteNoPermission
        default: .fileWriteUnknown
        }
    }
}
#endif
