// SPDX-License-Identifier: Apache-2.0
//
// A presenter as the watching part knows it, and what it is told of what the watcher saw: the
// messages are those of a coordinated write (Rules 7.3 to 7.7, 11.2, 11.3).

import FileCoordinationArbiter
import FileCoordinationWatching

/// A presenter, as the watching part knows it.
struct WatchedPresenter {
    /// The kind of the presented item, as the client has determined it.
    enum Item {
        case file
        case directory
        case package
        /// The item did not exist, or the client did not tell its kind.
        case unknown
    }

    /// The item's current path, according to the watcher and to announced moves.
    var path: ItemPath
    let methods: PresenterMethods
    let purpose: Purpose
    let item: Item
    /// Whether it is told who made a change.
    var wantsAuthors = false
    /// Whether changes of the item are being reported.
    var isListening = false

    /// Returns a description of the changes after a real time, including a deletion of the item.
    func changes(after time: Int64) -> MissedChanges {
        MissedChanges(after: time, existed: item != .unknown)
    }

    /// What the watcher watches for this presenter.
    ///
    /// Only packages and presenters with a method for subitems need more than the item itself (Rule
    /// 7.4).
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

    /// A message for the presenter.
    enum Message: Hashable {
        case notice(Notice)
        /// The presenter's item has moved.
        case moved(to: ItemPath)
    }

    /// Returns the messages for a change.
    func messages(of change: WatchedChange) -> [Message] {
        if case .moved(let former) = change.what, former == path {
            return [.moved(to: change.path)]
        }
        guard path.contains(change.path) else {
            // The change is at the presenter's item, which may be another one now, or at the path
            // that it had until recently.
            let isSame = change.path == path && change.what != .appeared
            return isSame ? notice(.itemDidChange, if: .itemDidChange) : messagesOfAll
        }
        switch change.what {
        case .appeared:
            return notice(.subitemDidAppear(change.path), if: .subitemDidAppear)
                + inside(.subitemDidChange(change.path), if: .subitemDidChange)
        case .changed, .deleted:
            return inside(.subitemDidChange(change.path), if: .subitemDidChange)
        case .moved(let former):
            let left =
                path.contains(former)
                ? inside(.subitemDidChange(former), if: .subitemDidChange) : []
            let arrived = inside(.subitemDidChange(change.path), if: .subitemDidChange)
            return notice(.subitemDidMove(former, to: change.path), if: .subitemDidMove)
                + arrived + (left == arrived ? [] : left)
        }
    }

    /// The messages for the case that anything may have changed.
    var messagesOfAll: [Message] {
        methods.noticeOfAnyChange(at: path).map { [.notice($0)] } ?? []
    }

    private func notice(_ notice: Notice, if method: PresenterMethods) -> [Message] {
        methods.contains(method) ? [.notice(notice)] : []
    }

    /// Returns the notice for a change inside the item.
    ///
    /// For a package without a method for it, the item itself has changed (Rule 7.4).
    private func inside(_ inner: Notice, if method: PresenterMethods) -> [Message] {
        if methods.contains(method) { return [.notice(inner)] }
        return item == .package ? notice(.itemDidChange, if: .itemDidChange) : []
    }
}

extension WatchedChange {
    /// The prefix of the temporary files that `filecoord` creates beside a user's file.
    private static let temporaryPrefix = Array(".filecoord-".utf8)

    private static func isTemporary(_ path: ItemPath) -> Bool {
        path.components.last?.starts(with: temporaryPrefix) == true
    }

    /// The change without the temporary files of this project's tools; nil if nothing remains.
    var withoutTemporaries: WatchedChange? {
        if Self.isTemporary(path) { return nil }
        guard case .moved(let former) = what, Self.isTemporary(former) else { return self }
        var result = self
        result.what = .changed(.content)
        return result
    }
}
