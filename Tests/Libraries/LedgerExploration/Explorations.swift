// SPDX-License-Identifier: Apache-2.0
//
// The configurations that are explored. The full product of two clients, two servers, two places
// and all faults is split into parts that take seconds each; what one part leaves out is in
// another.

/// A configuration that is explored, and when.
package struct NamedExploration: Sendable {
    /// When it is explored.
    package enum Size: Sendable {
        /// In every run of the tests, in a debug build.
        case short
        /// By `explore`, in every run of `./check`.
        case ordinary
        /// By `explore --long`.
        case long
    }

    package let size: Size
    package let configuration: ModelConfiguration

    fileprivate static func short(_ configuration: ModelConfiguration) -> Self {
        Self(size: .short, configuration: configuration)
    }

    fileprivate static func ordinary(_ configuration: ModelConfiguration) -> Self {
        Self(size: .ordinary, configuration: configuration)
    }

    fileprivate static func long(_ configuration: ModelConfiguration) -> Self {
        Self(size: .long, configuration: configuration)
    }
}

/// All that is explored.
package enum Explorations {
    /// All configurations.
    package static let all = claims + ticketQueues + terms

    private static let rivals = [[ModelTask.claim(0)], [.claim(0)]]
    private static let owner = [[ModelTask.claimLocally(0)], [.claim(0)]]
    private static let busyOwner = [[ModelTask.claimLocally(0), .claimLocally(0)], [.claim(0)]]
    private static let members = [[ModelTask.claimLocally(0)], [.claimLocally(0)]]
    private static let busyMembers = [
        [ModelTask.claimLocally(0), .claimLocally(0)], [.claimLocally(0), .claimLocally(0)],
    ]

    /// Claims by way of the server, and places that are delegated.
    private static let claims: [NamedExploration] = {
        let claims = [[ModelTask.claim(0), .claim(1)], [.claim(0)]]
        let places = [[ModelTask.claim(0), .claim(1)], [.claim(1), .claim(0)]]
        return [
            .ordinary(ModelConfiguration(name: "a death", tasks: claims, deaths: 1)),
            .ordinary(ModelConfiguration(name: "a stop", tasks: claims, stops: 1)),
            .long(
                ModelConfiguration(name: "a death and a stop", tasks: claims, deaths: 1, stops: 1)),
            .ordinary(ModelConfiguration(name: "two places", tasks: places, deaths: 1)),
            .long(ModelConfiguration(name: "two places and a stop", tasks: places, stops: 1)),
            .short(
                ModelConfiguration(
                    name: "two records", tasks: [[.claim(0), .claim(0)], [.claim(0)]], records: 2)),
            .long(
                ModelConfiguration(
                    name: "two records and a death", tasks: [[.claim(0), .claim(0)], [.claim(0)]],
                    records: 2, deaths: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "birth and a death", tasks: rivals, start: .server, deaths: 1)),
            .long(
                ModelConfiguration(
                    name: "birth of all clients and a death", tasks: rivals, start: .nothing,
                    deaths: 1)),
            .long(
                ModelConfiguration(
                    name: "birth and a stop", tasks: rivals, start: .nothing, stops: 1)),
            .short(
                ModelConfiguration(
                    name: "deadline and late cancel",
                    tasks: [[.claimWithDeadline(0), .claim(1)], [.claim(0)]], cancelsLate: true)),
            .long(
                ModelConfiguration(
                    name: "deadline, late cancel and a death",
                    tasks: [[.claimWithDeadline(0), .claim(1)], [.claim(0)]], deaths: 1,
                    cancelsLate: true)),
            .ordinary(
                ModelConfiguration(
                    name: "delegation and a death", tasks: owner, deaths: 1, delegations: 1)),
            .long(
                ModelConfiguration(
                    name: "two delegations and a death", tasks: busyOwner, deaths: 1, delegations: 2
                )),
            .long(
                ModelConfiguration(
                    name: "delegation and a stop", tasks: busyOwner, stops: 1, delegations: 1)),
            .short(
                ModelConfiguration(
                    name: "unreported grants and a death", tasks: claims, deaths: 1,
                    isUnreported: true)),
            .short(
                ModelConfiguration(
                    name: "unreported grants and a stop", tasks: rivals, stops: 1,
                    isUnreported: true)),
            .short(
                ModelConfiguration(
                    name: "unreported grants and delegation", tasks: busyOwner, delegations: 1,
                    isUnreported: true)),
            .ordinary(
                ModelConfiguration(
                    name: "a grant taken back and a death", tasks: rivals, deaths: 1, withdrawals: 1
                )),
            .ordinary(
                ModelConfiguration(
                    name: "a grant taken back and a stop", tasks: rivals, stops: 1,
                    withdrawals: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "a grant taken back, a deadline and a late cancel",
                    tasks: [[.claimWithDeadline(0)], [.claim(0)]], withdrawals: 2, cancelsLate: true
                )),
            .long(
                ModelConfiguration(
                    name: "grants taken back, a death and a stop", tasks: rivals, deaths: 1,
                    stops: 1, withdrawals: 2)),
            .ordinary(
                ModelConfiguration(name: "a fork and a death", tasks: rivals, deaths: 1, forks: 1)),
            .long(
                ModelConfiguration(
                    name: "three servers and delegation", tasks: owner, servers: 3, stops: 1,
                    delegations: 1)),
            .long(
                ModelConfiguration(
                    name: "three servers, two deaths", tasks: rivals, servers: 3, deaths: 2)),
            .long(
                ModelConfiguration(
                    name: "deposing a running server", tasks: claims, deposesAtAnyTime: true)),
        ]
    }()

    /// Places in ticket queues.
    ///
    /// A client that waits for its turn may stop waiting at any moment, so no exploration depends
    /// on which client is slow.
    private static let ticketQueues: [NamedExploration] = {
        let memberAndRival = [[ModelTask.claimLocally(0)], [.claim(0)]]
        let membersAndStranger = members + [[.claim(0)]]
        return [
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue", tasks: busyMembers, servers: 1, ticketQueues: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "two ticket queues", tasks: busyMembers, servers: 1, ticketQueues: 2)),
            // The second ticket queue has the same number
            // as the first one, but is at another place.
            .ordinary(
                ModelConfiguration(
                    name: "ticket queues at two places",
                    tasks: [
                        [.claimLocally(0), .claimLocally(1)], [.claimLocally(1), .claimLocally(0)],
                    ], servers: 1, ticketQueues: 2)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue and a death of a member", tasks: members, servers: 1,
                    deaths: 1, ticketQueues: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue and a stop of a member", tasks: members, servers: 1,
                    stops: 1, ticketQueues: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue and a death", tasks: memberAndRival, deaths: 1,
                    ticketQueues: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue and deposing a running server", tasks: memberAndRival,
                    deposesAtAnyTime: true, ticketQueues: 1)),
            .long(
                ModelConfiguration(
                    name: "a ticket queue and a stranger", tasks: membersAndStranger, servers: 1,
                    ticketQueues: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue and a late cancel",
                    tasks: [busyMembers[0], [.claimLocally(0)]], servers: 1, ticketQueues: 1,
                    cancelsLate: true)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue and unreported grants", tasks: busyMembers, servers: 1,
                    ticketQueues: 1, isUnreported: true)),
            .ordinary(
                ModelConfiguration(
                    name: "a ticket queue, birth and a death", tasks: members, servers: 1,
                    start: .server, deaths: 1, ticketQueues: 1)),
            .long(
                ModelConfiguration(
                    name: "a ticket queue and a stop", tasks: members, stops: 1, ticketQueues: 1)),
            .long(
                ModelConfiguration(
                    name: "two ticket queues and a stop", tasks: members, stops: 1, ticketQueues: 2)
            ),
            .long(
                ModelConfiguration(
                    name: "a busy ticket queue and a death",
                    tasks: [busyMembers[0], [.claimLocally(0)]], deaths: 1, ticketQueues: 1)),
            .long(
                ModelConfiguration(
                    name: "a ticket queue, delegation and two records", tasks: busyMembers,
                    servers: 1, records: 2, delegations: 1, ticketQueues: 1)),
            .long(
                ModelConfiguration(
                    name: "a ticket queue of three", tasks: members + [[.claimLocally(0)]],
                    servers: 1, ticketQueues: 1)),
        ]
    }()

    /// Places that are delegated on terms: for reading, or with reports of writes.
    private static let terms: [NamedExploration] = {
        let readerAndWriter = [[ModelTask.readLocally(0)], [.claim(0)]]
        let busyReaders = [
            [ModelTask.readLocally(0), .readLocally(0)], [.readLocally(0), .claimLocally(0)],
        ]
        return [
            .short(ModelConfiguration(name: "shares", tasks: busyReaders, servers: 1, shares: 3)),
            .ordinary(
                ModelConfiguration(
                    name: "a share and a death", tasks: readerAndWriter, deaths: 1, shares: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "a share and a stop", tasks: readerAndWriter, stops: 1, shares: 1)),
            .long(
                ModelConfiguration(
                    name: "shares of two readers and a writer",
                    tasks: [[.readLocally(0)], [.readLocally(0)], [.claim(0)]], servers: 1,
                    shares: 2)),
            .ordinary(
                ModelConfiguration(
                    name: "a delegation that becomes a share", tasks: busyReaders, servers: 1,
                    delegations: 1, shares: 1)),
            .ordinary(
                ModelConfiguration(
                    name: "reported writes and a death", tasks: busyOwner, deaths: 1,
                    delegations: 1, reportsWrites: true)),
            .long(
                ModelConfiguration(
                    name: "reported writes and a stop", tasks: busyOwner, stops: 1, delegations: 1,
                    reportsWrites: true)),
            .long(
                ModelConfiguration(
                    name: "shares of two servers", tasks: busyReaders, deaths: 1, shares: 2)),
        ]
    }()
}
