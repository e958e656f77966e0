// SPDX-License-Identifier: Apache-2.0
//
// From what the watcher saw to what a presenter hears: the same messages as after a coordinated
// write (Rules 7.3 to 7.7, 11.2, 11.3).

import FileCoordinationArbiter
import FileCoordinationWatching

/// A presenter as the watcher knows it.
struct WatchedPresenter {
    /// What it presents, as its client has seen.
    enum Item {
        case file
        case directory
        case package
        /// Nothing was there, or its client did not say.
        case unknown
    }

    /// Where its item is, as far as the watcher has said or was told.
    var path: ItemPath
    let methods: PresenterMethods
    let purpose: Purpose
    let item: Item
    /// Whether changes are told.
    var isListening = false

    /// What is watched for it: a presenter with no method for what is inside needs no more than
    /// its item, except for a package (Rule 7.4).
    var kind: PresentedKind {
        let watchesInside = !methods.isDisjoint(
            with: [.subitemDidAppear, .subitemDidChange, .subitemDidMove])
        switch item {
        case .file: return .file
        case .directory, .unknown: return watchesInside ? .directory : .file
        case .package:
            return watchesInside || methods.contains(.itemDidChange) ? .directory : .file
        }
    }

    /// What it is told.
    enum Message: Hashable {
        case notice(Notice)
        /// Its item is elsewhere.
        case moved(to: ItemPath)
    }

    /// What it is told of a change.
    func messages(of change: WatchedChange) -> [Message] {
        if case .moved(let former) = change.what, former == path {
            return [.moved(to: change.path)]
        }
        guard path.contains(change.path) else {
            // Its item, or what was it a moment ago.
            return notice(.itemDidChange, if: .itemDidChange)
        }
        switch change.what {
        case .appeared:
            return notice(.subitemDidAppear(change.path), if: .subitemDidAppear)
                + inside(.subitemDidChange(change.path), if: .subitemDidChange)
        case .changed, .deleted:
            return inside(.subitemDidChange(change.path), if: .subitemDidChange)
        case .moved(let former):
            return inside(.subitemDidMove(former, to: change.path), if: .subitemDidMove)
        }
    }

    /// What it is told when anything may have changed.
    var messagesOfAll: [Message] { notice(.itemDidChange, if: .itemDidChange) }

    private func notice(_ notice: Notice, if method: PresenterMethods) -> [Message] {
        methods.contains(method) ? [.notice(notice)] : []
    }

    /// A package that has no method for it is told of a change of itself (Rule 7.4).
    private func inside(_ inner: Notice, if method: PresenterMethods) -> [Message] {
        if methods.contains(method) { return [.notice(inner)] }
        return item == .package ? messagesOfAll : []
    }
}

extension WatchedChange {
    /// The names that `filecoord` gives to what it writes beside a user's file, for a moment.
    private static let temporaryPrefix = Array(".filecoord-".utf8)

    private static func isTemporary(_ path: ItemPath) -> Bool {
        path.components.last?.starts(with: temporaryPrefix) == true
    }

    /// The change without what this project's own tools do to get there; nil if that is all.
    var withoutTemporaries: WatchedChange? {
        if Self.isTemporary(path) { return nil }
        guard case .moved(let former) = what, Self.isTemporary(former) else { return self }
        var result = self
        result.what = .changed(.content)
        return result
    }

    /// What is left to be told of a move that a claim tells of: that nothing is any more where no
    /// claim was.
    func remainder(isClaimed: (ItemPath) -> Bool) -> WatchedChange? {
        guard origin == .coordinated, case .moved(let former) = what, !isClaimed(former)
        else { return nil }
        return WatchedChange(what: .deleted, path: former, origin: .uncoordinated, sight: nil)
    }
}
