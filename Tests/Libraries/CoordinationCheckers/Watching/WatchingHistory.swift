// SPDX-License-Identifier: Apache-2.0
//
// What happened in a watched tree, and what presenters were told of it (Rule 7.14). A simulated
// world records these facts, or a program that runs beside real writers. Places are plain strings
// that begin with a slash, so that the checker shares no code with the system that it judges.

/// A presenter, as watching sees it.
package struct WatchingPresenter: Hashable, Sendable {
    /// What is presented.
    package enum Kind: String, Hashable, Sendable {
        /// One file.
        case file
        /// A directory, with everything inside.
        case directory
        /// The same, and each change inside is a change of the item too (Rule 7.4).
        case package
    }

    /// Its name in the history.
    package var key: PresenterKey
    /// Where its item is.
    package var place: String
    /// What the item is.
    package var kind: Kind
    /// Its purpose; nil for one of its own, which no claim shares.
    package var purpose: String?

    /// A presenter.
    package init(
        _ key: PresenterKey, at place: String, _ kind: Kind, purpose: String? = nil
    ) {
        self.key = key
        self.place = place
        self.kind = kind
        self.purpose = purpose
    }
}

/// What a presenter is told about one change.
///
/// The messages of Rule 7.5 about one creation are one, and so are those of Rule 11.3 about one
/// move.
package enum WatchingMessage: Hashable, Sendable {
    /// To look at an item: it has come, has changed or is gone.
    case look(String)
    /// To look at an item that is new with everything inside.
    case lookInside(String)
    /// That anything in the presented item may have changed.
    case lookAtAll(String)
    /// That an item was moved; the presenter's own item, if the first place is that.
    case moved(String, to: String)
}

/// Something that happened.
package enum WatchingFact: Hashable, Sendable {
    /// An item was made; items are numbered in the order in which they are made.
    case created(String, item: UInt64, isDirectory: Bool, by: ClaimKey?)
    /// The contents or attributes of an item were changed.
    case changed(String, by: ClaimKey?)
    /// A file was given one more name.
    case linked(String, as: String, by: ClaimKey?)
    /// A name was removed.
    case removed(String, by: ClaimKey?)
    /// An item was renamed, over what was there; `isPaired` says whether the kernel has told the
    /// watcher both ends, with the same cookie.
    case moved(String, to: String, isPaired: Bool, by: ClaimKey?)
    /// Two names were exchanged.
    case exchanged(String, with: String, isPaired: Bool, by: ClaimKey?)

    /// A coordinated write began, to these places; its writer has a purpose.
    case claimBegan(ClaimKey, purpose: String, places: [String])
    /// A coordinated write has ended.
    case claimEnded(ClaimKey)

    /// A presenter was registered.
    case presented(WatchingPresenter)
    /// From now on changes are told to a presenter, which has read its item.
    case listening(PresenterKey)
    /// A presenter was told something, and has looked at once.
    case told(PresenterKey, WatchingMessage)
    /// A presenter was removed.
    case unpresented(PresenterKey)

    /// Notifications were lost: until all is quiet, "look at everything" is right.
    case notificationsLost
    /// From now on not all directories are watched, and changes are found by polling.
    case watchesLost
    /// Nothing is pending: the promises must have been kept.
    case quiet
}

extension WatchingFact: CustomStringConvertible {
    /// The fact as a line of text.
    package var description: String {
        switch self {
        case .created(let place, let item, let isDirectory, let claim):
            "created \(place) item=\(item)\(isDirectory ? " directory" : "")\(Self.author(claim))"
        case .changed(let place, let claim): "changed \(place)\(Self.author(claim))"
        case .linked(let place, let other, let claim):
            "linked \(place) as \(other)\(Self.author(claim))"
        case .removed(let place, let claim): "removed \(place)\(Self.author(claim))"
        case .moved(let place, let other, let isPaired, let claim):
            "moved \(place) to \(other)\(isPaired ? "" : ", not paired")\(Self.author(claim))"
        case .exchanged(let place, let other, let isPaired, let claim):
            "exchanged \(place) with \(other)\(isPaired ? "" : ", not paired")"
                + Self.author(claim)
        case .claimBegan(let claim, let purpose, let places):
            "claim \(claim) of \(purpose) began: \(places.joined(separator: " "))"
        case .claimEnded(let claim): "claim \(claim) ended"
        case .presented(let presenter):
            "presenter \(presenter.key) at \(presenter.place), \(presenter.kind)"
                + (presenter.purpose.map { " of \($0)" } ?? "")
        case .listening(let presenter): "presenter \(presenter) listens"
        case .told(let presenter, .look(let place)): "presenter \(presenter) told: look at \(place)"
        case .told(let presenter, .lookInside(let place)):
            "presenter \(presenter) told: look inside \(place)"
        case .told(let presenter, .lookAtAll(let place)):
            "presenter \(presenter) told: look at all of \(place)"
        case .told(let presenter, .moved(let place, let other)):
            "presenter \(presenter) told: \(place) is now \(other)"
        case .unpresented(let presenter): "presenter \(presenter) is gone"
        case .notificationsLost: "notifications lost"
        case .watchesLost: "watches lost"
        case .quiet: "quiet"
        }
    }

    private static func author(_ claim: ClaimKey?) -> String {
        claim.map { " by claim \($0)" } ?? ""
    }
}

/// A promise about watching that a history breaks.
package struct WatchingViolation: Hashable, Sendable, CustomStringConvertible {
    /// Which promise.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A presenter was not told of an item after its last change.
        case missing
        /// There were more than twice as many messages as changes.
        case tooMany
        /// A presenter had to look at everything without need.
        case whole
        /// A move was told as something else.
        case notAMove
        /// A presented item is not where its presenter was told.
        case wrongPlace
        /// Own saves were told back.
        case echo
        /// A temporary of a short claim was told.
        case temporary
    }

    /// Which promise.
    package var kind: Kind
    /// What is wrong, in a sentence.
    package var text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// One line.
    package var description: String { "\(kind.rawValue): \(text)" }
}

/// How many changes and messages there were.
package struct WatchingTally: Hashable, Sendable {
    /// Changes, once for each presenter that had to be told.
    package var changes = 0
    /// Messages about them.
    package var messages = 0
    /// Accesses of a presenter's own side that changed what it presents.
    package var ownSaves = 0
    /// Messages about what only a presenter's own side had changed.
    package var echoes = 0
    /// Moves that had to be told as moves.
    package var moves = 0
    /// Presented items that were followed.
    package var followed = 0
    /// Temporaries of short claims.
    package var temporaries = 0
    /// Messages to look at everything.
    package var wholes = 0

    /// Nothing.
    package init() {}

    /// The sum.
    package static func += (sum: inout Self, other: Self) {
        sum.changes += other.changes
        sum.messages += other.messages
        sum.ownSaves += other.ownSaves
        sum.echoes += other.echoes
        sum.moves += other.moves
        sum.followed += other.followed
        sum.temporaries += other.temporaries
        sum.wholes += other.wholes
    }

    /// More than one own save in a hundred was told back (Rule 7.9), or nil.
    package var violation: WatchingViolation? {
        guard echoes * 100 > ownSaves else { return nil }
        return WatchingViolation(.echo, "of \(ownSaves) own saves, \(echoes) were told back")
    }
}
