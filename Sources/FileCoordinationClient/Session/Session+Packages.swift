// SPDX-License-Identifier: Apache-2.0
//
// The package policy of this process: what the server has announced, and what the program adds.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

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
        if !own.isEmpty { tell(.packagePolicy(PackagePolicy.text([], adding: own))) }
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
