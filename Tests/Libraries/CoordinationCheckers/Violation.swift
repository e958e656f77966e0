// SPDX-License-Identifier: Apache-2.0
//
// The finding of a checker, and the list of all checkers.

/// A rule that a history breaks.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// Which checker found it.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Two conflicting claims ran at the same time.
        case exclusion
        /// A presenter that had to be asked was not, or had not answered.
        case requiredStep
        /// A claim passed one that came first.
        case order
        /// A claim waits for nothing, or for ever; or a presenter does not get its item back.
        case rest
        /// A presenter gets its item back too early, too late or twice.
        case reacquire
        /// A cycle was reported that is none, or the wrong claim failed.
        case cycle
        /// A claim was told wrong places.
        case places
        /// A fact about a client, claim or presenter that is not there.
        case stray
    }

    /// Which checker found it.
    package var kind: Kind
    /// The fact at which it shows; nil: at the end.
    package var fact: Int?
    /// What is wrong, in a sentence.
    package var text: String

    /// A rule that a history breaks.
    package init(_ kind: Kind, at fact: Int? = nil, _ text: String) {
        self.kind = kind
        self.fact = fact
        self.text = text
    }

    /// One line.
    package var description: String {
        "\(kind.rawValue)\(fact.map { " at fact \($0)" } ?? ""): \(text)"
    }
}

extension History {
    /// Everything that is wrong with the history.
    ///
    /// Facts that are known only up to an interval are judged by what is certain of them.
    package func violations(of kinds: [Violation.Kind] = Violation.Kind.allCases) -> [Violation] {
        let lives = Lives(self)
        return kinds.flatMap { kind -> [Violation] in
            switch kind {
            case .exclusion: lives.exclusionViolations
            case .requiredStep: lives.stepViolations
            case .order: lives.orderViolations
            case .rest: lives.restViolations
            case .reacquire: lives.reacquireViolations
            case .cycle: lives.cycleViolations
            case .places:
                lives.claims.compactMap { life in
                    life.mistold.map {
                        Violation(
                            .places, at: $0,
                            "claim \(life.claim.key) was told other places than where its items "
                                + "are (Rule 11.4)")
                    }
                }
            case .stray:
                lives.contradictions.map {
                    Violation(.stray, at: $0, "\(entries[$0].fact): of what is not there")
                }
            }
        }
    }
}
