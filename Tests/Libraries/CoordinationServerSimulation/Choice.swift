// SPDX-License-Identifier: Apache-2.0
//
// A schedule is a list of choices, and a choice is a kind and one number, from which everything
// else about it is made. A choice that makes no sense when its turn comes does nothing; so any part
// of a schedule is a schedule, too, and a failing one can be shrunk by leaving choices out.

import CoordinationSimulation

/// Something that happens next.
package struct Choice: Hashable, Sendable {
    /// What it is.
    package enum Kind: String, CaseIterable, Sendable {
        /// The server takes a turn; choices that follow may happen in the middle of it.
        case turn
        /// An activity of a client goes on for a few steps.
        case step
        /// Everything that can go on without an accessor's end goes on until nothing moves.
        case calm
        /// A client begins an access; or begins one and goes on with it for some steps.
        case access, burst
        /// An accessor returns.
        case finish
        /// A client reads what the server has said.
        case receive
        /// A claim that waits is given up.
        case cancel
        /// A wait for a turn in a ticket queue has taken long.
        case timeout
        /// A presenter is registered, removed, or answers.
        case present, withdraw, answer
        /// An accessor makes known that it has moved an item.
        case move
        /// A client connects to the server.
        case connect
        /// A client process begins.
        case birth
        /// A client process dies, freezes, or goes on.
        case death, freeze, thaw
        /// The server dies, or is stopped and deposed, and another one takes over.
        case takeover, depose
        /// Time passes.
        case time
    }

    /// What it is.
    package var kind: Kind
    /// What it is about.
    package var number: UInt64
}

extension Choice.Kind {
    /// How often it happens, where it does.
    var weight: Int {
        switch self {
        case .step: 60
        case .turn: 34
        case .access: 26
        case .finish: 18
        case .receive, .burst: 12
        case .calm: 9
        case .answer: 8
        case .connect, .timeout: 4
        case .present: 5
        case .move: 8
        case .cancel, .time: 3
        case .withdraw, .freeze, .thaw: 2
        case .birth, .death, .takeover, .depose: 1
        }
    }

    /// Whether there are worlds without it.
    var isTrouble: Bool {
        switch self {
        case .step, .turn, .access, .burst, .finish, .receive, .calm, .answer, .connect, .time,
            .thaw,
            .timeout:
            false
        case .present, .withdraw, .cancel, .move, .birth, .death, .freeze, .takeover, .depose: true
        }
    }
}

/// What kind of world a seed makes, and what happens in it.
package struct Schedule: Sendable {
    /// The number that made it.
    package let seed: UInt64
    /// How many clients there are at first.
    package let clients: Int
    /// Whether they hand one file over all the time, each with one access at a time.
    package let isContended: Bool
    /// Whether mostly one client writes a file, and presenters are mostly told of that only.
    package let isTold: Bool
    /// The places that it is about.
    package let places: [String]
    /// How often a read is chosen rather than a write, of 10.
    package let reads: Int
    /// How often an access is a plain one, of 10.
    package let plain: Int
    /// After how many handovers a queue opens, less one: sooner than in reality, for worlds are
    /// short.
    package let patience: Int
    /// What happens.
    package var choices: [Choice]

    /// The schedule that a seed makes.
    package init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.seed = seed
        clients = dice.within(2...4)
        let all = ["/d/f", "/d/g", "/e", "/d"]
        // Paths that are handed over all the time get ticket queues.
        isContended = dice.one(in: 4)
        // Not by the dice, which make the same worlds of all other seeds as before.
        isTold = !isContended && seed % 8 == 5
        places =
            isContended || isTold
            ? ["/e"] : Array(dice.shuffled(all).prefix(dice.one(in: 2) ? 1 : dice.within(2...4)))
        reads = isContended ? 0 : isTold ? 1 : dice.within(1...8)
        plain = isContended || isTold || dice.one(in: 2) ? 10 : dice.within(5...9)
        patience = dice.within(1...3)
        let isCalm = dice.one(in: 4)
        let (isContended, isTold) = (isContended, isTold)
        let weights = Choice.Kind.allCases.map { kind in
            let isThere = !kind.isTrouble || (!isCalm && dice.one(in: 2)) || dice.one(in: 8)
            // These choices end a queue, because another client comes or a member dies.
            let isRare =
                isContended && kind.isTrouble && !dice.one(in: 3)
                || isTold && kind.isTrouble && seed % 3 != 0
            return isThere && !isRare ? kind.weight * (isContended ? 4 : 1) : 0
        }.enumerated().map { index, weight in
            // A path is handed over when waiting claims are granted, which `calm` lets happen.
            let kind = Choice.Kind.allCases[index]
            let isBusy =
                isContended && kind == .calm
                || isTold && [.calm, .burst, .finish].contains(kind)
            return isBusy ? weight * 3 : weight
        }
        let count = dice.within(40...(isContended ? 400 : 260))
        choices = []
        for _ in 0..<count {
            let index = dice.index(weighing: weights) ?? 0
            choices.append(Choice(kind: Choice.Kind.allCases[index], number: dice.next()))
        }
    }
}
