// SPDX-License-Identifier: Apache-2.0
//
// The presenters whose answers a claim in stage 2 still waits for. The deletion of a directory may
// wait for a hundred thousand presenters, so each answer is found and removed without a linear
// search.

/// A presenter whose answer is missing.
struct AwaitedAnswer: Hashable, Sendable {
    /// The state of the question.
    enum Question: Hashable, Sendable {
        /// The presenter was asked to take these steps.
        case put(YieldSteps)
        /// The presenter cannot be asked yet: it is still relinquishing its item for another claim,
        /// or must get it back first (Rule 6.11).
        ///
        /// It will be asked to take these steps.
        case postponed(YieldSteps)

        /// The steps that the presenter was or will be asked to take.
        var steps: YieldSteps {
            switch self {
            case .put(let steps), .postponed(let steps): steps
            }
        }
    }

    let presenter: PresenterID
    var question: Question
    /// When the claim stops waiting for the answer (Rule 18.3); nil for no limit.
    var deadline: UInt64?
    /// The call of the presenter's own process that keeps it from answering (Rule 18.4).
    var blockedBy: ClaimID?
}

/// The missing answers of one claim, ordered by presenter.
struct AwaitedAnswers: Hashable, Sendable {
    private var presenters: OrderedIDs<PresenterID> = []
    /// Used for lookup only, never iterated, because its order is random.
    private var answers: [PresenterID: AwaitedAnswer] = [:]

    var isEmpty: Bool { presenters.isEmpty }

    /// The missing answer of `presenter`, or nil.
    subscript(presenter: PresenterID) -> AwaitedAnswer? { answers[presenter] }

    /// Adds a missing answer; a presenter has at most one.
    mutating func insert(_ answer: AwaitedAnswer) {
        if answers.updateValue(answer, forKey: answer.presenter) == nil {
            presenters.insert(answer.presenter)
        }
    }

    /// Removes the answer of `presenter`.
    mutating func remove(_ presenter: PresenterID) {
        if answers.removeValue(forKey: presenter) != nil { presenters.remove(presenter) }
    }

    /// Changes postponed questions after all items of the claim moved at the same time.
    ///
    /// They use the new paths. A presenter whose directory an item has left is no longer asked
    /// about it (Rule 6.2).
    mutating func renamePostponed(
        from old: [AccessItem], to new: [AccessItem], place: (PresenterID) -> ItemPath?
    ) {
        for presenter in presenters {
            switch answers[presenter]?.question {
            case .put, nil:
                continue
            case .postponed(var steps):
                guard !steps.accommodateSubitemDeletions.isEmpty else { continue }
                // Used for lookup only.
                let known = Set(steps.accommodateSubitemDeletions)
                var seen: Set<ItemPath> = []
                let presented = place(presenter)
                steps.accommodateSubitemDeletions = []
                for (old, new) in zip(old, new) where old.isDeletion && known.contains(old.path) {
                    let stays = old.path == new.path
                    guard stays || presented?.contains(new.path) == true else { continue }
                    guard seen.insert(new.path).inserted else { continue }
                    steps.accommodateSubitemDeletions.append(new.path)
                }
                answers[presenter]?.question = .postponed(steps)
            }
        }
    }
}

extension AccessItem {
    /// Whether presenters have to accommodate the item's deletion (Rule 6.1).
    fileprivate var isDeletion: Bool { access.writingOptions?.isDeletion ?? false }
}

extension AwaitedAnswers: Sequence {
    func makeIterator() -> some IteratorProtocol<AwaitedAnswer> {
        presenters.lazy.compactMap { answers[$0] }.makeIterator()
    }
}

extension AwaitedAnswers: ExpressibleByArrayLiteral {
    init(arrayLiteral missing: AwaitedAnswer...) {
        self.init()
        for answer in missing { insert(answer) }
    }
}
