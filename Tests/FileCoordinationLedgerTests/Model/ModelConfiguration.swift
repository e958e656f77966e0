// SPDX-License-Identifier: Apache-2.0
//
// What a run of the explorer covers: who wants what, and what may befall them.

import FileCoordinationLedger

/// One thing that a client does.
enum ModelTask: Hashable {
    /// Claims a place for writing, through the host.
    case claim(Int)
    /// The same, but gives up if a deadline passes first; it may pass at any moment.
    case claimWithDeadline(Int)
    /// Claims a place by delegation if it is delegated, in its turn if the place is in a relay,
    /// through the host if neither.
    case claimLocally(Int)
    /// The same for reading; a place may be delegated for that alone.
    case readLocally(Int)

    /// Whether it can do without the host.
    var isLocal: Bool {
        switch self {
        case .claimLocally, .readLocally: true
        case .claim, .claimWithDeadline: false
        }
    }

    var isReading: Bool {
        if case .readLocally = self { return true }
        return false
    }

    var place: Int {
        switch self {
        case .claim(let place), .claimWithDeadline(let place), .claimLocally(let place),
            .readLocally(let place):
            place
        }
    }

    /// What the body of its claim says: the place, and what for.
    var body: UInt64 { UInt64(place + 1) | (isReading ? Self.readingBit : 0) }

    static let readingBit: UInt64 = 1 << 8
}

/// What the explorer covers.
struct ModelConfiguration {
    var name: String
    /// What each client does, one after the other.
    var tasks: [[ModelTask]]
    /// How many hosts there may be, one after another.
    var hosts = 2
    /// How many records a client has.
    var records = 1
    /// What is there at the beginning.
    enum Start {
        /// The first host reigns, and both clients are connected.
        case inPlace
        /// The first host reigns, and there is no client yet.
        case host
        /// No process is there.
        case nothing
    }

    var start = Start.inPlace
    /// How often anybody dies, is stopped, forks.
    var deaths = 0
    var stops = 0
    var forks = 0
    /// Whether a host may be deposed although it runs: more than can happen, and so more is
    /// covered.
    var deposesAtAnyTime = false
    /// How often a host may delegate a place.
    var delegations = 0
    /// How often a host may delegate a place for reading, to one client at a time.
    var shares = 0
    /// Whether the ends of writes are reported, because a presenter is to hear of them.
    var reportsWrites = false
    /// How often a host may put a place into a relay, no matter which client has it or waits for it
    /// by then.
    var relays = 0
    /// How often a host may take back a grant that was not taken up; with any, grants are offers.
    var withdrawals = 0
    /// Whether hosts grant quietly what no other claim waits for.
    var isQuiet = false
    /// Whether another thread of the first client cancels its first claim, however late.
    var cancelsLate = false
    /// Whether an accessor that the present host knows nothing of is a violation by itself.
    ///
    /// Without this a fault must lead to real harm before it is caught.
    var checksKnowledge = true
    var fault: LedgerFault?

    func with(_ fault: LedgerFault?) -> ModelConfiguration {
        var copy = self
        copy.fault = fault
        copy.checksKnowledge = fault == nil
        return copy
    }
}

/// Something that can happen next.
enum ModelEvent: Hashable {
    /// The process performs its next operation.
    case step(process: Int)
    /// The process's oldest buffered store arrives in memory.
    case flush(process: Int)
    case die(process: Int)
    case stop(process: Int)
    case resume(process: Int)
    case fork(process: Int)
    /// The client begins its next task.
    case begin(client: Int)
    /// A deadline passes.
    case expire(client: Int)
    /// The client has waited for its turn in a relay for longer than any turns take.
    case tireOfRelay(client: Int)
    /// The faulty client learns of its grant from a message.
    case believeMessage(client: Int)
    /// The accessor returns.
    case finishAccess(client: Int)
    /// The client's other thread starts to cancel.
    case beginCancelling(client: Int)
    /// The client's other thread performs its next operation.
    case stepCanceller(client: Int)
    case takeOver(host: Int)
    case hear(host: Int, of: Int)
    case look(host: Int, client: Int, record: Int)
    case grant(host: Int, client: Int, record: Int)
    case withdraw(host: Int, client: Int, record: Int)
    case reap(host: Int, client: Int, record: Int)
    case delegate(host: Int, client: Int, place: Int)
    case share(host: Int, client: Int, place: Int)
    case revoke(host: Int, client: Int, place: Int)
    case care(host: Int, client: Int, record: Int)
    case bury(host: Int, client: Int)
    case beginRelay(host: Int, place: Int)
    case openRelay(host: Int)
    case endRelay(host: Int)

    /// Whether it need never happen.
    var isOptional: Bool {
        switch self {
        case .die, .stop, .resume, .fork, .delegate, .share, .beginRelay, .withdraw,
            .beginCancelling:
            true
        case .step, .flush, .begin, .expire, .tireOfRelay, .believeMessage, .finishAccess,
            .stepCanceller, .takeOver, .hear, .look, .grant, .reap, .revoke, .care, .bury,
            .openRelay, .endRelay:
            false
        }
    }
}

/// What a checker found.
enum ModelViolation: Error, Hashable {
    /// Two accessors have the place at once.
    case overlap(place: Int)
    /// An accessor runs of which the present host knows nothing.
    case unknownHolder(client: Int, host: Int)
    /// Everything has come to rest, and the client still waits, or sleeps through its grant.
    case lostGrant(client: Int)
    /// Everything has come to rest, and the host holds a place for a dead process.
    case ghostHolder(client: Int, host: Int)
    /// A write ended of which a presenter is to hear, and no host does.
    case unreported(client: Int)
    /// Everything has come to rest, and no process can become host.
    case noHost
    /// A claim was cancelled, and no client had asked for that.
    case cancelledUnasked(client: Int)
    /// A word was something that it never can be.
    case impossible(client: Int, RecordWord)
    /// The same state came again without anybody's getting anywhere.
    case livelock
}
