// SPDX-License-Identifier: Apache-2.0
//
// The 64-bit word of a ticket queue. It serves an item that several clients write in turn, so often
// and briefly that asking the server each time would cost more than the write. A client that needs
// the item takes a ticket; a client that is done serves the next ticket.
//
//      63             52 51          32 31             20 19           0
//      ┌────────────────┬──────────────┬────────────────┬──────────────┐
//      │ generation:    │ next number  │ generation:    │   serving    │
//      │ higher 12 bits │              │ lower 12 bits  │              │
//      └────────────────┴──────────────┴────────────────┴──────────────┘
//
// A futex waits on the lower half. The generation changes each time a server begins or ends a
// ticket queue, so a ticket is valid for one use of the word only. Otherwise a client that was
// stopped before it passed its turn on could later end another client's turn with the same number.
// The generation repeats after eight million queues.

/// The word of a ticket queue, as read from shared memory.
package struct TicketQueueWord: Hashable, Sendable, CustomStringConvertible {
    /// All 64 bits.
    package var rawValue: UInt64

    /// Wraps a loaded word.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    fileprivate static let numberMask: UInt32 = 0xF_FFFF

    private init(generation: UInt32, serving: UInt32, next: UInt32) {
        let low = generation << 20 | serving & Self.numberMask
        let high = (generation >> 12) << 20 | next & Self.numberMask
        rawValue = UInt64(high) << 32 | UInt64(low)
    }

    private var highHalf: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }

    /// The number of this use of the word, in 24 bits.
    package var generation: UInt32 { (highHalf >> 20) << 12 | lowHalf >> 20 }

    /// The ticket number that is served.
    package var serving: UInt32 { lowHalf & Self.numberMask }

    /// The ticket number that the next client takes.
    package var next: UInt32 { highHalf & Self.numberMask }

    /// The half on which a futex waits.
    package var lowHalf: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// Whether a server has ever begun a queue here.
    ///
    /// Zero means a truncated file.
    package var isBegun: Bool { generation > 0 }

    /// The word of a new use, in which the server's ticket 0 is served.
    package var begun: TicketQueueWord {
        let following = (generation &+ 1) & 0xFF_FFFF
        return TicketQueueWord(generation: max(1, following), serving: 0, next: 1)
    }

    /// The word after a client has taken a ticket.
    package var joined: TicketQueueWord {
        TicketQueueWord(generation: generation, serving: serving, next: next &+ 1)
    }

    /// The word after the turn was passed to the next ticket.
    package var passed: TicketQueueWord {
        TicketQueueWord(generation: generation, serving: serving &+ 1, next: next)
    }

    /// Whether this ticket is served.
    package func serves(_ ticket: QueueTicket) -> Bool {
        generation == ticket.generation && serving == ticket.number
    }

    /// The number of tickets that are taken, including the one that is served.
    package var numbersTaken: UInt32 { (next &- serving) & Self.numberMask }

    /// Whether no client has a ticket behind the one that is served.
    package var isLast: Bool { numbersTaken == 1 }

    /// A short text for logs and test failures.
    package var description: String { "use \(generation): \(serving) of \(next)" }
}

/// A ticket of a ticket queue.
package struct QueueTicket: Hashable, Sendable {
    /// The number of the ticket queue.
    package let ticketQueue: Int
    /// The generation of its word.
    package let generation: UInt32
    /// The ticket number.
    package let number: UInt32

    /// Creates the ticket that a client takes from a word.
    package init(_ ticketQueue: Int, next word: TicketQueueWord) {
        self.ticketQueue = ticketQueue
        generation = word.generation
        number = word.next
    }

    /// Creates the ticket that is served.
    package init(_ ticketQueue: Int, serving word: TicketQueueWord) {
        self.ticketQueue = ticketQueue
        generation = word.generation
        number = word.serving
    }

    /// The futex bits by which its owner is woken, without waking all waiters: one of 32.
    package var wakeBits: UInt32 { Self.wakeBits(of: number) }

    /// Returns the futex bits for a ticket number.
    package static func wakeBits(of number: UInt32) -> UInt32 { 1 << (number & 31) }
}
