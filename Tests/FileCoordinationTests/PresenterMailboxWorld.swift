// SPDX-License-Identifier: Apache-2.0
//
// A simulation around a mailbox: an arbiter that asks, cancels and recalls at any time, and a
// presenter with a serial queue that answers at any time. Certain guarantees must always hold.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient

/// One mailbox, its arbiter and its presenter, at one moment.
struct PresenterMailboxWorld: Hashable {
    typealias Mailbox = PresenterMailboxState<PresenterCallID, Int>
    typealias Delivery = PresenterDelivery<PresenterCallID>

    /// What can happen next.
    enum Move: Hashable {
        case ask, cancel(UInt64), recall, changeServer, remove
        case startOperation, endReacquirer
        case callBlock(PresenterCallID, withReacquirer: Bool)
        case complete(PresenterCallID, failure: Int?)
    }

    /// A guarantee that was violated.
    struct Violation: Error, Hashable { var promise: String }

    private var mailbox = Mailbox(methods: .all)
    private var queue: [Delivery] = []
    private var runningReacquirer: PresenterCallID?
    private var openBlocks: [PresenterCallID] = []
    private var openCompletions: [PresenterCallID] = []
    /// Reacquirers that were handed over and have not run.
    private var owed: [PresenterCallID] = []
    private var expected: [UInt64] = []
    private var relinquished = false
    private var removed = false
    /// Whether the answer to a discarded question is still missing, or not yet reported.
    private var isLate = false
    /// Whether the present arbiter has asked for anything.
    private var knowsOfRelinquishment = false
    private var asks = 0
    private var recalls = 0
    private var serverChanges = 0

    /// Everything that can happen next.
    var moves: [Move] {
        var moves: [Move] = []
        if asks < 3 { moves.append(.ask) }
        moves += expected.map { .cancel($0) }
        if recalls < 3 { moves.append(.recall) }
        if serverChanges < 1 { moves.append(.changeServer) }
        if !removed { moves.append(.remove) }
        return moves + presenterMoves
    }

    private var presenterMoves: [Move] {
        var moves: [Move] = []
        if runningReacquirer != nil {
            moves.append(.endReacquirer)
        } else if !queue.isEmpty {
            moves.append(.startOperation)
        }
        for call in openBlocks {
            moves.append(.callBlock(call, withReacquirer: true))
            moves.append(.callBlock(call, withReacquirer: false))
        }
        for call in openCompletions {
            moves.append(.complete(call, failure: nil))
            moves.append(.complete(call, failure: 5))
        }
        return moves
    }

    /// Makes a move.
    mutating func make(_ move: Move) throws(Violation) {
        switch move {
        case .ask:
            asks += 1
            knowsOfRelinquishment = true
            let claim = UInt64(asks)
            if !removed { expected.append(claim) }
            let steps = YieldSteps(relinquish: [.writer], save: true)
            try carryOut(mailbox.asked(claim: claim, steps: steps), isAnswer: false)
        case .cancel(let claim):
            expected.removeAll { $0 == claim }
            isLate = true
            try carryOut(mailbox.cancelled(claim: claim), isAnswer: false)
        case .recall:
            recalls += 1
            try carryOut(mailbox.reacquired(.writer), isAnswer: false)
        case .changeServer:
            serverChanges += 1
            knowsOfRelinquishment = false
            if !expected.isEmpty { isLate = true }
            expected = []
            try carryOut(mailbox.serverLost(), isAnswer: false)
            // An earlier answer may have been lost, unless the presenter has not answered yet.
            try carryOut(mailbox.serverFound(), isAnswer: !isLate)
        case .remove:
            removed = true
            expected = []
            owed = []
            isLate = false
            mailbox.presenterRemoved()
        case .startOperation:
            try start(queue.removeFirst())
        case .endReacquirer:
            guard let call = runningReacquirer else { return }
            runningReacquirer = nil
            try carryOut(mailbox.reacquired(.writer, call: call))
        case .callBlock(let call, let withReacquirer):
            openBlocks.removeAll { $0 == call }
            if withReacquirer, !removed { owed.append(call) }
            try carryOut(
                mailbox.relinquished(.writer, call: call, reacquirer: withReacquirer ? call : nil))
            try check(
                mailbox.relinquished(.writer, call: call, reacquirer: call).isEmpty,
                "an extra call of a block changes nothing")
        case .complete(let call, let failure):
            openCompletions.removeAll { $0 == call }
            try carryOut(mailbox.completed(call, failure: failure))
            try check(
                mailbox.completed(call, failure: 6).isEmpty,
                "an extra call of a completion handler changes nothing")
        }
    }

    /// Lets the presenter do all that it is to do, and checks that no claim is left waiting.
    mutating func settle() throws(Violation) {
        var patience = 100
        repeat {
            while let move = presenterMoves.first {
                patience -= 1
                try check(patience > 0, "the presenter comes to an end")
                try make(move)
            }
            // An arbiter recalls only what it asked for, and what it found in the ledger.
            if knowsOfRelinquishment || relinquished { try carryOut(mailbox.reacquired(.writer)) }
            knowsOfRelinquishment = false
        } while !presenterMoves.isEmpty
        try check(expected.isEmpty, "every ask that still matters is answered")
        try check(!isLate, "that it answers is reported, though the question was discarded")
        try check(owed.isEmpty, "every reacquirer runs, once")
        try check(removed || !relinquished, "the presenter has its item back in the end")
    }

    private mutating func start(_ delivery: Delivery) throws(Violation) {
        guard mailbox.begin(delivery) else {
            if let call = delivery.answeringCall { try carryOut(mailbox.skipped(call)) }
            return
        }
        try check(!removed, "nothing starts after removal")
        switch delivery {
        case .relinquish(_, let call):
            try check(openBlocks.isEmpty, "one relinquishment at a time")
            try check(owed.isEmpty && !relinquished, "no new one before the item was given back")
            openBlocks.append(call)
        case .perform(_, let call):
            openCompletions.append(call)
        case .notify:
            break
        case .reacquire(_, let call, let reacquirer):
            try check(owed == [reacquirer] && call == reacquirer, "a reacquirer runs once")
            owed = []
            runningReacquirer = call
        }
    }

    /// Carries actions out; `isAnswer` says whether the presenter has done anything to cause them.
    private mutating func carryOut(
        _ actions: [Mailbox.Action], isAnswer: Bool = true
    ) throws(Violation) {
        for action in actions {
            switch action {
            case .deliver(let delivery):
                queue.append(delivery)
            case .answer(let claim, _):
                try check(expected.contains(claim), "an ask that matters is answered once")
                expected.removeAll { $0 == claim }
            case .answerLate:
                try check(isAnswer, "only an answer is reported as one")
                isLate = false
            case .relinquishmentChanged(_, let isRelinquished):
                try check(isRelinquished != relinquished, "each change is told once")
                relinquished = isRelinquished
            case .letPlainWriterGo, .guardLifted:
                throw Violation(promise: "claims alone concern no plain program")
            }
        }
    }

    private func check(_ holds: Bool, _ promise: String) throws(Violation) {
        guard holds else { throw Violation(promise: promise) }
    }
}

extension PresenterDelivery {
    /// The call of a delivery that asks the presenter for something.
    fileprivate var answeringCall: PresenterCallID? {
        switch self {
        case .relinquish(_, let call), .perform(_, let call):
            call
        case .notify, .reacquire: nil
        }
    }
}
