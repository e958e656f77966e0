// SPDX-License-Identifier: Apache-2.0
//
// What happened, as it was seen from outside: facts with the moments at which they happened. A
// simulation records one, and so do the journals of real processes when they are merged. Nothing
// of the system is imported here.

/// Something that happened.
package enum Fact: Hashable, Sendable {
    /// A claim was filed; the moment is that of its place in the queue.
    case filed(Claim)
    /// A claim took its place (stage 2, Rule 2.19); where that is not seen, its grant counts.
    case holding(ClaimKey)
    /// A claim was granted; with its items, where they are known to be by then.
    case granted(ClaimKey, items: [Item]?)
    /// A claim that held a place, or a grant that was not taken up, is in the queue again (Rule
    /// 18.6).
    case returned(ClaimKey)
    /// An accessor returned.
    case ended(ClaimKey)
    /// A claim was given up, or its deadline passed.
    case cancelled(ClaimKey)
    /// A claim failed, because a presenter did.
    case failed(ClaimKey)
    /// A claim failed, because it was found to wait for itself (Rule 18.4).
    case foundInCycle(ClaimKey, [Link])
    /// An accessor made known that items have moved, all of them at once.
    case moved(by: ClaimKey, [Move])

    /// A presenter was registered.
    case presenterAdded(Presenter)
    /// A presenter was removed.
    case presenterRemoved(PresenterKey)
    /// A presenter said by itself where its item is (Rule 5.5).
    case presenterRelocated(PresenterKey, String?)
    /// A presenter was asked, for a claim if that is known.
    case asked(PresenterKey, for: ClaimKey?, [RequiredStep])
    /// A presenter answered what it was asked last for that claim.
    case answered(PresenterKey, for: ClaimKey?, succeeds: Bool)
    /// A presenter got its item back.
    case reacquired(PresenterKey, RequiredStep)
    /// A presenter cannot answer before that claim is over; nil: it can again (Rule 18.4).
    case blocked(PresenterKey, for: ClaimKey?, by: ClaimKey?)

    /// A client process died.
    case died(ClientKey)
    /// A client process was stopped.
    case stopped(ClientKey)
    /// A client process runs again.
    case continued(ClientKey)
    /// Another arbiter took over (Rule 18.7).
    case arbiterReplaced
    /// Every process that can continue has continued, and nothing more will happen.
    case rested
}

/// Facts, and when they happened.
package struct History: Hashable, Sendable {
    /// One fact.
    package struct Entry: Hashable, Sendable {
        /// When it happened.
        package var moment: Moment
        /// What happened.
        package var fact: Fact

        /// One fact.
        package init(_ moment: Moment, _ fact: Fact) {
            self.moment = moment
            self.fact = fact
        }
    }

    /// The facts, by the earliest moment at which they may have happened.
    ///
    /// Those that have the same instant are in the order in which they were recorded.
    package private(set) var entries: [Entry] = []

    /// A history of nothing.
    package init() {}

    /// A history of these facts, in any order, as from several journals.
    package init(_ entries: [Entry]) {
        self.entries = entries.enumerated().sorted { first, second in
            let (one, other) = (first.element.moment.earliest, second.element.moment.earliest)
            return one != other ? one < other : first.offset < second.offset
        }.map(\.element)
    }

    /// Adds a fact that happened last.
    package mutating func append(_ fact: Fact, at moment: Moment) {
        entries.append(Entry(moment, fact))
    }
}
