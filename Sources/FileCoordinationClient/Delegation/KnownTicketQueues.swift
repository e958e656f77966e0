// SPDX-License-Identifier: Apache-2.0
//
// The ticket queues of a server, as far as this process has opened them, and its turns in them.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem

/// A turn in a ticket queue, which must be passed on.
final class TurnInTicketQueue: Sendable {
    private let ticketQueues: TicketQueueFile
    private let turn: QueueTurn

    init(_ turn: QueueTurn, in ticketQueues: TicketQueueFile) {
        self.ticketQueues = ticketQueues
        self.turn = turn
    }

    /// Passes the turn to the next client in the ticket queue.
    func pass() { ticketQueues.pass(turn) }
}

/// The ticket queue file of the server that this process used last.
///
/// May be used from any thread.
final class KnownTicketQueues: Sendable {
    private let state = Lock(State())

    private struct State {
        var file: TicketQueueFile?
    }

    /// Returns the ticket queues of a server; nil if its file cannot be opened.
    func ticketQueues(of epoch: ServerEpoch, in runtime: RuntimeDirectory) -> TicketQueueFile? {
        state.withLock { state in
            if let file = state.file, file.epoch == epoch { return file }
            // The directory is opened by its path, because the server may have had to create it
            // again.
            let directory = (try? Directory.open(runtime.path)) ?? runtime.directory
            // Without the file, the claim is filed.
            state.file = try? TicketQueueFile(directory: directory, epoch: epoch)
            return state.file
        }
    }
}
