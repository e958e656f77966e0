// SPDX-License-Identifier: Apache-2.0
//
// The presenters whose answers a claim in stage 2 still waits for. A directory that is deleted may
// have to wait for a hundred thousand; each answer is found, and struck out, without going through
// the others.

/// One presenter's missing answer.
struct AwaitedAnswer: Hashable, Sendable {
    /// How far the question has got.
    enum Question: Hashable, Sendable {
        /// It was put, and has these steps.
        case put(YieldSteps)
        /// It cannot be put yet: the presenter is still on its way to relinquish for another claim,
        /// or must have its item back first (Rule 6.11). These steps are to be taken.
        case postponed(YieldSteps)

        /// What is asked, or will be at most.
        var steps: YieldSteps {
            switch self {
            case .put(let steps), .postponed(let steps): steps
            }
        }
    }

    let presenter: PresenterID
    var question: Question
    /// When it is waited for no longer (Rule 18.3); nil: without end.
    var deadline: UInt64?
}

/// Missing answers, in the order of the presenters.
struct AwaitedAnswers: Hashable, Sendable {
    private var presenters: OrderedIDs<PresenterID> = []
    /// Only looked up, never gone through.
    private var answers: [PresenterID: AwaitedAnswer] = [:]

    var isEmpty: Bool { presenters.isEmpty }

    /// What is missing of `presenter`, if anything is.
    subscript(presenter: PresenterID) -> AwaitedAnswer? { answers[presenter] }

    /// Records that an answer is missing; of one presenter at most one is.
    mutating func insert(_ answer: AwaitedAnswer) {
        if answers.updateValue(answer, forKey: answer.presenter) == nil {
            presenters.insert(answer.presenter)
        }
    }

    /// Records that nothing is missing of `presenter`.
    mutating func remove(_ presenter: PresenterID) {
        if answers.removeValue(forKey: presenter) != nil { presenters.remove(presenter) }
    }

    /// The claim's items have moved, all of them at the same time: what has not been asked yet is
    /// asked by the new names, but of no presenter whose place an item has left (Rule 6.2).
    mutating func renamePostponed(
        from old: [AccessItem], to new: [AccessItem], place: (PresenterID) -> ItemPath?
    ) {
        for presenter in presenters {
            switch answers[presenter]?.question {
            case .put, nil:
                continue
            case .postponed(var steps):
                guard !steps.accommodateSubitemDeletions.isEmpty else { continue }
                // Both are only looked up.
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
