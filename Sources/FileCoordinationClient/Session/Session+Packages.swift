// SPDX-License-Identifier: Apache-2.0
//
// The package policy, which all clients of a server share and the server announces (Rule 1.11).
// Before the first announcement, this process uses the user's configuration, from which the server
// makes its policy.

import FileCoordinationServer
import FileCoordinationSystem
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
    /// Returns new errors in its text, or nil if nothing has changed, for example if a new server
    /// announces the same as the last one.
    ///
    /// - Parameter isFromNewServer: whether the server does not know this process's additions yet.
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

extension Session {
    /// How long the first access waits for the first announcement.
    private static let patience = Duration.milliseconds(250)

    /// The package policy.
    package var packagePolicy: PackagePolicy {
        let known = packages.withLock { $0.announcement == nil ? nil : $0.policy }
        if let known { return known }
        _ = packages.wait(until: MonotonicClock.after(Self.patience)) { $0.announcement != nil }
        if packages.withLock({ $0.announcement == nil }) {
            // Without a server, the user's configuration is most likely what the server will
            // announce. If it announces something else, claims are filed again (see
            // ``CoordinatedAccess/finishWait()``).
            learn(PackageConfiguration.load(), isFromNewServer: false)
        }
        return packages.withLock { $0.policy }
    }

    /// Handles an announcement of the server.
    func learn(_ text: [UInt8], isFromNewServer: Bool) {
        let complaints = packages.withLock {
            $0.announced(text, isFromNewServer: isFromNewServer)
        }
        guard let complaints else { return }
        packages.notifyAll()
        places.clear()
        for complaint in complaints { Diagnostics.say("configuration of packages: \(complaint)") }
    }

    /// Sends the additions of this process to a new server.
    func announceOwnPackages() {
        let own = packages.withLock { $0.own }
        if !own.isEmpty { announce(.packagePolicy(PackagePolicy.text([], adding: own))) }
    }

    /// Adds a statement to the policy of all clients of the server.
    package func addToPackages(_ statement: PackagePolicy.Statement) throws(AccessFailure) {
        _ = packagePolicy
        guard packages.withLock({ $0.add(statement) }) else {
            throw .system(
                .limitReached(
                    "what all programs together say of directories has at most "
                        + "\(WireLimits.packagePolicyBytes) bytes; "
                        + "say less than of \(statement.fileExtension.prefix(32))"))
        }
        places.clear()
        announceOwnPackages()
    }
}
