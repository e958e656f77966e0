// SPDX-License-Identifier: Apache-2.0
//
// The 64 bits of a ticket queue: a place that several clients write one after the other, so often
// and for so short a time that to ask a server each time costs more than the writing. A client that
// wants it takes a number, and a client that leaves it serves the next one.
//
//      63             52 51          32 31             20 19           0
//      ┌────────────────┬──────────────┬────────────────┬──────────────┐
//      │ generation:    │ next number  │ generation:    │   serving    │
//      │ higher 12 bits │              │ lower 12 bits  │              │
//      └────────────────┴──────────────┴────────────────┴──────────────┘
//
// The lower half is what a futex waits on. The generation is another one each time a server begins
// or ends a ticket queue, so a number counts for one use of the word alone: a client that was
// stopped before it passed its turn on must not end another one's turn of the same number, eight
// million uses later.

/// A ticket queue's word, as read from shared memory.
package struct TicketQueueWord: Hashable, Sendable, CustomStringConvertible {
    /// All 64 bits.
    package var rawValue: UInt64

    /// Wraps a word that was read.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    fileprivate static let numberMask: UInt32 = 0xF_FFFF

    private init(generation: UInt32, serving: UInt32, next: UInt32) {
        let low = generation << 20 | serving & Self.numberMask
        let high = (generation >> 12) << 20 | next & Self.numberMask
        rawValue = UInt64(high) << 32 | UInt64(low)
    }

    private var highHalf: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }

    /// Which use of the word this is: 24 bits.
    package var generation: UInt32 { (highHalf >> 20) << 12 | lowHalf >> 20 }

    /// Whose turn it is.
    package var serving: UInt32 { lowHalf & Self.numberMask }

    /// The number that the next client takes.
    package var next: UInt32 { highHalf & Self.numberMask }

    /// What a futex on the word waits on.
    package var lowHalf: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// Whether a server has ever begun anything here: a word of zeros is a file that was cut off.
    package var isBegun: Bool { generation > 0 }

    /// A new use of the word, in which it is the server's turn: number 0.
    package var begun: TicketQueueWord {
        let following = (generation &+ 1) & 0xFF_FFFF
        return TicketQueueWord(generation: max(1, following), serving: 0, next: 1)
    }

    /// The word after a client has taken a number.
    package var joined: TicketQueueWord {
        TicketQueueWord(generation: generation, serving: serving, next: next &+ 1)
    }

    /// The word when it is the next number's turn.
    package var passed: TicketQueueWord {
        TicketQueueWord(generation: generation, serving: serving &+ 1, next: next)
    }

    /// Whether it is this number's turn.
    package func serves(_ ticket: QueueTicket) -> Bool {
        generation == ticket.generation && serving == ticket.number
    }

    /// How many have a number, of whom one has its turn.
    package var numbersTaken: UInt32 { (next &- serving) & Self.numberMask }

    /// Whether no client has a number behind the one whose turn it is.
    package var isLast: Bool { numbersTaken == 1 }

    /// A short form for timelines and failures.
    package var description: String { "use \(generation): \(serving) of \(next)" }
}

/// A number in the line of a ticket queue.
package struct QueueTicket: Hashable, Sendable {
    /// The ticket queue.
    package let ticketQueue: Int
    /// Which use of it.
    package let generation: UInt32
    /// The number.
    package let number: UInt32

    /// A number that was taken from a word.
    package init(_ ticketQueue: Int, next word: TicketQueueWord) {
        self.ticketQueue = ticketQueue
        generation = word.generation
        number = word.next
    }

    /// The number whose turn it is.
    package init(_ ticketQueue: Int, serving word: TicketQueueWord) {
        self.ticketQueue = ticketQueue
        generation = word.generation
        number = word.serving
    }

    /// By what its owner is woken, and not all who wait: one of 32.
    package var wakeBits: UInt32 { Self.wakeBits(of: number) }

    /// By what the owner of a number is woken.
    package static func wakeBits(of number: UInt32) -> UInt32 { 1 << (number & 31) }
}
