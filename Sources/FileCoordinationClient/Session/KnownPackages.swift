// SPDX-License-Identifier: Apache-2.0
//
// The package policy, which all clients of a server share and the server announces (Rule 1.11).
// Before the first announcement, this process uses the user's configuration, from which the server
// makes its policy.

import FileCoordinationServer
import FileCoordinationWire

/// The package policy, as far as this process knows it.
struct KnownPackages {
    /// The text of the last announcement; nil before the first.
    private(set) var announcement: [UInt8]?
    /// The additions of this process.
    private(set) var own: [PackagePolicy.Statement] = []
    /// The additions that the server has not announced yet.
    ///
    /// They are valid in this process already.
    private var unconfirmed: [PackagePolicy.Statement] = []
    /// The combined policy.
    private(set) var policy = PackagePolicy.builtIn

    /// Handles an announcement.
    ///
    /// - Parameters:
    ///   - text: the announced text.
    ///   - isFromNewServer: whether the server does not know this process's additions yet.
    /// - Returns: new errors in its text; nil if nothing has changed, for example if a new server
    ///   announces the same as the last one.
    mutating func announced(_ text: [UInt8], isFromNewServer: Bool) -> [String]? {
        if text == announcement, own.isEmpty { return nil }
        if isFromNewServer { unconfirmed = own }
        if !unconfirmed.isEmpty {
            let lines = Set(text.split(separator: UInt8(ascii: "\n")).map { Array($0) })
            unconfirmed.removeAll { lines.contains(Array($0.text.utf8)) }
        }
        announcement = text
        return combine()
    }

    /// Adds a statement, which replaces earlier ones about its extension.
    ///
    /// Returns false if the server would not have room for it.
    mutating func add(_ statement: PackagePolicy.Statement) -> Bool {
        let known = own.filter { $0.fileExtension != statement.fileExtension } + [statement]
        let text = PackagePolicy.text([], adding: known)
        guard PackageConfiguration.hasRoom(for: text, in: announcement ?? []) else { return false }
        own = known
        unconfirmed.append(statement)
        _ = combine()
        return true
    }

    private mutating func combine() -> [String] {
        let known = policy.complaints
        policy = PackagePolicy(text: PackagePolicy.text(announcement ?? [], adding: unconfirmed))
        return policy.complaints.filter { !known.contains($0) }
    }
}
