// SPDX-License-Identifier: Apache-2.0
//
// The errors with which `present` refuses.

import Foundation

/// Why a presenter refused, as the party that was refused gets to see it.
enum PresenterRefusal {
    private static let domain = "filecoord.present"

    /// It was told to.
    static func asTold(_ message: PresenterMessage) -> NSError {
        error(1, "filecoord present was told to refuse \(message.rawValue) (--fail)")
    }

    /// A command failed.
    static func failedCommand(
        _ command: String, status: Int32, _ message: PresenterMessage
    ) -> NSError {
        error(
            Int(status),
            "\"\(command)\", run by filecoord present for \(message.rawValue), ended with status "
                + "\(status)")
    }

    private static func error(_ code: Int, _ description: String) -> NSError {
        NSError(
            domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}
