// SPDX-License-Identifier: Apache-2.0
//
// Status reports: which claims hold items, which wait for what, and which presenters there are.
// `filecoord status` shows them, and errors about long waits contain parts of them (Rule 18.5).

public import FileCoordinationArbiter

/// The role of a process in the wait of a claim.
public enum PartyRole: UInt8, CaseIterable, Hashable, Sendable {
    /// A granted claim.
    case holder = 0
    /// A claim before it in the queue.
    case waiter = 1
    /// A presenter that has not answered.
    case presenter = 2
}

/// A process that a claim waits for.
public struct Party: Hashable, Sendable {
    /// The claim's number; nil for a presenter.
    public var claim: UInt64?
    /// The presenter's number; nil for a claim.
    public var presenter: UInt64?
    /// The process ID.
    public var processID: Int32
    /// The name of the program.
    public var processName: String
    /// The label for people; if empty, the program's name is used (Rule 18.15).
    public var label: String
    /// The purpose of the claim or presenter.
    public var purpose: [UInt8]
    /// The path, or the first of several; empty if there is none.
    public var path: [UInt8]
    /// The role of the process.
    public var role: PartyRole
    /// How long the process has been in this role.
    public var since: Duration
    /// The Swift name of the message that a presenter must answer.
    public var message: String?
    /// Whether the process is stopped, for example by Control-Z.
    public var isStopped: Bool

    /// Creates a process that a claim waits for.
    public init(
        claim: UInt64?, presenter: UInt64?, processID: Int32, processName: String,
        purpose: [UInt8], path: [UInt8], role: PartyRole, since: Duration,
        message: String?, isStopped: Bool, label: String = ""
    ) {
        self.label = label
        self.claim = claim
        self.presenter = presenter
        self.processID = processID
        self.processName = processName
        self.purpose = purpose
        self.path = path
        self.role = role
        self.since = since
        self.message = message
        self.isStopped = isStopped
    }
}

/// The status of the server.
public struct ServerStatus: Hashable, Sendable {
    /// The process ID of the server.
    public var processID: Int32
    /// Where the server runs.
    public var kind: ServerKind
    /// How long the server has run.
    public var uptime: Duration
    /// The protocol version of the server.
    public var protocolVersion: UInt16

    /// Creates a status.
    public init(
        processID: Int32, kind: ServerKind, uptime: Duration, protocolVersion: UInt16
    ) {
        self.processID = processID
        self.kind = kind
        self.uptime = uptime
        self.protocolVersion = protocolVersion
    }
}

/// The status of a claim.
public struct ClaimStatus: Hashable, Sendable {
    /// The serial number.
    public var claim: UInt64
    /// The process ID.
    public var processID: Int32
    /// The name of the program.
    public var processName: String
    /// The label for people; if empty, the program's name is used (Rule 18.15).
    public var label: String
    /// The purpose of the claim.
    public var purpose: [UInt8]
    /// The stage of the claim.
    public var stage: ClaimStage
    /// How long the claim has waited or has been held.
    public var since: Duration
    /// Whether the process is stopped, for example by Control-Z.
    public var isStopped: Bool
    /// The items of the claim.
    public var items: [AccessItem]
    /// What the claim waits for; empty if it is granted.
    ///
    /// Of longer lists, only the beginning is sent.
    public var waitsFor: [Party]
    /// The total number of parties that it waits for.
    public var waitsForCount: Int
    /// What it is for.
    public var kind: ClaimKind
    /// The claims inside whose accessors it was made, ascending; of longer lists only the front is
    /// sent.
    public var outerClaims: [UInt64]

