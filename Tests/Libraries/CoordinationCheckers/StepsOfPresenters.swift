// SPDX-License-Identifier: Apache-2.0
//
// Every concerned presenter is asked first (Rules 2.19, 5.4, 6.1 to 6.14): when a claim is granted,
// each presenter that it concerns has done its required steps. A presenter that did not answer in
// time is excused (Rules 18.3, 18.6), but only if its time was really over.

extension Lives {
    var stepViolations: [Violation] {
        var result: [Violation] = []
        for life in claims {
            for tenure in life.tenures {
                guard let granted = tenure.granted else { continue }
                let window = Window(of: life, tenure)
                for seen in presenters where isConcerned(seen, window, granted) {
                    let wanted = seen.presenter.steps(
                        before: life.claim, life.items(at: window.from),
                        at: seen.place(at: window.from))
                    let all = wanted + wantedAfterMoves(of: seen, life, tenure, wanted)
                    if let text = missing(all, of: seen, life, window, granted) {
                        result.append(Violation(.requiredStep, at: granted, text))
                    }
                }
            }
        }
        return result
    }

    /// The steps that a claim needs at its grant because items moved while it asked, beside those
    /// that it needed before (Rule 11.6).
    private func wantedAfterMoves(
        of seen: PresenterLife, _ life: ClaimLife, _ tenure: ClaimLife.Tenure,
        _ wanted: [RequiredStep]
    ) -> [RequiredStep] {
        // If only the grant was seen, the claim may have waited in the queue while they moved.
        guard let granted = tenure.granted, tenure.start != granted else { return [] }
        func needed(at fact: Int) -> [RequiredStep] {
            seen.presenter.steps(
                before: life.claim, life.items(at: fact), at: seen.place(at: fact))
        }
        let moves = life.places.map(\.since).filter { $0 > tenure.start && $0 < granted }
        // If the presenter has said itself that it is elsewhere by now, it was not asked before.
        let isMoved = seen.places.contains { since, _ in
            guard since > tenure.start, since < granted else { return false }
            if case .presenterRelocated = entries[since].fact { return true }
            return false
        }
        guard let last = moves.last, !isMoved else { return [] }
        let before = wanted + moves.flatMap { needed(at: $0 - 1) }
        // A presenter whose own item has come to the claim's since then is not asked, either.
        let atOnce = needed(at: last)
        return needed(at: granted).filter { step in
            // The names of subitems change, so this step is checked among the earlier ones.
            if case .accommodateSubitemDeletion = step { return false }
            return atOnce.contains(step) && !before.contains(step)
        }
    }

    /// A presenter that came later is not asked (Rule 5.4); one that has gone is not awaited (5.7).
    private func isConcerned(_ seen: PresenterLife, _ window: Window, _ granted: Int) -> Bool {
        isBefore(seen.added, window.from) && isBefore(granted, seen.removed)
    }

    private func missing(
        _ wanted: [RequiredStep], of seen: PresenterLife, _ life: ClaimLife, _ window: Window,
        _ granted: Int
    ) -> String? {
        let refusal = seen.questions.first {
            $0.claim == life.claim.key && !$0.succeeds && isBefore($0.answered, granted)
                // An answer to an arbiter that died may be lost; then the presenter is asked again.
                && isBefore(window.from, $0.answered)
                && !isReplaced(after: $0.answered, before: granted)
        }
        if refusal != nil, !wasPassedOver(seen, window, granted) {
            return "claim \(life.claim.key) was granted although presenter "
                + "\(seen.presenter.key) failed (Rule 9.1)"
        }
        guard let step = wanted.first(where: { !isDone($0, seen, life, window, granted) }),
            !wasPassedOver(seen, window, granted)
        else { return nil }
        return "claim \(life.claim.key) was granted without \(step) of presenter "
            + "\(seen.presenter.key)"
    }

    private func isReplaced(after first: Int?, before last: Int) -> Bool {
        replacements.contains { !isBefore($0, first) && !isBefore(last, $0) }
    }

    private func isDone(
        _ step: RequiredStep, _ seen: PresenterLife, _ life: ClaimLife, _ window: Window,
        _ granted: Int
    ) -> Bool {
        switch step {
        case .relinquishToReader, .relinquishToWriter:
            // It may have relinquished for any claim: it stays relinquished
            // until it gets its item back (Rule 6.11). If a later step
            // failed, it has relinquished nevertheless (Rule 9.4).
            return seen.questions.contains { question in
                guard question.steps.contains(step), let answered = question.answered,
                    !isBefore(granted, answered)
                else { return false }
                return !seen.reacquired.contains { back in
                    back.step == step && isBeforeInOrder(question.asked, back.fact)
                        && isBeforeInOrder(back.fact, granted)
                }
            }
        case .save, .accommodateDeletion:
            return isDone(of: seen, life, window, granted) { $0.steps.contains(step) }
        case .accommodateSubitemDeletion(let place):
            let items = life.items(at: window.from)
            return items.indices.allSatisfy { index in
                !items[index].use.isDeletion || items[index].place != place
                    || isAccommodated(index, seen, life, window, granted)
            }
        }
    }

