// SPDX-License-Identifier: Apache-2.0
//
// First come, first served (Rule 2.14): a claim must not take a place before a claim that came
// earlier and still waits, nor beside one that holds it. If an exception (Rules 2.8a, 2.16, 2.17,
// 18.6) may have applied, nothing is reported: what is reported is certainly wrong.

extension Lives {
    var orderViolations: [Violation] {
        var result: [Violation] = []
        for life in claims {
            for tenure in life.tenures {
                for other in claims {
                    if let text = wrong(life, tenure, beside: other) {
                        result.append(Violation(.order, at: tenure.start, text))
                    }
                }
                if let violation = wrongReturn(of: life, tenure) { result.append(violation) }
            }
        }
        return result
    }

    /// Whether a claim certainly came before another.
    func isEarlier(_ one: ClaimLife, _ other: ClaimLife) -> Bool {
        if let first = one.claim.order, let second = other.claim.order { return first < second }
        return isBefore(one.filed, other.filed)
    }

    private func wrong(
        _ life: ClaimLife, _ tenure: ClaimLife.Tenure, beside other: ClaimLife
    ) -> String? {
        let start = tenure.start
        let (own, their) = (life.claim, other.claim)
        guard own.key != their.key, own.purpose != their.purpose, !own.isBatch, !their.isBatch,
            isBefore(other.filed, start), isBefore(start, other.over)
        else { return nil }
        let held = other.tenures.first { isBefore($0.start, start) && isBefore(start, $0.end) }
        if held == nil {
            let isInLine = other.tenures.allSatisfy {
                isBefore($0.end, start) || isBefore(start, $0.start)
            }
            guard isInLine, isEarlier(other, life) else { return nil }
        }
        let items = life.items(at: start)
        guard conflicts(items, other.items(at: start)) else { return nil }
        let window = Window(of: life, tenure)
        if let held {
            if isBefore(held.granted, start) {
                return "claim \(own.key) took its place beside claim \(their.key), which runs"
            }
            guard held.granted == nil || isBefore(start, held.granted) else { return nil }
            if canBypass(life, from: other, window) { return nil }
            return "claim \(own.key) took the place that claim \(their.key) holds"
        }
        if onlyMovesAround(items, other.items(at: start)) || mayBeStopped(their.client, window)
            || canBypass(life, from: other, window)
        {
            return nil
        }
        return "claim \(own.key) overtook claim \(their.key)"
    }

    /// A claim returns to the queue only because its client was stopped (Rule 18.6).
    private func wrongReturn(of life: ClaimLife, _ tenure: ClaimLife.Tenure) -> Violation? {
        guard let end = tenure.end, case .returned = entries[end].fact,
            !mayBeStopped(life.claim.client, Window(from: tenure.start, to: end))
        else { return nil }
        return Violation(.order, at: end, "claim \(life.claim.key) lost its place for no reason")
    }

    // MARK: What may have been at that time

    /// The time in which a place may have been taken.
    struct Window {
        let from: Int
        let to: Int

        init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }

