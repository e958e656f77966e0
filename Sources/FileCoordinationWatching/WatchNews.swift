// SPDX-License-Identifier: Apache-2.0
//
// What presenters are told. One message for each presenter and turn: all its changes took place
// between two instants. `former` paths are those of the first instant, all others those of the
// second, so the changes of a message have no order among themselves.

public import FileCoordinationArbiter

/// Who made a change.
public enum ChangeOrigin: Hashable, Sendable, Comparable {
    /// A program that did not coordinate.
    case uncoordinated
    /// A coordinated writer: its claim has reported the change, or will.
    case coordinated
    /// A change inside a directory during a coordinated write to that directory: the kernel does
    /// not tell whether the writer made it.
    case either
}

/// One difference between what a presenter was told last and what is there.
public struct WatchedChange: Hashable, Sendable {
    /// In what two versions of an item differ.
    public enum Difference: Hashable, Sendable {
        /// The contents, as far as size, times and identity show.
        case content
        /// The attributes alone.
        case attributes
    }

    /// What happened.
    public enum What: Hashable, Sendable {
        /// An item is there that was not. Of a directory: forget what was believed to be inside;
        /// everything in it is told by itself.
        case appeared
        /// The item is another version, or another item of that name.
        case changed(Difference)
        /// The item is gone, or was moved out of what is presented.
        case deleted
        /// The item has another path.
        case moved(former: ItemPath)
    }

    /// What happened.
    public var what: What
    /// Where: the item's path now, or its last one if it is gone.
    public var path: ItemPath
    /// Who made the change.
    public var origin: ChangeOrigin
    /// What is there now; nil if nothing.
    public var sight: FileSight?

    /// Makes a difference.
    public init(what: What, path: ItemPath, origin: ChangeOrigin, sight: FileSight?) {
        self.what = what
        self.path = path
        self.origin = origin
        self.sight = sight
    }
}

/// A message to a presenter.
public struct WatchNews: Hashable, Sendable {
    /// Why a presenter must read its whole item again.
    public enum Reason: Hashable, Sendable, Comparable {
        /// A coordinated writer exchanged the item itself, which its claim reports.
        case rewritten
        /// The kernel dropped notifications.
        case overflow
        /// There were more changes than a message has room for.
        case manyChanges
        /// The item itself was exchanged or came back.
        case replaced
        /// Something was changed before changes were told.
        case late
    }

    /// What is told.
    public enum Body: Hashable, Sendable {
        /// Changes from now on are told.
        case listening
        /// These items changed.
        case changes([WatchedChange])
        /// The whole item may have changed: read all of it again.
        case wholeMayHaveChanged(Reason)
        /// Changes are looked for at intervals from now on.
        case degraded(WatchTrouble)
        /// Changes are notified again.
        case healed

        /// Whether the presenter reads its whole item.
        var asksToRead: Bool {
            switch self {
            case .listening, .wholeMayHaveChanged: true
            case .changes, .degraded, .healed: false
            }
        }
    }

    /// The presenter.
    public var presenter: UInt64
    /// What it is told.
    public var body: Body

    /// Makes a message.
    public init(presenter: UInt64, body: Body) {
        self.presenter = presenter
        self.body = body
    }
}