    /// Whether a presenter has done, for this claim and in time, what passes the test.
    private func isDone(
        of seen: PresenterLife, _ life: ClaimLife, _ window: Window, _ granted: Int,
        _ test: (PresenterLife.Question) -> Bool
    ) -> Bool {
        seen.questions.contains { question in
            guard question.claim == nil || question.claim == life.claim.key,
                let answered = question.answered, question.succeeds,
                !isBefore(granted, answered), !isBefore(question.asked, window.from)
            else { return false }
            return test(question)
        }
    }

    /// Whether the deletion of an item was accommodated, by the name that the item had when the
    /// presenter was asked (Rules 11.4, 11.6), or the item left what is presented (Rule 6.2).
    private func isAccommodated(
        _ index: Int, _ seen: PresenterLife, _ life: ClaimLife, _ window: Window, _ granted: Int
    ) -> Bool {
        let isOut = life.places.contains { since, items in
            guard since > window.from, since < granted, items.indices.contains(index) else {
                return false
            }
            return !(seen.place(at: since).map { Item.contains($0, items[index].place) } ?? false)
        }
        return isOut
            || isDone(of: seen, life, window, granted) { question in
                let names = names(of: index, in: life, at: question.asked)
                return question.steps.contains { step in
                    guard case .accommodateSubitemDeletion(let name) = step else {
                        return false
                    }
                    return name.map(names.contains) ?? true
                }
            }
    }

    /// The places at which an item of a claim may have been at a fact.
    private func names(of index: Int, in life: ClaimLife, at fact: Int) -> [String] {
        life.places.indices.compactMap { number in
            let (since, items) = life.places[number]
            let until = number + 1 < life.places.count ? life.places[number + 1].since : nil
            guard items.indices.contains(index), !isBeforeInOrder(fact, since),
                !isBeforeInOrder(until, fact)
            else { return nil }
            return items[index].place
        }
    }

    /// Whether no claim had to wait for the presenter, because its time was over.
    private func wasPassedOver(
        _ seen: PresenterLife, _ window: Window, _ granted: Int
    ) -> Bool {
        let end = entries[granted].moment.latest
        let wasStopped = stops.contains { stop in
            let (begun, _) = entries[stop.from].moment.earliest.addingReportingOverflow(
                stoppedPatience)
            return stop.client == seen.presenter.client && begun <= end
                && !isBefore(stop.to, window.from)
                && stop.to.map { entries[$0].moment.latest >= begun } ?? true
        }
        if wasStopped { return true }
        guard let patience = seen.presenter.patience else { return false }
        return seen.questions.contains { question in
            let (overdue, isNever) = begin(of: question, seen, before: window.from, patience)
                .addingReportingOverflow(patience)
            guard !isNever, overdue <= end else { return false }
            let gone = question.answered ?? question.void
            return gone.map { entries[$0].moment.latest >= overdue } ?? true
        }
    }

    /// How long a stopped presenter is waited for (Rule 18.6).
    private var stoppedPatience: UInt64 { 2_000_000_000 }

    /// When the time for an answer began: when the presenter was asked, or at the last access of
    /// its purpose that showed it busy or back.
    ///
    /// An access to the presenter's item extends its time. One elsewhere does not, but a presenter
    /// that was passed over is asked again after any access, by claims that take their place later.
    private func begin(
        of question: PresenterLife.Question, _ seen: PresenterLife, before fact: Int,
        _ patience: UInt64
    ) -> UInt64 {
        var result = entries[question.asked].moment.earliest
        for sign in signs(of: seen, before: fact) where sign.moment > result {
            let (overdue, isNever) = result.addingReportingOverflow(patience)
            if sign.isAtItem || (!isNever && sign.moment >= overdue) { result = sign.moment }
        }
        return result
    }

    /// When calls of the presenter's purpose were made or ended, in the order of time, and whether
    /// they concerned its item.
    private func signs(
        of seen: PresenterLife, before fact: Int
    ) -> [(moment: UInt64, isAtItem: Bool)] {
        var result: [(moment: UInt64, isAtItem: Bool)] = []
        for life in claims where life.claim.purpose == seen.presenter.purpose {
            for number in [life.filed, life.over].compactMap({ $0 }) where isBefore(number, fact) {
                let place = seen.place(at: number)
                let isAtItem = life.items(at: number).contains { item in
                    guard let place else { return true }
                    return item.place == place || Item.contains(place, item.place)
                        || Item.contains(item.place, place)
                }
                result.append((entries[number].moment.earliest, isAtItem))
            }
        }
        return result.sorted { $0.moment < $1.moment }
    }
}
