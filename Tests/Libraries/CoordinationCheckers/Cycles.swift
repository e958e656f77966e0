// SPDX-License-Identifier: Apache-2.0
//
// Cycles (Rule 18.4). In a cycle that was reported, every step must be a wait that the rules know,
// and the right claim must have failed. And at every instant at which all is known, there must be
// no cycle that was not reported. For these, only steps count about which there is no doubt.

extension Lives {
    var cycleViolations: [Violation] {
        var result: [Violation] = []
        for (number, entry) in entries.enumerated() {
            guard case .foundInCycle(let victim, let links) = entry.fact else { continue }
            for text in falseAlarms(victim, links, number) {
                result.append(Violation(.cycle, at: number, text))
            }
        }
        guard entries.allSatisfy({ $0.moment.isExact }) else { return result }
        for fact in entries.indices where isLastOfItsInstant(fact) {
            guard let cycle = standingCycle(fact) else { continue }
            let names = cycle.map { "\($0)" }.joined(separator: ", ")
            result.append(Violation(.cycle, at: fact, "claims \(names) wait in a cycle"))
            break
        }
        return result
    }

    // MARK: Of what was reported

    private func falseAlarms(_ victim: ClaimKey, _ links: [Link], _ fact: Int) -> [String] {
        guard links.contains(where: { $0.claim == victim }) else {
            return ["claim \(victim) failed for a cycle that it is not in"]
        }
        let now = Window(from: fact, to: fact)
        var result: [String] = []
        for (number, link) in links.enumerated() {
            let next = links[(number + 1) % links.count]
            guard let one = claim(link.claim), let other = claim(next.claim) else {
                result.append("claims \(link.claim) and \(next.claim) are not both there")
                continue
            }
            if !isWait(of: one, for: other, link.presenter, now) {
                result.append("claim \(link.claim) does not wait for claim \(next.claim)")
            }
        }
        let lives = links.compactMap { claim($0.claim) }
        let inLine = lives.filter { isCertainlyInLine($0, fact) }
        if let failed = claim(victim) {
            let isInLine = !failed.tenures.contains { isBefore($0.start, fact) && $0.end == fact }
            if (!isInLine && !inLine.isEmpty) || inLine.contains(where: { isEarlier(failed, $0) }) {
                result.append("claim \(victim) failed, and a younger one waits in the queue")
            }
        }
        return result
    }

    private func isCertainlyInLine(_ life: ClaimLife, _ fact: Int) -> Bool {
        isBeforeInOrder(life.filed, fact) && (life.over == fact || isBefore(fact, life.over))
            && life.tenures.allSatisfy { isBefore($0.end, fact) || isBefore(fact, $0.start) }
    }

    private func isWait(
        of life: ClaimLife, for other: ClaimLife, _ presenter: PresenterKey?, _ now: Window
    ) -> Bool {
        if let presenter {
            guard let seen = self.presenter(presenter), mayAsk(life, now) else { return false }
            // The presenter may also have been asked for another claim, or must have its item back
            // first (6.11): then the question for this claim comes after that.
            let isAsked = seen.questions.contains {
                mayOverlap($0.asked, $0.answered ?? $0.void, now)
                    || isBefore($0.answered, now.to)
            }
            return isAsked && mayBeBlocked(seen, from: life.claim.key, by: other.claim.key, now)
        }
        let isInside =
            other.claim.enclosing.contains(life.claim.key) && other.claim.blocksCaller
            && other.claim.client == life.claim.client
        if mayRun(life, now) && isInside { return true }
        if let tenure = life.tenures.last, tenure.end == nil, isBefore(tenure.granted, now.to) {
            return false
        }
        return mayWait(life, for: other, now) && !canBypassForSure(life, from: other, now)
    }

    /// Whether a call may keep a presenter from answering the question for a claim, or one that
    /// is asked before.
    private func mayBeBlocked(
        _ seen: PresenterLife, from question: ClaimKey, by call: ClaimKey, _ now: Window
    ) -> Bool {
        let isAsked = seen.questions.contains {
            $0.claim == question && isBeforeInOrder($0.asked, now.to)
                && mayOverlap($0.asked, $0.answered ?? $0.void, now)
        }
        return seen.blockings.contains {
            $0.claim == call && ($0.question == nil || $0.question == question || !isAsked)
        }
    }

    /// Whether a claim in the queue certainly need not wait for another.
    private func canBypassForSure(
        _ life: ClaimLife, from other: ClaimLife, _ now: Window
    ) -> Bool {
        guard isCertainlyInLine(life, now.to), !mayRun(other, now) else { return false }
        let items = other.items(at: now.to)
        // 2.17: the claim was filed inside an accessor for which the other claim waits.
        let isNested = life.claim.enclosing.contains { key in
            guard let outer = claim(key), let tenure = outer.tenures.last,
                isBefore(tenure.granted, now.to), isBefore(now.to, tenure.end)
            else { return false }
            return outer.claim.purpose == life.claim.purpose && !outer.claim.isBatch
                && outer.claim.client == life.claim.client
                && isCertainlyInLine(other, now.to)
                && conflicts(outer.items(at: now.to), items)
                && outer.claim.purpose != other.claim.purpose
        }
        if isNested || isAskingItsPresenter(other, life, now.to) { return true }
        // 2.8a
        return isCertainlyInLine(other, now.to)
            && onlyMovesAround(life.items(at: now.to), items)
    }

    /// Rule 2.16: whether a claim holds its position and asks a presenter of this one's purpose.
    private func isAskingItsPresenter(_ other: ClaimLife, _ life: ClaimLife, _ fact: Int) -> Bool {
        guard entries.allSatisfy({ $0.moment.isExact }), case .asking = state(of: other, fact)
        else { return false }
        return isSavingBack(life, other, fact)
    }

