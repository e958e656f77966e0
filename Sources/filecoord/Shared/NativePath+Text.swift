// SPDX-License-Identifier: Apache-2.0
//
// Paths as text for the user and for other programs.

import FileCoordinationClient

extension NativePath {
    /// The path as text for arguments and environment variables of other programs.
    var argument: String { ArgumentText.encode(bytes) }
}

extension UserText {
    /// The paths of a claim: all of them, or the first three and a count.
    static func paths(_ items: [NativePath]) -> String {
        let shown = items.prefix(3).map { "\($0)" }.joined(separator: ", ")
        return items.count > 3 ? "\(shown) and \(items.count - 3) more" : shown
    }
}