    /// Creates a status.
    public init(
        claim: UInt64, processID: Int32, processName: String, purpose: [UInt8], stage: ClaimStage,
        since: Duration, isStopped: Bool, items: [AccessItem], waitsFor: [Party],
        waitsForCount: Int? = nil, label: String = "", kind: ClaimKind = .access,
        outerClaims: [UInt64] = []
    ) {
        self.label = label
        self.kind = kind
        self.outerClaims = outerClaims
        self.waitsForCount = waitsForCount ?? waitsFor.count
        self.claim = claim
        self.processID = processID
        self.processName = processName
        self.purpose = purpose
        self.stage = stage
        self.since = since
        self.isStopped = isStopped
        self.items = items
        self.waitsFor = waitsFor
    }
}

extension ClaimStatus {
    /// Whether a claim's number says that the arbiter does not know it: its client has granted it
    /// to itself, or it waits in a ticket queue.
    public static func isUnreported(_ number: UInt64) -> Bool { number >> 62 != 0 }
}

/// How the server finds changes by programs that do not coordinate, for a presenter (Rule 7.14).
public enum PresenterWatching: UInt8, CaseIterable, Hashable, Sendable {
    /// The kernel reports the changes.
    case notified = 0
    /// The server polls, because the user's limit of inotify watches is reached.
    case limited = 1
    /// The server polls, because it may not read a directory.
    case forbidden = 2
    /// The server polls, because the file system belongs to the network or to another process.
    case remote = 3
    /// The server polls, because the kernel's reports do not arrive.
    case silent = 4
    /// The server finds no changes, because it could not start to look for them.
    case unwatched = 5
    /// The server finds no changes, because a file system that it looks at does not answer.
    case stuck = 6
}

/// The status of a presenter.
public struct PresenterStatus: Hashable, Sendable {
    /// The presenter's number.
    public var presenter: UInt64
    /// The process ID.
    public var processID: Int32
    /// The name of the program.
    public var processName: String
    /// The label for people; if empty, the program's name is used (Rule 18.15).
    public var label: String
    /// The presented path; nil if there is none.
    public var path: [UInt8]?
    /// Whether it has not answered in time.
    public var isUnresponsive: Bool
    /// Whether the process is stopped, for example by Control-Z.
    public var isStopped: Bool
    /// How the server finds changes by programs that do not coordinate.
    public var watching: PresenterWatching
    /// What it can be asked and told (Rule 5.3).
    public var methods: PresenterMethods
    /// The kinds of access to which it has relinquished its item.
    public var relinquished: Relinquishments

    /// Creates a status.
    public init(
        presenter: UInt64, processID: Int32, processName: String, path: [UInt8]?,
        isUnresponsive: Bool, isStopped: Bool, label: String = "",
        watching: PresenterWatching = .notified, methods: PresenterMethods = .all,
        relinquished: Relinquishments = []
    ) {
        self.watching = watching
        self.methods = methods
        self.relinquished = relinquished
        self.label = label
        self.presenter = presenter
        self.processID = processID
        self.processName = processName
        self.path = path
        self.isUnresponsive = isUnresponsive
        self.isStopped = isStopped
    }
}

/// The status of all claims, presenters and delegations at one moment.
public struct StatusReport: Hashable, Sendable {
    /// The status of the server.
    public var arbiter: ServerStatus
    /// The claims, in queue order.
    public var claims: [ClaimStatus]
    /// The presenters, in order of registration.
    public var presenters: [PresenterStatus]
    /// What processes may use without asking.
    public var delegations: [DelegationStatus]

    /// Creates a report.
    public init(
        arbiter: ServerStatus, claims: [ClaimStatus], presenters: [PresenterStatus],
        delegations: [DelegationStatus] = []
    ) {
        self.delegations = delegations
        self.arbiter = arbiter
        self.claims = claims
        self.presenters = presenters
    }

    /// Encodes the report.
    ///
    /// ``ServerMessage/statusPart(_:isLast:)`` carries parts of it.
    ///
    /// There is no limit here, because everything that a server knows came in within limits.
    public func encode() -> [UInt8] {
        trustedEncoding(.statusReport, limit: .max)
    }

    /// Decodes a report.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .statusReport, limit: WireLimits.statusReportBytes)
    }
}
