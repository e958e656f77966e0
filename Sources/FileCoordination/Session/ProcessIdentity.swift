// SPDX-License-Identifier: Apache-2.0
//
// Names that no other process uses. A forked child is another process, although it remembers
// everything that its parent did.

import FileCoordinationSystem
import Synchronization

/// Makes purpose identifiers (Rule 4.1).
enum ProcessIdentity {
    /// A word that no other process has, for as long as this one lives.
    static var token: UInt64 {
        if ForkGuard.isForkedChild { ForkGuard.rearm() }
        return ForkGuard.processToken
    }

    /// A purpose identifier that nobody has had.
    static func freshPurpose() -> String {
        let number = purposes.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(String(token, radix: 16))-\(number)"
    }

    private static let purposes = Atomic<UInt64>(0)
}
