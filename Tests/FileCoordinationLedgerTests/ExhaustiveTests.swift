// SPDX-License-Identifier: Apache-2.0
//
// Every order of events, with deaths, stops and forks at every step. XCTest, because Swift Testing
// would run these on the two threads that all other tests share.

import XCTest

/// The protocol, exhaustively.
///
/// The full product of two clients, two hosts, two places and all misfortunes is split, so that
/// each part takes seconds: what one part leaves out is in another one. The large parts run with
/// FILECOORDINATION_LONG=1.
final class ExhaustiveTests: XCTestCase {
    private func check(
        _ configuration: ModelConfiguration, file: StaticString = #filePath, line: UInt = #line
    ) {
        let clock = ContinuousClock()
        let start = clock.now
        let result = Explorer(configuration).explore()
        let seconds = (clock.now - start).formatted
        print(
            "\(configuration.name): \(result.states) states, \(result.transitions) transitions,",
            "\(result.rests) ends, \(seconds)")
        guard let violation = result.violation else { return }
        XCTFail(
            "\(configuration.name): \(violation)\n" + result.schedule.joined(separator: "\n"),
            file: file, line: line)
    }

    private func checkIfLong(_ configuration: ModelConfiguration) throws {
        try XCTSkipUnless(TestEnvironment.isLong, "Set FILECOORDINATION_LONG=1")
        check(configuration)
    }

    private static let claims = [[ModelTask.claim(0), .claim(1)], [.claim(0)]]
    private static let rivals = [[ModelTask.claim(0)], [.claim(0)]]
    private static let places = [[ModelTask.claim(0), .claim(1)], [.claim(1), .claim(0)]]
    private static let owner = [[ModelTask.claimLocally(0)], [.claim(0)]]
    private static let busyOwner = [[ModelTask.claimLocally(0), .claimLocally(0)], [.claim(0)]]

    func testADeathAtEveryStep() {
        check(ModelConfiguration(name: "a death", tasks: Self.claims, deaths: 1))
    }

    func testAStopAtEveryStepAndDeposing() {
        check(ModelConfiguration(name: "a stop", tasks: Self.claims, stops: 1))
    }

