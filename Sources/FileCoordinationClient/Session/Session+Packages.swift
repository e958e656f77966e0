// SPDX-License-Identifier: Apache-2.0
//
// What counts as a package is one policy for all who share an arbiter, which announces it (Rule
// 1.11). Before the first announcement there is the user's configuration, from which it is made.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// The policy, as far as it is known.
struct KnownPackages {
    /// What was announced, as text; nil before the first announcement.
    private(set) var announcement: [UInt8]?
    /// What this process has added.
    private(set) var own: [PackagePolicy.Statement] = []
    /// What of that the arbiter has not announced yet, and what counts here all the same.
    private var unconfirmed: [PackagePolicy.Statement] = []
    /// What both say.
    private(set) var policy = PackagePolicy.builtIn

    /// Handles an announcement; returns what there is to complain of that is new, and nil if
    /// nothing is, as when a new server says what the last one said.
    ///
    /// - Parameter isFromNewServer: one that does not know what this process has added.
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

    /// Adds a statement, in place of what was said of its extension before; false if no arbiter
    /// has room for it.
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

    /// What counts as a package.
    package var packagePolicy: PackagePolicy {
        let known = packages.withLock { $0.announcement == nil ? nil : $0.policy }
        if let known { return known }
        _ = packages.wait(until: MonotonicClock.after(Self.patience)) { $0.announcement != nil }
        if packages.withLock({ $0.announcement == nil }) {
            // Without an arbiter to ask, its configuration is what it will say, most likely; once
            // it says something else, claims are filed again (see
            // ``CoordinatedAccess/finishWait()``).
            learn(PackageConfiguration.load(), isFromNewServer: false)
        }
        return packages.withLock { $0.policy }
    }

    /// Handles the policy that the arbiter announces.
    func learn(_ text: [UInt8], isFromNewServer: Bool) {
        let complaints = packages.withLock {
            $0.announced(text, isFromNewServer: isFromNewServer)
        }
        guard let complaints else { return }
        packages.notifyAll()
        places.clear()
        for complaint in complaints { Diagnostics.say("configuration of packages: \(complaint)") }
    }

    /// Tells a new server what this process has added.
    func announceOwnPackages() {
        let own = packages.withLock { $0.own }
        if !own.isEmpty { announce(.packagePolicy(PackagePolicy.text([], adding: own))) }
    }

    /// Adds to the policy of all who share the arbiter.
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
