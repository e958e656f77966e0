// SPDX-License-Identifier: Apache-2.0
//
// Every order of events, with deaths, stops and forks at every step. XCTest, because Swift Testing
// would run these on the two threads that all other tests share.

import XCTest

/// The protocol, exhaustively.
///
/// The full product of two clients, two servers, two places and all misfortunes is split, so that
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
                name: "birth and a death", tasks: Self.rivals, start: .server, deaths: 1))
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

    func testUnreportedGrants() {
        check(
            ModelConfiguration(
                name: "unreported grants and a death", tasks: Self.claims, deaths: 1,
                isUnreported: true))
    }

    func testUnreportedGrantsAndAStop() {
        check(
            ModelConfiguration(
                name: "unreported grants and a stop", tasks: Self.rivals, stops: 1,
                isUnreported: true))
    }

    func testUnreportedGrantsAndDelegation() {
        check(
            ModelConfiguration(
                name: "unreported grants and delegation", tasks: Self.busyOwner, delegations: 1,
                isUnreported: true))
    }

    func testProvisionalGrantsThatAreTakenBack() {
        check(
            ModelConfiguration(
                name: "a grant taken back and a death", tasks: Self.rivals, deaths: 1,
                withdrawals: 1))
    }

    func testProvisionalGrantsThatAreTakenBackAndAStop() {
        check(
            ModelConfiguration(
                name: "a grant taken back and a stop", tasks: Self.rivals, stops: 1,
                withdrawals: 1))
    }

    func testProvisionalGrantsThatAreTakenBackAndCancelled() {
        check(
            ModelConfiguration(
                name: "a grant taken back, a deadline and a late cancel",
                tasks: [[.claimWithDeadline(0)], [.claim(0)]], withdrawals: 2, cancelsLate: true))
    }

    func testProvisionalGrantsThatAreTakenBackByTwoServers() throws {
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

    func testThreeServers() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "three servers and delegation", tasks: Self.owner, servers: 3, stops: 1,
                delegations: 1))
    }

    func testThreeServersOfWhichTwoDie() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "three servers, two deaths", tasks: Self.rivals, servers: 3, deaths: 2))
    }

    func testDeposingARunningServer() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "deposing a running server", tasks: Self.claims, deposesAtAnyTime: true))
    }
}

/// The same where a place is in a ticket queue.
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

    func testTicketQueue() {
        check(
            ModelConfiguration(
                name: "a ticket queue", tasks: Self.busyMembers, servers: 1, ticketQueues: 1))
    }

    func testTicketQueueTwice() {
        check(
            ModelConfiguration(
                name: "two ticket queues", tasks: Self.busyMembers, servers: 1, ticketQueues: 2))
    }

    /// The second one is of the same number as the first one, and another place's.
    func testTicketQueuesAtTwoPlaces() {
        check(
            ModelConfiguration(
                name: "ticket queues at two places",
                tasks: [
                    [.claimLocally(0), .claimLocally(1)], [.claimLocally(1), .claimLocally(0)],
                ], servers: 1, ticketQueues: 2))
    }

    func testTicketQueueAndADeathOfAMember() {
        check(
            ModelConfiguration(
                name: "a ticket queue and a death of a member", tasks: Self.members, servers: 1,
                deaths: 1,
                ticketQueues: 1))
    }

    func testTicketQueueAndAStoppedMember() {
        check(
            ModelConfiguration(
                name: "a ticket queue and a stop of a member", tasks: Self.members, servers: 1,
                stops: 1,
                ticketQueues: 1))
    }

    func testTicketQueueAndADeath() {
        check(
            ModelConfiguration(
                name: "a ticket queue and a death", tasks: Self.memberAndRival, deaths: 1,
                ticketQueues: 1))
    }

    func testTicketQueueOfADeposedServer() {
        check(
            ModelConfiguration(
                name: "a ticket queue and deposing a running server", tasks: Self.memberAndRival,
                deposesAtAnyTime: true, ticketQueues: 1))
    }

    func testTicketQueueAndAStranger() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a ticket queue and a stranger", tasks: Self.membersAndStranger, servers: 1,
                ticketQueues: 1))
    }

    func testTicketQueueAndCancelling() {
        check(
            ModelConfiguration(
                name: "a ticket queue and a late cancel",
                tasks: [Self.busyMembers[0], [.claimLocally(0)]], servers: 1, ticketQueues: 1,
                cancelsLate: true))
    }

    func testTicketQueueAndUnreportedGrants() {
        check(
            ModelConfiguration(
                name: "a ticket queue and unreported grants", tasks: Self.busyMembers, servers: 1,
                ticketQueues: 1,
                isUnreported: true))
    }

    func testTicketQueueAndBirth() {
        check(
            ModelConfiguration(
                name: "a ticket queue, birth and a death", tasks: Self.members, servers: 1,
                start: .server,
                deaths: 1, ticketQueues: 1))
    }

    func testTicketQueueAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a ticket queue and a stop", tasks: Self.members, stops: 1, ticketQueues: 1))
    }

    func testTicketQueueOfTwoServersAndAStop() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "two ticket queues and a stop", tasks: Self.members, stops: 1, ticketQueues: 2
            ))
    }

    func testBusyTicketQueueAndADeath() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a busy ticket queue and a death",
                tasks: [Self.busyMembers[0], [.claimLocally(0)]],
                deaths: 1, ticketQueues: 1))
    }

    func testTicketQueueDelegationAndTwoRecords() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a ticket queue, delegation and two records", tasks: Self.busyMembers,
                servers: 1,
                records: 2, delegations: 1, ticketQueues: 1))
    }

    func testTicketQueueOfThree() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "a ticket queue of three", tasks: Self.members + [[.claimLocally(0)]],
                servers: 1,
                ticketQueues: 1))
    }
}

/// The same where a place is delegated on terms: for reading, or with reports of writes.
extension ExhaustiveTests {
    private static let readerAndWriter = [[ModelTask.readLocally(0)], [.claim(0)]]
    private static let busyReaders = [
        [ModelTask.readLocally(0), .readLocally(0)], [.readLocally(0), .claimLocally(0)],
    ]

    func testShares() {
        check(ModelConfiguration(name: "shares", tasks: Self.busyReaders, servers: 1, shares: 3))
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
                tasks: [[.readLocally(0)], [.readLocally(0)], [.claim(0)]], servers: 1, shares: 2))
    }

    func testADelegationThatBecomesAShare() {
        check(
            ModelConfiguration(
                name: "a delegation that becomes a share", tasks: Self.busyReaders, servers: 1,
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

    func testSharesOfTwoServers() throws {
        try checkIfLong(
            ModelConfiguration(
                name: "shares of two servers", tasks: Self.busyReaders, deaths: 1, shares: 2))
    }
}