    func testADeathAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(name: "a death and a stop", tasks: Self.claims, deaths: 1, stops: 1))
    }

    func testTwoPlacesInOppositeOrder() {
        check(ModelConfiguration(name: "two places", tasks: Self.places, deaths: 1))
    }

    func testTwoPlacesAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(name: "two places and a stop", tasks: Self.places, stops: 1))
    }

    func testTwoRecords() {
        check(
            ModelConfiguration(
                name: "two records", tasks: [[.claim(0), .claim(0)], [.claim(0)]], records: 2))
    }

    func testTwoRecordsAndADeath() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "two records and a death", tasks: [[.claim(0), .claim(0)], [.claim(0)]],
                records: 2, deaths: 1))
    }

    func testBirth() {
        check(
            ModelConfiguration(
                name: "birth and a death", tasks: Self.rivals, start: .host, deaths: 1))
    }

    func testBirthOfEverybody() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "birth of all clients and a death", tasks: Self.rivals, start: .nothing,
                deaths: 1))
    }

    func testBirthAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "birth and a stop", tasks: Self.rivals, start: .nothing, stops: 1))
    }

    func testCancelling() {
        check(
            ModelConfiguration(
                name: "deadline and late cancel",
                tasks: [[.claimWithDeadline(0), .claim(1)], [.claim(0)]], cancelsLate: true))
    }

    func testCancellingAndADeath() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "deadline, late cancel and a death",
                tasks: [[.claimWithDeadline(0), .claim(1)], [.claim(0)]], deaths: 1,
                cancelsLate: true))
    }

    func testDelegation() {
        check(
            ModelConfiguration(
                name: "delegation and a death", tasks: Self.owner, deaths: 1, delegations: 1))
    }

    func testDelegationTwiceAndADeath() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "two delegations and a death", tasks: Self.busyOwner, deaths: 1,
                delegations: 2))
    }

    func testDelegationAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "delegation and a stop", tasks: Self.busyOwner, stops: 1, delegations: 1))
    }

    func testQuietGrants() {
        check(
            ModelConfiguration(
                name: "quiet grants and a death", tasks: Self.claims, deaths: 1, isQuiet: true))
    }

    func testQuietGrantsAndAStop() {
        check(
            ModelConfiguration(
                name: "quiet grants and a stop", tasks: Self.rivals, stops: 1, isQuiet: true))
    }

    func testQuietGrantsAndDelegation() {
        check(
            ModelConfiguration(
                name: "quiet grants and delegation", tasks: Self.busyOwner, delegations: 1,
                isQuiet: true))
    }

    func testOffersThatAreTakenBack() {
        check(
            ModelConfiguration(
                name: "a grant taken back and a death", tasks: Self.rivals, deaths: 1,
                withdrawals: 1))
    }

    func testOffersThatAreTakenBackAndAStop() {
        check(
            ModelConfiguration(
                name: "a grant taken back and a stop", tasks: Self.rivals, stops: 1,
                withdrawals: 1))
    }

    func testOffersThatAreTakenBackAndCancelled() {
        check(
            ModelConfiguration(
                name: "a grant taken back, a deadline and a late cancel",
                tasks: [[.claimWithDeadline(0)], [.claim(0)]], withdrawals: 2, cancelsLate: true))
    }

    func testOffersThatAreTakenBackByTwoHosts() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "grants taken back, a death and a stop", tasks: Self.rivals, deaths: 1,
                stops: 1, withdrawals: 2))
    }

    func testAForkAndADeath() {
        check(
            ModelConfiguration(
                name: "a fork and a death", tasks: Self.rivals, deaths: 1, forks: 1))
    }

    func testThreeHosts() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "three hosts and delegation", tasks: Self.owner, hosts: 3, stops: 1,
                delegations: 1))
    }

    func testThreeHostsOfWhichTwoDie() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "three hosts, two deaths", tasks: Self.rivals, hosts: 3, deaths: 2))
    }

    func testDeposingARunningHost() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "deposing a running host", tasks: Self.claims, deposesAtAnyTime: true))
    }
}

/// The same where a place is in a relay.
///
/// A client that waits in one may tire of it at any moment, so nothing here depends on which client
/// is slow.
extension ExhaustiveTests {
    private static let members = [[ModelTask.claimLocally(0)], [.claimLocally(0)]]
    private static let busyMembers = [
        [ModelTask.claimLocally(0), .claimLocally(0)], [.claimLocally(0), .claimLocally(0)],
    ]
    private static let memberAndRival = [[ModelTask.claimLocally(0)], [.claim(0)]]
    private static let membersAndStranger = members + [[.claim(0)]]

    func testRelay() {
        check(ModelConfiguration(name: "a relay", tasks: Self.busyMembers, hosts: 1, relays: 1))
    }

    func testRelayTwice() {
        check(ModelConfiguration(name: "two relays", tasks: Self.busyMembers, hosts: 1, relays: 2))
    }

    /// The second one is of the same number as the first one, and another place's.
    func testRelaysAtTwoPlaces() {
        check(
            ModelConfiguration(
                name: "relays at two places",
                tasks: [
                    [.claimLocally(0), .claimLocally(1)], [.claimLocally(1), .claimLocally(0)],
                ], hosts: 1, relays: 2))
    }

    func testRelayAndADeathOfAMember() {
        check(
            ModelConfiguration(
                name: "a relay and a death of a member", tasks: Self.members, hosts: 1, deaths: 1,
                relays: 1))
    }

