// SPDX-License-Identifier: Apache-2.0
//
// The counters of a server, for the monitoring of many machines with `filecoord status --metrics`.
// The program that requests the report chooses the names for users and for Prometheus.

/// What a server counts; the raw value is the place in a report, and never changes.
public enum ServerCounter: UInt8, CaseIterable, Hashable, Sendable {
    /// Claims that were filed with the server.
    case claimsFiled = 0
    /// Claims that were granted, at once or after a wait.
    case claimsGranted = 1
    /// Unreported grants: the server is not told when these claims end.
    case claimsGrantedUnreported = 2
    /// Claims that were granted and are over.
    case claimsEnded = 3
    /// Claims that were given up before they were granted.
    case claimsCancelled = 4
    /// Claims that failed because a presenter refused (Rule 9.1).
    case claimsRefused = 5
    /// Claims that failed because they waited for themselves (Rule 18.4).
    case claimsInCycles = 6
    /// Claims that the server found granted in ledgers: by a former server, or by their clients.
    case claimsRecovered = 7
    /// Grants that the server withdrew from stopped processes (Rule 18.6).
    case grantsWithdrawn = 8
    /// Presenters that were registered.
    case presentersAdded = 9
    /// Presenters that were removed; those of processes that died are not among them.
    case presentersRemoved = 10
    /// Questions to presenters.
    case questions = 11
    /// Questions that presenters have answered, also with a refusal.
    case answers = 12
    /// Other messages to presenters, because of accesses.
    case notices = 13
    /// Messages to presenters because of changes by plain programs (Rule 7.14).
    case plainNotices = 14
    /// Presenters that have followed a move by a plain program (Rule 11.9).
    case plainMoves = 15
    /// Paths that were delegated to a client.
    case delegations = 16
    /// Delegations that were recalled.
    case recalls = 17
    /// Client processes that have died with claims or presenters.
    case clientDeaths = 18
    /// How often a client process was found stopped (Rule 18.6).
    case clientStops = 19
    /// How often a client has reached a limit.
    case limitsReached = 20
}

/// The number of measured durations in each class of lengths.
public struct DurationHistogram: Hashable, Sendable {
    /// The upper bounds of the classes, in nanoseconds, ascending.
    ///
    /// The last class has no bound.
    public static let bounds: [UInt64] = [
        100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 60_000_000_000,
        600_000_000_000,
    ]

    /// The number of durations in each class; there is one class more than bounds.
    public private(set) var counts = [UInt64](repeating: 0, count: Self.bounds.count + 1)
    /// The sum of all durations, in nanoseconds.
    public private(set) var sum: UInt64 = 0

    /// Creates a histogram without durations.
    public init() {}

    /// Adds a duration, in nanoseconds.
    public mutating func add(_ duration: UInt64) {
        counts[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count] += 1
        sum &+= duration
    }

    /// Adds a duration of zero.
    public mutating func addNothing() { counts[0] += 1 }

    /// The number of all durations.
    public var count: UInt64 { counts.reduce(0, &+) }
}

/// A server's counters since it started, and its present numbers of clients, claims and others.
public struct MetricsReport: Hashable, Sendable {
    /// The arbiter.
    public var arbiter: ArbiterStatus
    /// The number of servers so far in the runtime directory, this one included.
    public var epoch: UInt32
    /// Client processes.
    public var clients: UInt32
    /// Claims that are not over, as far as the server knows of them.
    public var claims: UInt32
    /// The number of claims that wait for other claims or for presenters.
    public var waitingClaims: UInt32
    /// Registered presenters.
    public var presenters: UInt32
    /// The values of the counters, in the order of ``ServerCounter``.
    public private(set) var counts: [UInt64]
    /// The times from the filing of a claim to its grant.
    public var waits: DurationHistogram
    /// The times from a question to a presenter to its answer.
    public var answers: DurationHistogram

    /// Creates a report; counters that are missing in `counts` are zero.
    public init(
        arbiter: ArbiterStatus, epoch: UInt32, clients: UInt32 = 0, claims: UInt32 = 0,
        waitingClaims: UInt32 = 0, presenters: UInt32 = 0, counts: [ServerCounter: UInt64] = [:],
        waits: DurationHistogram = DurationHistogram(),
        answers: DurationHistogram = DurationHistogram()
    ) {
        self.arbiter = arbiter
        self.epoch = epoch
        self.clients = clients
        self.claims = claims
        self.waitingClaims = waitingClaims
        self.presenters = presenters
        self.counts = ServerCounter.allCases.map { counts[$0] ?? 0 }
        self.waits = waits
        self.answers = answers
    }

    /// The value of a counter.
    public subscript(counter: ServerCounter) -> UInt64 { counts[Int(counter.rawValue)] }
}

// MARK: - Coding

extension DurationHistogram: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        for count in counts { encoder.integer(count) }
        encoder.integer(sum)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        for index in counts.indices { counts[index] = try decoder.integer(UInt64.self) }
        sum = try decoder.integer(UInt64.self)
    }
}

extension MetricsReport: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(arbiter)
        encoder.integer(epoch)
        encoder.integer(clients)
        encoder.integer(claims)
        encoder.integer(waitingClaims)
        encoder.integer(presenters)
        for count in counts { encoder.integer(count) }
        encoder.value(waits)
        encoder.value(answers)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        self.init(
            arbiter: try decoder.value(ArbiterStatus.self),
            epoch: try decoder.integer(UInt32.self))
        clients = try decoder.integer(UInt32.self)
        claims = try decoder.integer(UInt32.self)
        waitingClaims = try decoder.integer(UInt32.self)
        presenters = try decoder.integer(UInt32.self)
        for index in counts.indices { counts[index] = try decoder.integer(UInt64.self) }
        waits = try decoder.value(DurationHistogram.self)
        answers = try decoder.value(DurationHistogram.self)
    }
}
