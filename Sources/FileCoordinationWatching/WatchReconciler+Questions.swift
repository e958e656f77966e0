// SPDX-License-Identifier: Apache-2.0
//
// Answers the server's question whether presenters were told of all moves that were complete when
// it asked (Rule 1.15). The kernel queues an event before the rename returns. So when the queue has
// been empty after the question and all checks have been answered, the reconciler knows every move
// that the kernel reported. A presenter whose item is at one of the claim's paths is told of the
// move at once. It does not wait in case another item takes its former path.
//
// A move to an unwatched directory, or in a polled one, causes no event. So the claim's own paths
// are checked: an item there with the identity of a presenter's item was moved there.

import FileCoordinationArbiter

/// The questions that are not answered yet.
struct MoveQuestions {
    struct Question {
        let number: UInt64
        let paths: [ItemPath]
        /// Whether the kernel's queue has been empty since the question.
        var isDrained = false
        /// How often looks at the claim's paths were ordered.
        var searches = 0
        /// The number of turns that ended since the queue was empty and all checks were answered.
        var turns = 0
    }

    /// The number of turns after which a presenter that has not followed its item is no longer
    /// awaited: it waits for something else, for example the end of a write to the item.
    static let mostTurns = 4
    /// The most paths of one question that are checked.
    static let mostSought = 64
    /// The most searches for one question.
    ///
    /// More than one is needed if a directory on the path turns out to be one that is missing
    /// elsewhere: its node is then moved here with its descendants, which must be checked, too.
    static let mostSearches = 8

    var open: [Question] = []
    /// The number of the last question that was answered.
    fileprivate(set) var answered: UInt64 = 0

    var isEmpty: Bool { open.isEmpty }

    mutating func add(_ number: UInt64, _ paths: [ItemPath]) {
        open.append(Question(number: number, paths: paths))
    }

    mutating func drained() {
        for index in open.indices { open[index].isDrained = true }
    }
}

extension WatchReconciler {
    /// The number of the last question (``WatchInput/asked(_:_:)``) that was answered.
    ///
    /// All moves before it are in messages up to now.
    public var lastAnswered: UInt64 { questions.answered }

    /// Whether presenters were told of every move that the kernel has reported, and every move is
    /// found without a check of a claim's paths.
    public var hasToldAllMoves: Bool {
        isQuiet && questions.isEmpty && !mayHaveHiddenMoves
            && !presenters.unsettled.contains { !presenters[$0].isStarting }
    }

    /// Whether some item may be at a path that no notification names: the item is missing, or
    /// something is polled.
    private var mayHaveHiddenMoves: Bool {
        polled.isSilent || !polled.nodes.isEmpty
            || missing.contains { nodes.contains($0) && nodes[$0].below > 0 }
    }

    /// Lets presenters whose items have come to the paths of questions follow them in this turn.
    ///
    /// Returns whether there are any.
    mutating func hurryPresenters() -> Bool {
        guard !questions.isEmpty, isQuiet else { return false }
        var isHurried = false
        for question in questions.open where question.isDrained {
            for id in presenters.unsettled where isOnItsWay(id, to: question.paths) {
                presenters[id].detachment.settleAt = pace.now
                isHurried = true
            }
        }
        return isHurried
    }

    /// Whether a presenter has not followed its item, which is at one of the paths, inside or
    /// around it.
    private func isOnItsWay(_ id: UInt64, to paths: [ItemPath]) -> Bool {
        let presenter = presenters[id]
        guard !presenter.isStarting, let object = nodes.existing(presenter.object),
            object != presenter.place, let path = nodes.path(object)
        else { return false }
        return paths.contains { $0 == path || $0.contains(path) || path.contains($0) }
    }

    /// Answers the questions for which nothing is left to do.
    mutating func answerQuestions() {
        guard !questions.isEmpty, isQuiet else { return }
        var rest: [MoveQuestions.Question] = []
        for var question in questions.open {
            guard question.isDrained else {
                rest.append(question)
                continue
            }
            question.turns += 1
            if mustSearch(for: question) {
                question.searches += 1
                question.turns = 0
                for path in question.paths.prefix(MoveQuestions.mostSought) { seek(at: path) }
            }
            let isOver = question.turns >= MoveQuestions.mostTurns || !mustWait(for: question)
            if isOver, isQuiet {
                questions.answered = max(questions.answered, question.number)
            } else {
                rest.append(question)
            }
        }
        questions.open = rest
    }

    /// Reports the present paths of items that their presenters have not followed yet.
    mutating func tellFoundPaths() {
        for id in presenters.unsettled where !presenters[id].isStarting {
            guard let object = nodes.existing(presenters[id].object),
                object != presenters[id].place, let path = nodes.path(object),
                path != presenters[id].detachment.arrivalToldAt
            else { continue }
            presenters[id].detachment.arrivalToldAt = path
            news.append(WatchNews(presenter: id, body: .arrived(at: path)))
        }
    }

    private func mustWait(for question: MoveQuestions.Question) -> Bool {
        presenters.unsettled.contains { isOnItsWay($0, to: question.paths) }
    }

    /// Whether some item may be at the paths that was not looked for there.
    private func mustSearch(for question: MoveQuestions.Question) -> Bool {
        guard mayHaveHiddenMoves, question.searches < MoveQuestions.mostSearches else {
            return false
        }
        return question.searches == 0
            || question.paths.prefix(MoveQuestions.mostSought).contains {
                nodes.node(at: $0) == nil
            }
    }

    /// Orders checks of a path, in case a presenter's item was moved there without an event.
    private mutating func seek(at path: ItemPath) {
        var next: WatchNodeID? = chain(from: nodes.root, path.components)
        while let node = next, node != nodes.root {
            if nodes[node].now == nil || nodes[node].flags.contains(.hinted) { keep(node) }
            markDirty(node)
            next = nodes[node].parent
        }
    }
}
