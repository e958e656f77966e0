// SPDX-License-Identifier: Apache-2.0
//
// The messages to presenters. Each says where to look again: an item, or everything. There is no
// order between items, and several changes may be one message.

public import FileCoordinationArbiter

/// An item at which presenters must look again.
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
        /// The item is new; if it is a directory, so is everything inside.
        case appeared
        /// The item has another version, or another item has its name.
        case changed(Difference)
        /// Nothing is there any more: the item was deleted or moved out of what is presented, or
        /// one came and went.
        case deleted
        /// The item was moved, and may have changed as well.
        case moved(former: ItemPath)

        /// Whether the item has left the path at which it was told.
        var isDeparture: Bool {
            switch self {
            case .deleted, .moved: true
            case .appeared, .changed: false
            }
        }
    }

    /// The kind of the change.
    public var what: What
    /// The present path of the item, or its last one if it is gone.
    public var path: ItemPath
    /// What is there now, or nil if nothing is.
    public var observed: ObservedFile?
    /// What presenters were last told is there; nil if nothing.
    public var earlier: ObservedFile?
    /// The real time by which the item had left, as the directory's time of change tells; nil if
    /// it is there, or if that is not known.
    public var goneBy: Int64?
    /// When the watcher found it, by the monotonic clock.
    public var seenAt: Instant
    /// Everything until then was told before this change.
    public var since = Instant.distantPast
    /// Whether it matters only to a presenter that a claim has told of something here.
    public var isDoubted = false

    /// Makes a change.
    public init(
        what: What, path: ItemPath, observed: ObservedFile?, earlier: ObservedFile? = nil,
        goneBy: Int64? = nil, seenAt: Instant = .distantPast
    ) {
        self.seenAt = seenAt
        self.goneBy = goneBy
        self.what = what
        self.path = path
        self.observed = observed
        self.earlier = earlier
    }
}

/// A message to a presenter.
public struct WatchNews: Hashable, Sendable {
    /// Why a presenter must read its whole item again.
    public enum Reason: Hashable, Sendable, Comparable {
        /// The kernel dropped events.
        case overflow
        /// There are more changes than a message may have.
        case manyChanges
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
        /// From now on, the watcher polls for changes.
        case degraded(WatchTrouble)
        /// The kernel reports changes again.
        case healed
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
