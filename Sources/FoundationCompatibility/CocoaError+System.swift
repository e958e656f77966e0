// SPDX-License-Identifier: Apache-2.0
//
// Creates Foundation's errors of failed changes of items (Rule 17.3).

import FileCoordinationSystem
import Foundation

extension CocoaError {
    /// Creates the error of an item, with a sentence that says what failed, where and why.
    ///
    /// `number` is the error number of the system call that failed, if one did. `others` are more
    /// entries of `userInfo`.
    package init(
        _ code: Code, _ url: URL, _ sentence: String, number: Int32? = nil,
        _ others: [String: Any] = [:]
    ) {
        var userInfo = others
        userInfo[NSURLErrorKey] = url
        userInfo[NSFilePathErrorKey] = url.path
        userInfo[NSLocalizedDescriptionKey] = sentence
        if let number {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        }
        self.init(code, userInfo: userInfo)
    }
}

extension CocoaError.Code {
    /// The code of a change of an item that failed with this error number.
    package init(ofChange number: Int32) {
        self =
            switch number {
            case ErrorNumber.noSuchFile, ErrorNumber.notADirectory: .fileNoSuchFile
            case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .fileWriteNoPermission
            case ErrorNumber.noSpace, ErrorNumber.quotaExceeded: .fileWriteOutOfSpace
            case ErrorNumber.readOnlyFileSystem: .fileWriteVolumeReadOnly
            case ErrorNumber.alreadyExists: .fileWriteFileExists
            case ErrorNumber.nameTooLong: .fileWriteInvalidFileName
            default: .fileWriteUnknown
            }
    }
}
