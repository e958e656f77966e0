// SPDX-License-Identifier: Apache-2.0
//
// Values for tests of single parts: records as they are read, claims, and a runtime directory.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import Foundation
import InstantLiterals
import Testing

@testable import FileCoordinationLedger
@testable import FileCoordinationServer

extension RecordSnapshot {
    /// A record of a state and a kind; `at` is when it was filed.
    static func sample(
        _ state: RecordState, _ kind: RecordKind = .claim, index: UInt32 = 0,
        flags: RecordFlags = [], at filedAt: Instant = 1, serial: UInt64 = 0
    ) -> RecordSnapshot {
        RecordSnapshot(
            reference: RecordReference(index: index, generation: 1), state: state, flags: flags,
            epoch: .none, kind: kind, wantsMessage: false, requestedSlot: nil, serial: serial,
            filedAt: filedAt, grantedAt: nil, hasRelinquishedToReader: false,
            hasRelinquishedToWriter: false)
    }
}

extension ClientID {
    static let one = ClientID(rawValue: 1)
    static let two = ClientID(rawValue: 2)
}

extension RecordCheck {
    /// The check of a claim that has waited since `time`.
    static func asking(_ index: UInt32, since time: Instant) -> RecordCheck {
        RecordCheck(.sample(.filed, index: index, at: time), of: .one)
    }
}

/// A runtime directory of its own, removed at the end.
final class TemporaryRuntime {
    let runtime: RuntimeDirectory
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("part-\(UUID().uuidString.prefix(8))").path
        runtime = try RuntimeDirectory.open(path: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The role of the server there.
    func role() throws -> RoleLock {
        try #require(try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime))
    }
}