    func testRelayAndAStoppedMember() {
        check(
            ModelConfiguration(
                name: "a relay and a stop of a member", tasks: Self.members, hosts: 1, stops: 1,
                relays: 1))
    }

    func testRelayAndADeath() {
        check(
            ModelConfiguration(
                name: "a relay and a death", tasks: Self.memberAndRival, deaths: 1, relays: 1))
    }

    func testRelayOfADeposedHost() {
        check(
            ModelConfiguration(
                name: "a relay and deposing a running host", tasks: Self.memberAndRival,
                deposesAtAnyTime: true, relays: 1))
    }

    func testRelayAndAStranger() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a relay and a stranger", tasks: Self.membersAndStranger, hosts: 1,
                relays: 1))
    }

    func testRelayAndCancelling() {
        check(
            ModelConfiguration(
                name: "a relay and a late cancel",
                tasks: [Self.busyMembers[0], [.claimLocally(0)]], hosts: 1, relays: 1,
                cancelsLate: true))
    }

    func testRelayAndQuietGrants() {
        check(
            ModelConfiguration(
                name: "a relay and quiet grants", tasks: Self.busyMembers, hosts: 1, relays: 1,
                isQuiet: true))
    }

    func testRelayAndBirth() {
        check(
            ModelConfiguration(
                name: "a relay, birth and a death", tasks: Self.members, hosts: 1, start: .host,
                deaths: 1, relays: 1))
    }

    func testRelayAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a relay and a stop", tasks: Self.members, stops: 1, relays: 1))
    }

    func testRelayOfTwoHostsAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "two relays and a stop", tasks: Self.members, stops: 1, relays: 2))
    }

    func testBusyRelayAndADeath() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a busy relay and a death", tasks: [Self.busyMembers[0], [.claimLocally(0)]],
                deaths: 1, relays: 1))
    }

    func testRelayDelegationAndTwoRecords() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a relay, delegation and two records", tasks: Self.busyMembers, hosts: 1,
                records: 2, delegations: 1, relays: 1))
    }

    func testRelayOfThree() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a relay of three", tasks: Self.members + [[.claimLocally(0)]], hosts: 1,
                relays: 1))
    }
}

/// The same where a place is delegated on terms: for reading, or with reports of writes.
extension ExhaustiveTests {
    private static let readerAndWriter = [[ModelTask.readLocally(0)], [.claim(0)]]
    private static let busyReaders = [
        [ModelTask.readLocally(0), .readLocally(0)], [.readLocally(0), .claimLocally(0)],
    ]

    func testShares() {
        check(ModelConfiguration(name: "shares", tasks: Self.busyReaders, hosts: 1, shares: 3))
    }

    func testAShareAndADeath() {
        check(
            ModelConfiguration(
                name: "a share and a death", tasks: Self.readerAndWriter, deaths: 1, shares: 1))
    }

    func testAShareAndAStop() {
        check(
            ModelConfiguration(
                name: "a share and a stop", tasks: Self.readerAndWriter, stops: 1, shares: 1))
    }

    func testSharesOfTwoReadersAndAWriter() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "shares of two readers and a writer",
                tasks: [[.readLocally(0)], [.readLocally(0)], [.claim(0)]], hosts: 1, shares: 2))
    }

    func testADelegationThatBecomesAShare() {
        check(
            ModelConfiguration(
                name: "a delegation that becomes a share", tasks: Self.busyReaders, hosts: 1,
                delegations: 1, shares: 1))
    }

    func testReportedWrites() {
        check(
            ModelConfiguration(
                name: "reported writes and a death", tasks: Self.busyOwner, deaths: 1,
                delegations: 1, reportsWrites: true))
    }

    func testReportedWritesAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "reported writes and a stop", tasks: Self.busyOwner, stops: 1,
                delegations: 1, reportsWrites: true))
    }

    func testSharesOfTwoHosts() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "shares of two hosts", tasks: Self.busyReaders, deaths: 1, shares: 2))
    }
}
