// SPDX-License-Identifier: Apache-2.0
//
// What a run of the explorer covers: the accesses of the clients, and the faults that may occur.

package import FileCoordinationLedger

/// One thing that a client does.
package enum ModelTask: Hashable, Sendable {
    /// Claims a place for writing, through the server.
    case claim(Int)
    /// The same, but gives up if a deadline passes first; it may pass at any moment.
    case claimWithDeadline(Int)
    /// Claims a place by delegation if it is delegated, in its turn if the place is in a ticket
    /// queue, through the server if neither.
    case claimLocally(Int)
    /// The same for reading; a place may be delegated for that alone.
    case readLocally(Int)

    /// Whether it can do without the server.
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
package struct ModelConfiguration: Sendable {
    package var name: String
    /// What each client does, one after the other.
    package var tasks: [[ModelTask]]
    /// How many servers there may be, one after another.
    package var servers = 2
    /// How many records a client has.
    package var records = 1
    /// What is there at the beginning.
    package enum Start: Sendable {
        /// The first server reigns, and both clients are connected.
        case inPlace
        /// The first server reigns, and there is no client yet.
        case server
        /// No process is there.
        case nothing
    }

    package var start = Start.inPlace
    /// How many deaths, stops and forks there may be.
    package var deaths = 0
    package var stops = 0
    package var forks = 0
    /// Whether a server may be deposed although it runs.
    ///
    /// That cannot happen, but covers more states.
    package var deposesAtAnyTime = false
    /// How often a server may delegate a place.
    package var delegations = 0
    /// How often a server may delegate a place for reading, to one client at a time.
    package var shares = 0
    /// Whether the ends of writes are reported, because a presenter is to be told of them.
    package var reportsWrites = false
    /// How often a server may put a place into a ticket queue, no matter which client has it or
    /// waits for it by then.
    package var ticketQueues = 0
    /// How often a server may take back a grant that was not taken up; with any, grants are offers.
    package var withdrawals = 0
    /// Whether servers grant without a report what no other claim waits for.
    package var isUnreported = false
    /// Whether another thread of the first client cancels its first claim, however late.
    package var cancelsLate = false
    /// Whether an accessor that the present server knows nothing of is a violation by itself.
    ///
    /// Without this a fault must lead to real harm before it is caught.
    package var checksKnowledge = true
    package var fault: PlantedFault?

    package func with(_ fault: PlantedFault?) -> ModelConfiguration {
        var copy = self
        copy.fault = fault
        copy.checksKnowledge = fault == nil
        return copy
    }
}

extension ModelConfiguration {
    /// Tasks without any fault.
    package init(_ name: String, _ tasks: [[ModelTask]]) { self.init(name: name, tasks: tasks) }
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
    /// The client has waited for its turn in a ticket queue for longer than any turns take.
    case tireOfTicketQueue(client: Int)
    /// The faulty client learns of its grant from a message.
    case believeMessage(client: Int)
    /// The accessor returns.
    case finishAccess(client: Int)
    /// The client's other thread starts to cancel.
    case beginCancelling(client: Int)
    /// The client's other thread performs its next operation.
    case stepCanceller(client: Int)
    case takeOver(server: Int)
    case receive(server: Int, of: Int)
    case look(server: Int, client: Int, record: Int)
    case grant(server: Int, client: Int, record: Int)
    case withdraw(server: Int, client: Int, record: Int)
    case reap(server: Int, client: Int, record: Int)
    case delegate(server: Int, client: Int, place: Int)
    case share(server: Int, client: Int, place: Int)
    case revoke(server: Int, client: Int, place: Int)
    case requestReport(server: Int, client: Int, record: Int)
    case removeClient(server: Int, client: Int)
    case beginTicketQueue(server: Int, place: Int)
    case openTicketQueue(server: Int)
    case endTicketQueue(server: Int)

    /// Whether it need never happen.
    var isOptional: Bool {
        switch self {
        case .die, .stop, .resume, .fork, .delegate, .share, .beginTicketQueue, .withdraw,
            .beginCancelling:
            true
        case .step, .flush, .begin, .expire, .tireOfTicketQueue, .believeMessage, .finishAccess,
            .stepCanceller, .takeOver, .receive, .look, .grant, .reap, .revoke, .requestReport,
            .removeClient,
            .openTicketQueue, .endTicketQueue:
            false
        }
    }
}

/// What a checker found.
package enum ModelViolation: Error, Hashable {
    /// Two accessors have the place at once.
    case overlap(place: Int)
    /// An accessor runs of which the present server knows nothing.
    case unknownHolder(client: Int, server: Int)
    /// Everything has come to rest, and the client still waits, or sleeps through its grant.
    case lostGrant(client: Int)
    /// Everything has come to rest, and the server holds a place for a dead process.
    case ghostHolder(client: Int, server: Int)
    /// A write ended whose end a presenter must be told of, and no server was told.
    case unreported(client: Int)
    /// Everything has come to rest, and no process can become server.
    case noServer
    /// A claim was cancelled, and no client had asked for that.
    case cancelledUnasked(client: Int)
    /// A word was something that it never can be.
    case impossible(client: Int, RecordWord)
    /// The same state came again, and no process had made progress.
    case livelock
}
