// SPDX-License-Identifier: Apache-2.0
//
// Which faults occur in the world of a seed. A world in which all kinds of faults occur all the
// time would miss many violations. So each kind occurs in some worlds and not in others, and in
// some worlds all claims are on two files.

import FileCoordinationArbiter

/// Something that can happen next.
enum Action: Int, CaseIterable {
    case file, nest, end, cancel, answer, failToAnswer, answerLate, callBack, occupy
    case move, announce, addPresenter, removePresenter, placePresenter
    case die, stop, resume, withdraw, jump, stepBack, restart, crash
    case claimLocally, takeTurn, answerRecall, receiveReport, seeEnd

    /// How often it happens, where it does.
    var weight: Int {
        switch self {
        case .file, .claimLocally: 26
        case .end: 22
        case .answer, .answerRecall: 20
        case .nest: 9
        case .receiveReport: 12
        case .callBack, .takeTurn, .seeEnd: 6
        case .addPresenter, .resume: 5
        case .cancel, .move, .stop, .withdraw: 4
        case .jump: 3
        case .failToAnswer, .answerLate, .occupy, .removePresenter, .die, .restart, .crash: 2
        case .announce, .placePresenter, .stepBack: 1
        }
    }

    /// Whether there are worlds without it.
    var isTrouble: Bool {
        switch self {
        case .file, .end, .answer, .addPresenter, .resume, .claimLocally, .takeTurn,
            .answerRecall, .receiveReport, .seeEnd:
            false
        case .cancel, .move, .stop, .withdraw, .jump, .failToAnswer, .answerLate, .occupy, .nest,
            .callBack, .removePresenter, .die, .restart, .crash, .announce, .placePresenter,
            .stepBack:
            true
        }
    }
}

/// The kind of a world.
struct FaultSchedule {
    /// How often each action happens, by its raw value.
    let weights: [Int]
    /// How many actions there are before everything comes to rest.
    let steps: Int
    /// How many processes there are at first.
    var clients: Int
    /// The largest number of claims at once.
    let claims: Int
    let presenters: Int
    /// The places that all this is about.
    let places: [Place]
    /// How often a read is chosen rather than a write, of 10.
    let reads: Int
    /// Whether calls in callbacks may be made with other purposes than the presenter's.
    let isCareless: Bool
    /// Whether all accesses are plain, and to a few files.
    let isPlain: Bool
    /// Whether clients ask for delegations.
    let delegates: Bool
    /// When places are delegated again: sooner than in reality, for worlds are short.
    let policy: DelegationPolicy
    /// Whether presenters are not told to reacquire: a fault that tests plant.
    var losesReacquires = false

    init(_ dice: inout Dice) {
        steps = dice.within(20...90)
        clients = dice.within(2...4)
        claims = dice.within(3...9)
        presenters = dice.one(in: 4) ? 0 : dice.within(1...4)
        reads = dice.within(1...8)
        isCareless = dice.one(in: 3)
        var policy = DelegationPolicy()
        policy.handovers = dice.within(2...4)
        policy.handoverTime = .milliseconds(20)
        self.policy = policy
        delegates = !dice.one(in: 3)
        isPlain = delegates && dice.one(in: 2)
        let all = isPlain ? Place.all.filter(\.packageDepths.isEmpty) : Place.all
        places = Array(
            dice.shuffled(all).prefix(isPlain ? dice.within(1...3) : dice.within(2...all.count)))
        let isCalm = dice.one(in: 4)
        var weights: [Int] = []
        for action in Action.allCases {
            let isThere = !action.isTrouble || (!isCalm && dice.one(in: 2)) || dice.one(in: 8)
            weights.append(isThere ? action.weight : 0)
        }
        if presenters == 0 { weights[Action.addPresenter.rawValue] = 0 }
        if delegates {
            // Makes clients use the same paths again, with few others in between.
            weights[Action.claimLocally.rawValue] *= 2
            if isPlain { weights[Action.takeTurn.rawValue] *= 4 }
        }
        self.weights = weights
    }
}
