// SPDX-License-Identifier: Apache-2.0
//
// A directory is moved before what waits inside (Rule 2.8a): at the instant at which the mover
// could take its position, no claim inside that waited, too, takes one, whichever was filed first,
// and whether it moves something there itself.

extension Lives {
    /// Claims that took a position although the move of a directory around them could go first.
    var movesGoneSecond: [Violation] {
        guard entries.allSatisfy({ $0.moment.isExact }) else { return [] }
        let movers = claims.filter { $0.moves && !$0.claim.isBatch }
        guard !movers.isEmpty else { return [] }
        return claims.flatMap { inner in
            inner.tenures.flatMap { tenure in
                movers.filter { isPassed($0, by: inner, tenure) }.map { mover in
                    Violation(
                        .rest, at: tenure.start,
                        "claim \(inner.claim.key) took its position before claim "
                            + "\(mover.claim.key), which moves the directory around it and could "
                            + "go first (Rule 2.8a)")
                }
            }
        }
    }

    /// Whether a claim inside went before a mover that nothing else held back.
    private func isPassed(
        _ mover: ClaimLife, by inner: ClaimLife, _ tenure: ClaimLife.Tenure
    ) -> Bool {
        let start = tenure.start
        guard mover.claim.key != inner.claim.key, mover.claim.purpose != inner.claim.purpose,
            !inner.claim.isBatch, let instant = soleCause(of: start),
            isInLine(mover, throughout: instant),
            isWaiting(inner, before: instant.lowerBound),
            !mayBeStopped(mover.claim.client, Window(from: start, to: start))
        else { return false }
        let last = instant.upperBound - 1
        let (items, theirs) = (mover.items(at: last), inner.items(at: last))
        guard conflicts(items, theirs), onlyMovesAround(items, theirs) else { return false }
        return !claims.contains { mayHoldBack($0, mover, instant) }
    }

    /// Whether anything but claims that waited inside the directory may hold a mover back.
    private func mayHoldBack(
        _ other: ClaimLife, _ mover: ClaimLife, _ instant: Range<Int>
    ) -> Bool {
        let last = instant.upperBound - 1
        guard other.claim.key != mover.claim.key, other.claim.purpose != mover.claim.purpose,
            !other.claim.isBatch, other.filed <= last, other.over.map({ $0 > last }) ?? true
        else { return false }
        let (items, theirs) = (mover.items(at: last), other.items(at: last))
        guard conflicts(items, theirs) else { return false }
        guard let tenure = tenure(of: other, last) else { return !onlyMovesAround(items, theirs) }
        return tenure.start < instant.lowerBound || !onlyMovesAround(items, theirs)
    }

    /// The facts of an instant in which only one thing happened that the arbiter did not decide.
    ///
    /// If there are more, it is not known in which order they mattered.
    private func soleCause(of fact: Int) -> Range<Int>? {
        let moment = entries[fact].moment
        var (from, to) = (fact, fact + 1)
        while from > 0, entries[from - 1].moment == moment { from -= 1 }
        while to < entries.count, entries[to].moment == moment { to += 1 }
        let causes = entries[from..<to].count { entry in
            switch entry.fact {
            case .holding, .granted, .asked, .reacquired: false
            default: true
            }
        }
        return causes <= 1 ? from..<to : nil
    }

    private func isInLine(_ life: ClaimLife, throughout instant: Range<Int>) -> Bool {
        isWaiting(life, before: instant.lowerBound)
            && life.over.map { $0 >= instant.upperBound } ?? true
            && life.tenures.allSatisfy {
                $0.start >= instant.upperBound || ($0.end.map { $0 < instant.lowerBound } ?? false)
            }
    }

    /// Whether a claim was in the queue before a fact.
    private func isWaiting(_ life: ClaimLife, before fact: Int) -> Bool {
        life.filed < fact && tenure(of: life, fact - 1) == nil
    }
}

extension ClaimLife {
    fileprivate var moves: Bool { claim.items.contains { $0.use.ends.contains(.moving) } }
}
