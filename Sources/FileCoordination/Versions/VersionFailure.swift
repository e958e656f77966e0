// SPDX-License-Identifier: Apache-2.0
//
// Converts the errors of the version store to Foundation's errors (Rule 17.5), with a sentence that
// says what failed, where and why.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import FoundationCompatibility

/// A failed operation on a version of an item.
struct VersionFailure {
    /// The operation, as the beginning of a sentence: "A version of … could not be added".
    var attempt: VersionAttempt
    /// The item.
    var url: URL

    /// Returns the error for a failure of the store.
    func error(_ error: VersionError) -> CocoaError {
        let (code, number): (CocoaError.Code, Int32?) =
            switch error {
            case .system(let error): (CocoaError.Code(ofChange: error.code), error.code)
            case .contentsAreItem, .contentsHoldStore: (.fileWriteInvalidFileName, nil)
            case .noItem, .gone: (.fileNoSuchFile, nil)
            }
        return CocoaError(
            code, url, "\(attempt.sentence(url.path)): \(error.reason).", number: number)
    }

    /// Returns the error for a failed system call.
    func error(_ error: SystemError) -> CocoaError { self.error(.system(error)) }

    /// The error if the item does not exist.
    var noItem: CocoaError { error(.noItem) }
}

extension VersionFailure {
    /// Runs `body`, and converts the errors of the store.
    func explaining<Result>(_ body: () throws(VersionError) -> Result) throws -> Result {
        do throws(VersionError) {
            return try body()
        } catch {
            throw self.error(error)
        }
    }

    /// Returns the path of a URL; throws an error of Foundation if it cannot be resolved (Rule
    /// 1.10).
    static func place(of url: URL) throws -> ItemPath {
        do {
            return try PlaceResolver.path(of: url)
        } catch {
            throw error.nsError(url: url, writing: true)
        }
    }
}
