// SPDX-License-Identifier: Apache-2.0
//
// What the errors of the library's classes come to on the command line.

import FileCoordination
import Foundation

extension Failure {
    /// A claim that could not be filed.
    init(filing error: NSError) {
        let isOwn = error.domain == FailureReason.domain
        self.init(
            status: isOwn ? Self.status(ofOwn: error.code) : ExitStatus.badPath.rawValue,
            lines: Self.lines(error))
    }

    /// What Foundation's errors tell of a file.
    init(file error: NSError) {
        guard error.domain != FailureReason.domain else {
            self.init(status: Self.status(ofOwn: error.code), lines: Self.lines(error))
            return
        }
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let code = underlying.flatMap { $0.domain == NSPOSIXErrorDomain ? Int32($0.code) : nil }
        let status =
            code.map { Failure(errorNumber: $0, doing: "", path: "").status }
            ?? (error.code == CocoaError.fileWriteUnknown.rawValue
                ? ExitStatus.inputOutput.rawValue : ExitStatus.badPath.rawValue)
        self.init(status: status, lines: Self.lines(error))
    }

    /// A claim that was filed, and then failed instead of being granted (Rule 9.1).
    init(refusal error: NSError) {
        guard error.domain != FailureReason.domain else {
            self.init(status: Self.status(ofOwn: error.code), lines: Self.lines(error))
            return
        }
        self.init(
            .refused,
            "a presenter refused: \(error.localizedDescription) (\(error.domain) \(error.code))")
    }

    /// 1: no arbiter, 2: a limit, 3: options; whatever else the library may find is a refusal.
    private static func status(ofOwn code: Int) -> Int32 {
        let status: ExitStatus =
            switch code {
            case 1, 2: .unavailable
            case 3: .usage
            case _: .refused
            }
        return status.rawValue
    }

    private static func lines(_ error: NSError) -> [String] {
        [error.localizedDescription] + (error.localizedRecoverySuggestion.map { [$0] } ?? [])
    }
}
