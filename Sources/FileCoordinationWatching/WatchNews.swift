// SPDX-License-Identifier: Apache-2.0
//
// The messages to presenters. In each turn, a presenter gets at most one message of changes, which
// describes the difference between two instants. A presenter can apply them one after the other:
// see `ChangeOrder`.

public import FileCoordinationArbiter

/// Who made a change.
public enum ChangeOrigin: Hashable, Sendable, Comparable {
    /// A program that does not use file coordination.
    case uncoordinated
    /// A coordinated writer, which reports the change itself when its access ends.
    case coordinated
    /// Either of them: something changed inside a directory during a coordinated write to it, and
    /// the kernel does not tell which process changed it.
    case either
}

/// One difference between what a presenter was last told and what is there.
public struct WatchedChange: Hashable, Sendable {
    /// In what two versions of an item differ.
    public enum Difference: Hashable, Sendable {
        /// The contents, as far as size, times and identity show it.
        case content
        /// Only the attributes.
        case attributes
    }

    /// The kind of a change.
    public enum What: Hashable, Sendable {
        /// The item is new.
        ///
        /// If it is a directory, the presenter must discard what it knew of the items inside; every
        /// item in it is reported separately, after it.
        case appeared
        /// The item has another version, or another item has its name.
        case changed(Difference)
        /// The item was deleted, or was moved out of what is presented.
        case deleted
        /// The item was moved.
        case moved(former: ItemPath)
    }

    /// The kind of the change.
    public var what: What
    /// The present path of the item, or its last one if it is gone.
    public var path: ItemPath
    /// Who made the change.
    public var origin: ChangeOrigin
    /// What is there now, or nil if nothing is.
    public var observed: ObservedFile?
    /// Where a coordinated writer left a moved item, if a plain program has moved it on from there.
    ///
    /// The writer's claim announces the move to this path, but not the move from here to ``path``.
    public var leftAt: ItemPath?
    /// Who moved the item away from its former path, if not the author of its present place.
    ///
    /// A writer's claim for the present path does not announce that the item has left the former
    /// one.
    public var departure: ChangeOrigin?
    /// Who moved the item to its present path, if not the author of its departure, and no claim has
    /// announced an item there.
    ///
    /// A writer's claim for the former path does not announce that the item has come to the present
    /// one.
    public var arrival: ChangeOrigin?

    /// Whether claims announce all of the change.
    var isAnnounced: Bool {
        origin == .coordinated && leftAt == nil && departure == nil && arrival == nil
    }

    var isMove: Bool {
        if case .moved = what { true } else { false }
    }

    /// Makes a change.
    public init(
        what: What, path: ItemPath, origin: ChangeOrigin, observed: ObservedFile?,
        leftAt: ItemPath? = nil, departure: ChangeOrigin? = nil, arrival: ChangeOrigin? = nil
    ) {
        self.what = what
        self.path = path
        self.origin = origin
        self.observed = observed
        self.leftAt = leftAt
        self.departure = departure
        self.arrival = arrival
    }
}

/// A message to a presenter.
public struct WatchNews: Hashable, Sendable {
    /// Why a presenter must read its whole item again.
    public enum Reason: Hashable, Sendable, Comparable {
        /// A coordinated writer replaced the item itself, and reports that when its access ends.
        case rewritten
        /// The kernel dropped events.
        case overflow
        /// There are more changes than a message may have.
        case manyChanges
        /// The item itself was replaced, or exists again.
        case replaced
        /// Something was changed before the watcher began to report changes.
        case late
    }

    /// The contents of a message.
    public enum Body: Hashable, Sendable {
        /// From now on, the watcher reports changes.
        case listening
        /// These items have changed.
        case changes([WatchedChange])
        /// Anything in the item may have changed: the presenter must read all of it again.
        case wholeMayHaveChanged(Reason)
        /// The presenter's item is at this path now, but the presenter does not follow it yet,
        /// because another item may take the former path.
        ///
        /// Presenters are not told of this.
        case arrived(at: ItemPath)
        /// From now on, the watcher polls for changes.
        case degraded(WatchTrouble)
        /// The kernel reports changes again.
        case healed

        /// Whether the message makes the presenter read its whole item.
        var asksToRead: Bool {
            switch self {
            case .listening, .wholeMayHaveChanged: true
            case .changes, .arrived, .degraded, .healed: false
            }
        }
    }

    /// The number of the presenter to which the message is sent.
    public var presenter: UInt64
    /// What the presenter is told.
    public var body: Body

    /// Makes a message.
    public init(presenter: UInt64, body: Body) {
        self.presenter = presenter
        self.body = body
    }
}
