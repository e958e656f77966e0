// SPDX-License-Identifier: Apache-2.0
//
// What counts as a package is one policy for all who share an arbiter, which announces it (Rule
// 1.11). Before the first announcement there is the user's configuration, from which it is made.

import FileCoordinationHost
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

/// The policy, as far as it is known.
struct KnownPackages {
    /// As text: what was announced, and what this process has added since; nil before the first
    /// announcement.
    private(set) var text: [UInt8]?
    /// What this process has added.
    private(set) var own: [PackagePolicy.Statement] = []
    /// What the text says.
    private(set) var policy = PackagePolicy.builtIn

    /// Takes note of an announcement; returns what there is to complain of that is new.
    mutating func announced(_ text: [UInt8]) -> [String] {
        guard self.text != text else { return [] }
        let known = policy.complaints
        self.text = text
        policy = PackagePolicy(text: text)
        return policy.complaints.filter { !known.contains($0) }
    }

    /// Adds a statement, in place of what was said of its extension before.
    mutating func add(_ statement: PackagePolicy.Statement) {
        own.removeAll { $0.fileExtension == statement.fileExtension }
        own.append(statement)
        _ = announced(PackagePolicy.text(text ?? [], adding: [statement]))
    }
}

extension Session {
    /// How long the first access waits for the first announcement.
    private static let patience = Duration.milliseconds(250)

    /// What counts as a package.
    var packagePolicy: PackagePolicy {
        if let known = packages.withLock({ $0.text == nil ? nil : $0.policy }) { return known }
        _ = packages.wait(until: MonotonicClock.after(Self.patience)) { $0.text != nil }
        if packages.withLock({ $0.text == nil }) {
            // Without an arbiter to ask, its configuration is what it will say.
            learn(PackageConfiguration.load())
        }
        return packages.withLock { $0.policy }
    }

    /// Takes note of the policy that the arbiter announces.
    func learn(_ text: [UInt8]) {
        let complaints = packages.withLock { $0.announced(text) }
        packages.notifyAll()
        for complaint in complaints { Diagnostics.say("configuration of packages: \(complaint)") }
    }

    /// Tells a new host what this process has added.
    func announceOwnPackages() {
        let own = packages.withLock { $0.own }
        if !own.isEmpty { announce(.packagePolicy(PackagePolicy.text([], adding: own))) }
    }

    /// Adds to the policy of all who share the arbiter.
    func addToPackages(_ statement: PackagePolicy.Statement) {
        _ = packagePolicy
        packages.withLock { $0.add(statement) }
        announceOwnPackages()
    }
}
