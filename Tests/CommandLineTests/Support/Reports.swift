// SPDX-License-Identifier: Apache-2.0
//
// Reports without a server.

import FileCoordinationArbiter
import FileCoordinationWire

extension StatusReport {
    /// A report of these.
    static func of(
        _ claims: [FileCoordinationWire.ClaimStatus],
        _ presenters: [FileCoordinationWire.PresenterStatus] = []
    ) -> StatusReport {
        StatusReport(
            arbiter: ServerStatus(
                processID: 1, kind: .daemon, uptime: .nanoseconds(1), protocolVersion: 5),
            claims: claims, presenters: presenters)
    }
}

extension FileCoordinationWire.ClaimStatus {
    /// A claim of a process of its own, which is `process` and its number.
    static func claim(
        _ number: UInt64, _ access: Access, _ stage: ClaimStage = .granted,
        at path: String = "/d/a",
        packageDepths: [Int] = [], process: Int32? = nil, inside: [UInt64] = []
    ) -> Self {
        let items = ItemPath(path).map {
            [AccessItem(path: $0, access: access, packageDepths: packageDepths)]
        }
        return Self(
            claim: number, processID: process ?? Int32(number) + 100, processName: "claimer",
            purpose: Array("\(number)".utf8), stage: stage, since: .seconds(2),
            isStopped: false, items: items ?? [], waitsFor: [], outerClaims: inside)
    }

    /// The same, waiting for these.
    func waiting(for parties: Party...) -> Self {
        var claim = self
        claim.waitsFor = parties
        claim.waitsForCount = parties.count
        return claim
    }
}

extension FileCoordinationWire.PresenterStatus {
    /// A presenter of a process of its own.
    static func presenter(
        _ number: UInt64, at path: String = "/d/a", methods: PresenterMethods = .all,
        relinquished: Relinquishments = [], isUnresponsive: Bool = false, isStopped: Bool = false
    ) -> Self {
        Self(
            presenter: number, processID: Int32(number) + 200, processName: "viewer",
            path: Array(path.utf8), isUnresponsive: isUnresponsive, isStopped: isStopped,
            methods: methods, relinquished: relinquished)
    }
}

extension Party {
    /// A claim of ``FileCoordinationWire/ClaimStatus``.
    static func claim(_ number: UInt64, _ role: PartyRole = .holder) -> Party {
        Party(
            claim: number, presenter: nil, processID: Int32(number) + 100, processName: "claimer",
            purpose: [], path: Array("/d/a".utf8), role: role, since: .nanoseconds(1), message: nil,
            isStopped: false)
    }

    /// A presenter that has not answered.
    static func presenter(_ number: UInt64, process: Int32? = nil) -> Party {
        Party(
            claim: nil, presenter: number, processID: process ?? Int32(number) + 200,
            processName: "viewer",
            purpose: [], path: Array("/d/a".utf8), role: .presenter, since: .zero,
            message: "savePresentedItemChanges", isStopped: false)
    }
}