        /// If only the grant was seen, the place may have been taken at any time since the filing.
        init(of life: ClaimLife, _ tenure: ClaimLife.Tenure) {
            from = tenure.start == tenure.granted ? life.filed : tenure.start
            to = tenure.start
        }
    }

    /// Whether something that lasted from one fact to another may have lasted in the window.
    func mayOverlap(_ from: Int, _ to: Int?, _ window: Window) -> Bool {
        !isBefore(window.to, from) && !isBefore(to, window.from)
    }

    func mayBeStopped(_ client: ClientKey, _ window: Window) -> Bool {
        stops.contains { $0.client == client && mayOverlap($0.from, $0.to, window) }
    }

    private func mayHold(_ life: ClaimLife, _ window: Window) -> Bool {
        life.tenures.contains { tenure in
            mayOverlap(Window(of: life, tenure).from, tenure.end, window)
        }
    }

    func mayAsk(_ life: ClaimLife, _ window: Window) -> Bool {
        life.tenures.contains { tenure in
            mayOverlap(Window(of: life, tenure).from, tenure.granted ?? tenure.end, window)
        }
    }

    func mayRun(_ life: ClaimLife, _ window: Window) -> Bool {
        life.tenures.contains { tenure in
            tenure.granted.map { mayOverlap($0, tenure.end, window) } ?? false
        }
    }

    // MARK: The two exceptions

    private func canBypass(
        _ life: ClaimLife, from other: ClaimLife, _ window: Window
    ) -> Bool {
        let own = life.claim
        // 2.17: a grant of its purpose, from before the other was filed, holds the other up.
        for holder in claims
        where holder.claim.purpose == own.purpose && holder.claim.key != own.key
            && mayRun(holder, window)
        {
            let granted = holder.tenures.first { tenure in
                tenure.granted.map { mayOverlap($0, tenure.end, window) } ?? false
            }?.granted
            let isFromBefore =
                !isBefore(other.filed, granted)
                // Another arbiter does not know when a claim that it finds running was granted.
                || (!replacements.isEmpty && isEarlier(holder, other))
            if isFromBefore && mayWait(other, for: holder, window) { return true }
        }
        // 2.16, and 2.17 within one accessor, also through a chain of waits.
        return mayLead(from: other, window) { seen in
            if own.enclosing.contains(seen.claim.key), seen.claim.client == own.client,
                seen.claim.purpose == own.purpose, mayRun(seen, window)
            {
                return true
            }
            return mayAwait(seen, purpose: own.purpose, window)
        }
    }

    /// Whether a claim may wait for an answer of a presenter of the purpose.
    private func mayAwait(_ life: ClaimLife, purpose: String, _ window: Window) -> Bool {
        guard mayAsk(life, window) else { return false }
        return presenters.contains { seen in
            guard seen.presenter.purpose == purpose, !isBefore(seen.removed, window.from),
                !isBefore(window.to, seen.added)
            else { return false }
            // If its item is moved while it asks, a presenter may be asked a second time, for
            // another step (Rule 11.6).
            let isOpen = seen.questions.contains {
                $0.claim == life.claim.key && !isBefore(window.to, $0.asked)
                    && !isBefore($0.answered, window.from) && !isBefore($0.void, window.from)
            }
            if isOpen { return true }
            // After the claim took its place anew, what was answered before is asked again.
            let taken = life.tenures.last { !isBefore(window.to, $0.start) }?.start
            let isDone = seen.questions.contains {
                $0.claim == life.claim.key && isBefore($0.answered, window.from)
                    && !isBeforeInOrder($0.asked, taken)
            }
            if isDone { return false }
            if seen.questions.contains(where: { $0.claim == life.claim.key }) { return true }
            // The presenter may be asked later, about where
            // both were when the claim took its place.
            return [window.to, taken ?? window.to].contains { fact in
                !seen.presenter.steps(
                    before: life.claim, life.items(at: fact), at: seen.place(at: fact)
                ).isEmpty
            }
        }
    }

    /// Whether a claim may wait for another directly.
    func mayWait(_ life: ClaimLife, for other: ClaimLife, _ window: Window) -> Bool {
        guard life.claim.key != other.claim.key, !isBefore(window.to, other.filed),
            !isBefore(other.over, window.from)
        else { return false }
        let mayBeBlocked =
            mayAsk(life, window)
            && presenters.contains { seen in
                seen.blockings.contains { $0.claim == other.claim.key }
            }
        if mayBeBlocked || mayOutlast(other, life, window) { return true }
        guard life.claim.purpose != other.claim.purpose || mayOutlast(other), !other.claim.isBatch
        else { return false }
        guard mayHold(other, window) || !isEarlier(life, other) else { return false }
        let (items, theirs) = (life.items(at: window.to), other.items(at: window.to))
        // Readers wait for each other if a presenter must have its item back in between (6.11).
        return conflicts(items, theirs) || (mayAsk(life, window) && touch(items, theirs))
    }

    /// Whether a claim may have been filed after a presenter had made room for readers too long.
    ///
    /// Then even claims of its own purpose wait for it, or they would keep the presenter out for
    /// ever (Rule 6.11).
    private func mayOutlast(_ other: ClaimLife) -> Bool {
        let end = entries[other.filed].moment.latest
        return presenters.contains { seen in
            seen.questions.contains { question in
                guard let answered = question.answered,
                    question.steps.contains(.relinquishToReader)
                else { return false }
                let (due, isNever) = entries[answered].moment.earliest
                    .addingReportingOverflow(readersPatience)
                return !isNever && due <= end
            }
        }
    }

    /// Whether a claim may have to wait for the end of another, for
    /// which a presenter made room, because that presenter must have its
    /// item back in between (Rule 6.11), wherever the item is by now.
    private func mayOutlast(_ other: ClaimLife, _ life: ClaimLife, _ window: Window) -> Bool {
        guard mayAsk(life, window), mayRun(other, window) else { return false }
        return presenters.contains { seen in
            mayHaveMadeRoom(seen, for: other, unlessLike: life)
                && !seen.presenter.steps(
                    before: life.claim, life.items(at: window.to), at: seen.place(at: window.to)
                ).isEmpty
        }
    }

    /// Whether a presenter may have made room for a claim.
    ///
    /// It was asked for that claim; or it had relinquished for another reader, and stays
    /// relinquished for this one, too (Rule 6.11). For a claim of the same purpose, the latter
    /// holds only for a limited time.
    private func mayHaveMadeRoom(
        _ seen: PresenterLife, for claim: ClaimLife, unlessLike other: ClaimLife
    ) -> Bool {
        if seen.questions.contains(where: { $0.claim == claim.claim.key }) { return true }
        guard claim.claim.purpose != other.claim.purpose || mayOutlast(claim),
            seen.questions.contains(where: { $0.steps.contains(.relinquishToReader) })
        else { return false }
        return claim.tenures.contains { tenure in
            !seen.presenter.steps(
                before: claim.claim, claim.items(at: tenure.start),
                at: seen.place(at: tenure.start)
            ).isEmpty
        }
    }

    /// How long readers may keep a presenter relinquished one after the other (Rule 6.11).
    var readersPatience: UInt64 { 30_000_000_000 }

    /// Whether a chain of waits may lead from a claim,
    /// itself included, to one that passes the test.
    private func mayLead(
        from start: ClaimLife, _ window: Window, to test: (ClaimLife) -> Bool
    ) -> Bool {
        var seen: Set<ClaimKey> = [start.claim.key]
        var ahead = [start]
        while let life = ahead.popLast() {
            if test(life) { return true }
            for other in claims
            where !seen.contains(other.claim.key) && mayWait(life, for: other, window) {
                seen.insert(other.claim.key)
                ahead.append(other)
            }
        }
        return false
    }
}
