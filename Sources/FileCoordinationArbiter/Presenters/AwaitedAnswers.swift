// SPDX-License-Identifier: Apache-2.0
//
// The presenters whose answers a claim in stage 2 still waits for. The deletion of a directory may
// wait for a hundred thousand presenters, so each answer is found and removed without a linear
// search.

import MonotonicTime

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
    var deadline: Instant?
    /// The call of the presenter's own process that keeps it from answering (Rule 18.4).
    var blockedBy: ClaimID?
}

/// The missing answers of one claim, ordered by presenter.
struct AwaitedAnswers: Sendable {
    /// A missing answer, found by its presenter.
    private struct Entry: Comparable, Hashable, Sendable {
        let answer: AwaitedAnswer

        init(_ answer: AwaitedAnswer) { self.answer = answer }

        /// What is equal to the entry of a presenter, whatever that says.
        init(of presenter: PresenterID) {
            answer = AwaitedAnswer(presenter: presenter, question: .put(YieldSteps()))
        }

        static func == (one: Self, other: Self) -> Bool {
            one.answer.presenter == other.answer.presenter
        }

        static func < (one: Self, other: Self) -> Bool {
            one.answer.presenter < other.answer.presenter
        }

        func hash(into hasher: inout Hasher) { hasher.combine(answer.presenter) }
    }

    private var entries: OrderedIDs<Entry> = []

    var isEmpty: Bool { entries.isEmpty }

    /// The missing answer of `presenter`, or nil.
    subscript(presenter: PresenterID) -> AwaitedAnswer? {
        entries.element(equalTo: Entry(of: presenter))?.answer
    }

    /// Adds a missing answer; a presenter has at most one.
    mutating func insert(_ answer: AwaitedAnswer) {
        entries.remove(Entry(answer))
        entries.insert(Entry(answer))
    }

    /// Removes the answer of `presenter`.
    mutating func remove(_ presenter: PresenterID) { entries.remove(Entry(of: presenter)) }

    /// Changes postponed questions after all items of the claim moved at the same time.
    ///
    /// They use the new paths. A presenter whose directory an item has left is no longer asked
    /// about it (Rule 6.2).
    mutating func renamePostponed(
        from old: [AccessItem], to new: [AccessItem], place: (PresenterID) -> ItemPath?
    ) {
        for var answer in self {
            switch answer.question {
            case .put:
                continue
            case .postponed(var steps):
                guard !steps.accommodateSubitemDeletions.isEmpty else { continue }
                // Used for lookup only.
                let known = Set(steps.accommodateSubitemDeletions)
                var seen: Set<ItemPath> = []
                let presented = place(answer.presenter)
                steps.accommodateSubitemDeletions = []
                for (old, new) in zip(old, new) where old.isDeletion && known.contains(old.path) {
                    let stays = old.path == new.path
                    guard stays || presented?.contains(new.path) == true else { continue }
                    guard seen.insert(new.path).inserted else { continue }
                    steps.accommodateSubitemDeletions.append(new.path)
                }
                answer.question = .postponed(steps)
                insert(answer)
            }
        }
    }
}

/// Equal if all that is known of each answer is.
extension AwaitedAnswers: Hashable {
    static func == (one: Self, other: Self) -> Bool { one.elementsEqual(other) }

    func hash(into hasher: inout Hasher) {
        for answer in self { hasher.combine(answer) }
    }
}

extension AccessItem {
    /// Whether presenters have to accommodate the item's deletion (Rule 6.1).
    fileprivate var isDeletion: Bool { access.writingOptions?.isDeletion ?? false }
}

extension AwaitedAnswers: Sequence {
    func makeIterator() -> some IteratorProtocol<AwaitedAnswer> {
        entries.lazy.map(\.answer).makeIterator()
    }
}

extension AwaitedAnswers: ExpressibleByArrayLiteral {
    init(arrayLiteral missing: AwaitedAnswer...) {
        self.init()
        for answer in missing { insert(answer) }
    }
}