    // MARK: Of what was not reported

    /// Claims that wait in a cycle after a fact, if that is beyond doubt.
    private func standingCycle(_ fact: Int) -> [ClaimKey]? {
        let present = claims.filter {
            $0.filed <= fact && ($0.over.map { $0 > fact } ?? true)
                && !isStopped($0.claim.client, fact)
        }
        let mayClose = present.filter { isCallWaiting($0, fact) || blocks($0, fact) }
        for start in mayClose {
            if let way = way(from: start, in: present, fact) { return way }
        }
        return nil
    }

    private func isCallWaiting(_ life: ClaimLife, _ fact: Int) -> Bool {
        life.claim.blocksCaller && !life.claim.enclosing.isEmpty
            && !state(of: life, fact).isRunning
    }

    private func blocks(_ life: ClaimLife, _ fact: Int) -> Bool {
        presenters.contains { seen in
            seen.questions.contains { question in
                isBlocked(seen, from: question.claim, by: life, fact)
            }
        }
    }

    /// Whether a claim keeps a presenter from answering the question for another.
    private func isBlocked(
        _ seen: PresenterLife, from question: ClaimKey?, by life: ClaimLife, _ fact: Int
    ) -> Bool {
        let blocking = seen.blockings.last {
            $0.since <= fact && ($0.question == nil || $0.question == question)
        }
        // A block that was reported for an earlier question for the same claim does not count.
        let asked = seen.questions.last { $0.claim == question && $0.asked <= fact }?.asked
        guard let blocking, let asked, blocking.question == nil || asked <= blocking.since else {
            return false
        }
        return (seen.removed.map { $0 > fact } ?? true) && blocking.claim == life.claim.key
    }

    private func way(
        from start: ClaimLife, in present: [ClaimLife], _ fact: Int
    ) -> [ClaimKey]? {
        var cameFrom: [ClaimKey: ClaimKey] = [:]
        var ahead = [start]
        while let life = ahead.popLast() {
            for next in present where waitsForSure(life, for: next, in: present, fact) {
                let key = next.claim.key
                if key == start.claim.key {
                    var way = [life.claim.key]
                    while let last = way.last, last != key, let former = cameFrom[last] {
                        way.append(former)
                    }
                    return way.reversed()
                }
                guard cameFrom[key] == nil else { continue }
                cameFrom[key] = life.claim.key
                ahead.append(next)
            }
        }
        return nil
    }

    /// Whether a presenter may not have answered some question within its patience.
    ///
    /// Then no claim waits for the presenter until it answers again (Rule 18.3).
    func mayBePassedOver(_ seen: PresenterLife, _ fact: Int) -> Bool {
        guard let patience = seen.presenter.patience else { return false }
        return seen.questions.contains { question in
            guard question.asked <= fact else { return false }
            let end = min(question.answered ?? fact, fact)
            return entries[end].moment.latest - entries[question.asked].moment.earliest >= patience
        }
    }

    /// Whether a presenter was asked, has not answered, and has not been passed over.
    func isAwaitedForSure(
        _ seen: PresenterLife, for claim: ClaimKey, _ fact: Int
    ) -> Bool {
        guard !stops.contains(where: { $0.client == seen.presenter.client && $0.from <= fact }),
            !mayBePassedOver(seen, fact)
        else { return false }
        return seen.questions.contains { question in
            guard question.claim == claim, question.asked <= fact, question.void == nil,
                question.answered.map({ $0 > fact }) ?? true
            else { return false }
            let waited =
                entries[fact].moment.latest - entries[question.asked].moment.earliest
            return seen.presenter.patience.map { waited < $0 } ?? true
        }
    }

    private func waitsForSure(
        _ life: ClaimLife, for other: ClaimLife, in present: [ClaimLife], _ fact: Int
    ) -> Bool {
        let (own, their) = (life.claim, other.claim)
        let others = state(of: other, fact)
        switch state(of: life, fact) {
        case .running:
            return isCallWaiting(other, fact) && their.client == own.client
                && their.enclosing.contains(own.key)
        case .asking(let since):
            let isThroughPresenter = presenters.contains { seen in
                isBlocked(seen, from: own.key, by: other, fact) && !others.isRunning
                    && isAwaitedForSure(seen, for: own.key, fact)
            }
            if isThroughPresenter { return true }
            guard own.key != their.key, own.purpose != their.purpose, !own.isBatch, !their.isBatch,
                let place = other.tenures.last(where: { $0.start <= fact }),
                isBefore(since, place.start),
                place.end.map({ $0 > fact }) ?? true
            else { return false }
            // The wait is certain only if no move since then has ended the conflict.
            return conflicts(life.items(at: place.start), other.items(at: place.start))
                && conflicts(life.items(at: fact), other.items(at: fact))
        case .inLine:
            guard own.key != their.key, own.purpose != their.purpose, !own.isBatch, !their.isBatch
            else { return false }
            let (items, theirs) = (life.items(at: fact), other.items(at: fact))
            guard conflicts(items, theirs) else { return false }
            if case .running = others { return true }
            // Otherwise the wait is certain only if no other claim can let this one pass.
            if presenters.contains(where: { $0.presenter.purpose == own.purpose })
                || claims.contains(where: { $0.claim.purpose == own.purpose && $0.grant != nil })
            {
                return false
            }
            if case .asking = others { return true }
            return isEarlier(other, life) && !onlyMovesAround(items, theirs)
        }
    }
}
