// SPDX-License-Identifier: Apache-2.0
//
// Takes the steps of a presenter's questions, each as far as one that must be waited for.

import FileCoordinationArbiter

extension Array {
    /// Appends other elements; of actions, one of the two lists is empty in most cases.
    func followed(by later: [Element]) -> [Element] {
        if isEmpty { return later }
        return later.isEmpty ? self : self + later
    }
}

extension PresenterMailboxState {
    /// Begins the questions that may begin now.
    ///
    /// A question that is answered at once may let another one begin, so this checks again then.
    mutating func beginQuestions() -> [Action] {
        var actions: [Action] = []
        while let index = questions.indices.first(where: mayBegin) {
            actions = actions.followed(by: work(on: index))
        }
        return actions
    }

    /// Whether a question waits for nothing but to begin.
    ///
    /// The questions of claims are handled side by side. That of a plain program is not handled
    /// beside others: while it is, the presenter saves to another file than a claim would find (see
    /// ``LeaseGuard``).
    private func mayBegin(_ index: Int) -> Bool {
        guard questions[index].progress == .waiting else { return false }
        let earlier = questions[..<index]
        return questions[index].isOfClaim ? earlier.allSatisfy(\.isOfClaim) : earlier.isEmpty
    }

    /// Continues the questions that waited for something which has happened.
    mutating func work(where hasWaited: (PresenterQuestion) -> Bool) -> [Action] {
        var actions: [Action] = []
        // Each of them waits for something else afterwards, or is answered.
        while let index = questions.firstIndex(where: hasWaited) {
            actions = actions.followed(by: work(on: index))
        }
        return actions.followed(by: beginQuestions())
    }

    /// Continues the questions that waited until the presenter has its item back, if it has.
    mutating func continueAfterReturn(_ kind: Relinquishment) -> [Action] {
        guard self[kind].isHeld else { return [] }
        return work { $0.progress == .awaitingReturn(kind) }
    }

    /// Takes the question's steps up to one that must be waited for.
    ///
    /// If none is left, answers.
    private mutating func work(on index: Int) -> [Action] {
        let asker = questions[index].asker
        var joined: [Action] = []
        while let step = questions[index].steps.popFirst() {
            let call = nextCall()
            switch step {
            case .relinquish(let kind):
                let requirement = self[kind].require(call)
                joined = joined.followed(by: join(asker, kind, requirement))
                switch requirement {
                case .call:
                    questions[index].progress = .relinquishing(kind, call)
                    return joined.followed(by: [.deliver(.relinquish(kind, call))])
                case .waitForBlock(let earlier):
                    questions[index].progress = .relinquishing(kind, earlier)
                    return joined
                case .waitForReturn:
                    questions[index].steps = [step] + questions[index].steps
                    questions[index].progress = .awaitingReturn(kind)
                    return joined
                case .goOn:
                    continue
                }
            case .perform(let request):
                questions[index].progress = .calling(call, hasBegun: false)
                return joined.followed(by: [.deliver(.perform(request, call))])
            }
        }
        questions.remove(at: index)
        return joined.followed(by: [answer(to: asker, nil)])
    }

    /// Answers a question, which has been removed.
    mutating func answer(to asker: PresenterQuestion.Asker, _ failure: Failure?) -> Action {
        switch asker {
        case .claim(let claim):
            hasAnswered = true
            return .answer(claim: claim, failure)
        case .plainWriter:
            return .letPlainWriterGo
        }
    }

    /// Remembers for whom the presenter relinquishes to a writer.
    ///
    /// A record says so only of claims, because only those are the server's.
    private mutating func join(
        _ asker: PresenterQuestion.Asker, _ kind: Relinquishment,
        _ requirement: RelinquishmentLifecycle<Reacquirer>.RequireAction
    ) -> [Action] {
        guard kind == .writer else { return [] }
        let added: RelinquishedWriters = asker == .plainWriter ? .plainWriter : .claims
        switch requirement {
        case .waitForReturn: return []
        case .call: writers = added
        case .waitForBlock: writers.insert(added)
        case .goOn:
            let isNew = !writers.contains(added)
            writers.insert(added)
            if isNew, added == .claims { return [.relinquishmentChanged(kind, true)] }
        }
        return []
    }
}
