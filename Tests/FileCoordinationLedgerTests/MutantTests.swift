// SPDX-License-Identifier: Apache-2.0
//
// The protocol, wrong on purpose in one place at a time. Each mistake must lead to harm that a
// checker sees: two accessors at once, a claim that is never served, a place held for the dead.

import FileCoordinationLedger
import LedgerExploration
import XCTest

/// What the explorer catches.
final class MutantTests: XCTestCase {
    private func expect(
        _ fault: PlantedFault, _ tasks: [[ModelTask]],
        _ change: (inout ModelConfiguration) -> Void,
        file: StaticString = #filePath, line: UInt = #line
    ) -> ModelViolation? {
        var configuration = ModelConfiguration(fault.rawValue, tasks)
        change(&configuration)
        let clock = ContinuousClock()
        let start = clock.now
        let result = Explorer(configuration.with(fault)).explore()
        let found = result.violation.map { "\($0)" } ?? "NOTHING"
        print(
            "\(fault.rawValue): \(found) after \(result.states) states,",
            (clock.now - start).formatted)
        XCTAssertNotNil(result.violation, "\(fault) was not caught", file: file, line: line)
        if TestEnvironment.showsSchedules { print(result.schedule.joined(separator: "\n")) }
        return result.violation
    }

    private static let rivals = [[ModelTask.claim(0)], [.claim(0)]]
    private static let owner = [[ModelTask.claimLocally(0)], [.claim(0)]]

    func testLedgerWrittenAfterTheGrant() {
        let found = expect(.grantBeforeWord, Self.rivals) { $0.stops = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testLedgerWrittenAfterTheGrantByAServerThatDies() {
        let found = expect(.grantBeforeWord, Self.rivals) { $0.deaths = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testWordBeforeBody() {
        let found = expect(.wordBeforeBody, Self.rivals) { _ in }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testDescriptorKeptAcrossForkByAServer() {
        let found = expect(.descriptorKeptAcrossFork, [[.claim(0)]]) {
            $0.deaths = 1
            $0.forks = 1
        }
        XCTAssertEqual(found, .noServer)
    }

    func testDescriptorKeptAcrossForkByAClient() {
        let found = expect(.descriptorKeptAcrossFork, Self.rivals) {
            $0.servers = 1
            $0.deaths = 1
            $0.forks = 1
        }
        guard case .ghostHolder = found else { return XCTFail("\(found as Any)") }
    }

    func testReleasingStoreThenEpoch() {
        let found = expect(.recordStoreReleasing, Self.rivals) { $0.stops = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testReleasingStoreThenSlot() {
        let found = expect(.recordStoreReleasing, Self.owner) { $0.delegations = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testNoEpochRaise() {
        let found = expect(.noEpochRaise, Self.rivals) { $0.stops = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testNoSecondLook() {
        let found = expect(.noSecondLook, Self.rivals) { $0.stops = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    /// The first version of the protocol: because of this overlap, there is a draft.
    func testFiledBeforeLooking() {
        let found = expect(.filedBeforeLook, Self.rivals) { $0.stops = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    /// The first version of delegation.
    func testLocalBeforeLooking() {
        let found = expect(.localBeforeLook, Self.owner) {
            $0.servers = 3
            $0.stops = 1
            $0.delegations = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testGenerationNotChecked() {
        let found = expect(.generationIgnored, [[.claim(0), .claim(1)], [.claim(0)]]) {
            $0.cancelsLate = true
        }
        guard case .cancelledUnasked = found else { return XCTFail("\(found as Any)") }
    }

    func testBirthThatStoresTheEpoch() {
        let found = expect(.birthStoresEpoch, Self.rivals) {
            $0.start = .server
            $0.stops = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testRecoveryThatDoesNotWake() {
        let found = expect(.recoveryDoesNotWake, Self.rivals) { $0.deaths = 1 }
        guard case .lostGrant = found else { return XCTFail("\(found as Any)") }
    }

    func testMarkAfterRecord() {
        let found = expect(.markAfterRecord, Self.rivals) { $0.stops = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testScanBeforeRevoking() {
        let found = expect(.scanBeforeRevoke, Self.owner) { $0.delegations = 1 }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testAnAccessorOnAProvisionalGrantThatIsNotConfirmed() {
        let found = expect(.provisionalGrantNotConfirmed, Self.rivals) { $0.withdrawals = 1 }
        // The accessor has ended, but the claim is in the queue.
        guard case .impossible = found else { return XCTFail("\(found as Any)") }
    }

    func testTakingBackWhatWasTakenUp() {
        let found = expect(.withdrawsWhatIsTaken, Self.rivals) { $0.withdrawals = 1 }
        guard case .impossible = found else { return XCTFail("\(found as Any)") }
    }

    private static let members = [[ModelTask.claimLocally(0)], [.claimLocally(0)]]

    func testTakingATurnOfWhichTheServerDecides() {
        let found = expect(.turnTakenInAnyCase, Self.members) {
            $0.servers = 1
            $0.ticketQueues = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    /// The turn is passed on while the accessor runs.
    ///
    /// After that, the record only delays the server.
    func testPassingATurnOnBeforeTheClaimIsOver() {
        let found = expect(.passesBeforeRelease, Self.members) {
            $0.servers = 1
            $0.ticketQueues = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testOpeningATicketQueueAmidClaims() {
        let found = expect(.ticketQueueOpenedEarly, Self.members) {
            $0.servers = 1
            $0.ticketQueues = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testScanningBeforeEndingATicketQueue() {
        let found = expect(.scanBeforeRevoke, Self.members) {
            $0.servers = 1
            $0.ticketQueues = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    private static let readers = [
        [ModelTask.readLocally(0), .claimLocally(0)], [.readLocally(0), .readLocally(0)],
    ]

    func testGrantingAWriteBesideOneShare() {
        let found = expect(.oneShareRevoked, [[.readLocally(0)], [.claim(0)]]) {
            $0.servers = 1
            $0.shares = 1
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testWritingWhereAPlaceIsShared() {
        let found = expect(.termsIgnored, Self.readers) {
            $0.servers = 1
            $0.shares = 2
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    /// The client also uses the terms of a slot that a former server's epoch has ended.
    func testAShareOnTheTermsOfWhatWasInTheSlot() {
        let found = expect(.termsOfFormerDelegation, Self.readers) {
            $0.deaths = 1
            $0.delegations = 1
            $0.shares = 2
        }
        XCTAssertEqual(found, .overlap(place: 0))
    }

    func testAWriteThatIsNotReported() {
        let found = expect(.reportForgotten, [[.claimLocally(0)]]) {
            $0.servers = 1
            $0.delegations = 1
            $0.reportsWrites = true
        }
        XCTAssertEqual(found, .unreported(client: 0))
    }
}
