// SPDX-License-Identifier: Apache-2.0
//
// The refusals of the presenters in this program (Rule 9.2).

import FileCoordinationClient

extension PresenterRefusal {
    /// A refusal by a presenter of this program.
    init(code: Int, _ sentence: String) {
        self.init(domain: "filecoord.present", code: code, description: sentence)
    }

    /// The refusal that `--fail` demands.
    static func asTold(_ message: PresenterMessage) -> PresenterRefusal {
        PresenterRefusal(
            code: 1, "filecoord present was told to refuse \(message.rawValue) (--fail)")
    }

    /// The refusal because a shell command failed.
    static func failedCommand(
        _ command: String, status: Int32, _ message: PresenterMessage
    ) -> PresenterRefusal {
        PresenterRefusal(
            code: Int(status),
            "\"\(command)\", run by filecoord present for \(message.rawValue), ended with status "
                + "\(status)")
    }
}
