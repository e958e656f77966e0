// SPDX-License-Identifier: Apache-2.0
//
// Who holds, who waits for whom, who presents: what `filecoord status` shows, and what a wait that
// takes long is explained with (Rule 18.5).

public import FileCoordinationArbiter

/// The role of a process in the wait of a claim.
public enum PartyRole: UInt8, CaseIterable, Hashable, Sendable {
    /// A granted claim.
    case holder = 0
    /// A claim further ahead in the queue.
    case waiter = 1
    /// A presenter that has not answered.
    case presenter = 2
}

/// A process that a claim waits for.
public struct Party: Hashable, Sendable {
    /// The claim, unless it is a presenter.
    public var claim: UInt64?
    /// The presenter, unless it is a claim.
    public var presenter: UInt64?
    /// Its process.
    public var processID: Int32
    /// The name of its process.
    public var processName: String
    /// Its label, for people; empty: none but the name of its process (Rule 18.15).
    public var label: String
    /// Its purpose.
    public var purpose: [UInt8]
    /// Its place, or the first of its places; empty if it has none.
    public var path: [UInt8]
    /// What it is.
    public var role: PartyRole
    /// For how long it has been so.
    public var sinceNanoseconds: UInt64
    /// The message that a presenter has to answer, by its Swift name.
    public var message: String?
    /// Whether its process is stopped, as by Control-Z.
    public var isStopped: Bool

    /// Creates a process that a claim waits for.
    public init(
        claim: UInt64?, presenter: UInt64?, processID: Int32, processName: String,
        purpose: [UInt8], path: [UInt8], role: PartyRole, sinceNanoseconds: UInt64,
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
        self.sinceNanoseconds = sinceNanoseconds
        self.message = message
        self.isStopped = isStopped
    }
}

/// The arbiter, as status shows it.
public struct ArbiterStatus: Hashable, Sendable {
    /// The server's process.
    public var processID: Int32
    /// Where the arbiter lives.
    public var kind: ServerKind
    /// For how long it has been the arbiter.
    public var uptimeNanoseconds: UInt64
    /// The version that it speaks.
    public var protocolVersion: UInt16

    /// The arbiter, as status shows it.
    public init(
        processID: Int32, kind: ServerKind, uptimeNanoseconds: UInt64, protocolVersion: UInt16
    ) {
        self.processID = processID
        self.kind = kind
        self.uptimeNanoseconds = uptimeNanoseconds
        self.protocolVersion = protocolVersion
    }
}

/// A claim, as status shows it.
public struct ClaimStatus: Hashable, Sendable {
    /// Its serial number.
    public var claim: UInt64
    /// Its process.
    public var processID: Int32
    /// The name of its process.
    public var processName: String
    /// Its label, for people; empty: none but the name of its process (Rule 18.15).
    public var label: String
    /// Its purpose.
    public var purpose: [UInt8]
    /// Where it is in its life.
    public var stage: ClaimStage
    /// For how long it has waited, or been held.
    public var sinceNanoseconds: UInt64
    /// Whether its process is stopped, as by Control-Z.
    public var isStopped: Bool
    /// What it wants, or has.
    public var items: [AccessItem]
    /// What it waits for; empty when granted, and of longer lists only the front is sent.
    public var waitsFor: [Party]
    /// How many those are in all.
    public var waitsForCount: Int
    /// What it is for; ``ClaimKind/access``, if an older server does not say.
    public var kind: ClaimKind
    /// The claims inside whose accessors it was made, ascending; of longer lists only the front is
    /// sent, and an older server sends none.
    public var outerClaims: [UInt64]

    /// A claim, as status shows it.
    public init(
        claim: UInt64, processID: Int32, processName: String, purpose: [UInt8], stage: ClaimStage,
        sinceNanoseconds: UInt64, isStopped: Bool, items: [AccessItem], waitsFor: [Party],
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
        self.sinceNanoseconds = sinceNanoseconds
        self.isStopped = isStopped
        self.items = items
        self.waitsFor = waitsFor
    }
}

/// How changes by programs that do not coordinate are found for a presenter (Rule 7.14).
public enum PresenterWatching: UInt8, CaseIterable, Hashable, Sendable {
    /// The kernel notifies of them.
    case notified = 0
    /// They are looked for at intervals: the user's limit of watches is reached.
    case limited = 1
    /// They are looked for at intervals: something may not be read.
    case forbidden = 2
    /// They are looked for at intervals: the file system belongs to the network or to another
    /// process.
    case remote = 3
    /// They are looked for at intervals: the kernel's notifications do not arrive.
    case silent = 4
}

/// A presenter, as status shows it.
public struct PresenterStatus: Hashable, Sendable {
    /// Its number.
    public var presenter: UInt64
    /// Its process.
    public var processID: Int32
    /// The name of its process.
    public var processName: String
    /// Its label, for people; empty: none but the name of its process (Rule 18.15).
    public var label: String
    /// The place that it presents, or nil if it presents none.
    public var path: [UInt8]?
    /// Whether it owes an answer for longer than answers take.
    public var isUnresponsive: Bool
    /// Whether its process is stopped, as by Control-Z.
    public var isStopped: Bool
    /// How it is told of changes by programs that do not coordinate.
    public var watching: PresenterWatching
    /// What it can be asked and told (Rule 5.3); all there is, if an older server does not say.
    public var methods: PresenterMethods
    /// In which kinds it has relinquished its item; none, if an older server does not say.
    public var relinquished: Relinquishments

    /// A presenter, as status shows it.
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

/// All that the arbiter knows, at one moment.
public struct StatusReport: Hashable, Sendable {
    /// The arbiter itself.
    public var arbiter: ArbiterStatus
    /// The claims, in line.
    public var claims: [ClaimStatus]
    /// The presenters, in order of registration.
    public var presenters: [PresenterStatus]

    /// All that the arbiter knows, at one moment.
    public init(arbiter: ArbiterStatus, claims: [ClaimStatus], presenters: [PresenterStatus]) {
        self.arbiter = arbiter
        self.claims = claims
        self.presenters = presenters
    }

    /// The encoding, of which ``ServerMessage/statusPart(_:isLast:)`` carries pieces.
    ///
    /// It has no limit of its own here: what a server knows came in within limits.
    public func encode(version: UInt16 = ProtocolVersion.current) -> [UInt8] {
        trustedEncoding(.statusReport, limit: .max, version: version)
    }

    /// The report that `bytes` encode.
    public init(
        decoding bytes: [UInt8], version: UInt16 = ProtocolVersion.current
    ) throws(WireError) {
        self = try Self.decoding(
            bytes, .statusReport, limit: WireLimits.statusReportBytes, version: version)
    }
}
