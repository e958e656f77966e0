// SPDX-License-Identifier: Apache-2.0
//
// The notices of changes that are on a presenter's queue and have not started. A slow presenter
// must not take memory for each change that it has not read yet (Rule 7.14). So a notice is not
// added while an equal one waits: the presenter looks at the item when that one starts, and sees
// the later change as well (Rule 7.12). And beyond a limit, one notice that anything may have
// changed replaces all further ones.

/// The notices of changes that a presenter has not read.
package struct UnreadNotices: Hashable, Sendable {
    /// The most notices of changes that wait for a presenter individually.
    package static let limit = 1024

    /// The waiting notices that need not be repeated, because nothing else was added after them.
    private var repeatable: Set<PresenterNotice> = []
    /// The number of waiting notices of changes.
    private var count = 0
    /// The waiting notice that anything may have changed, which replaces further ones.
    private var ofAll: PresenterNotice?

    /// Creates the state of a presenter that has read everything.
    package init() {}

    /// Adds a notice.
    ///
    /// - Parameters:
    ///   - notice: the notice.
    ///   - canTellOfAll: whether the presenter can be told that anything may have changed.
    /// - Returns: the notice to add to the presenter's queue; nil if the presenter learns of this
    ///   change by a notice that waits already.
    package mutating func add(
        _ notice: PresenterNotice, canTellOfAll: Bool
    ) -> PresenterNotice? {
        guard notice.isOfChange else {
            endRepeating()
            return notice
        }
        if ofAll != nil || repeatable.contains(notice) { return nil }
        guard count < Self.limit || !canTellOfAll else {
            let all: PresenterNotice = notice.isPlain ? .plain(.itemDidChange) : .itemDidChange
            ofAll = all
            return all
        }
        count += 1
        // After a move, another item may have the path.
        if case .subitemDidMove = notice.withoutOrigin { repeatable = [] }
        if notice.isSaidOnce { repeatable.insert(notice) }
        return notice
    }

    /// Ends the omission of notices, because another message was added after those that wait.
    ///
    /// The presenter may look elsewhere after it, as after a move.
    package mutating func endRepeating() {
        repeatable = []
        ofAll = nil
    }

    /// Removes a notice that starts: a change from now on is told by another one.
    package mutating func remove(_ notice: PresenterNotice) {
        guard notice.isOfChange else { return }
        // On a concurrent queue, it may start before earlier ones.
        if notice == ofAll {
            ofAll = nil
        } else if count > 0 {
            count -= 1
        }
        repeatable.remove(notice)
    }
}

extension PresenterNotice {
    /// Whether a look at the whole item replaces the notice.
    fileprivate var isOfChange: Bool {
        switch withoutOrigin {
        case .itemDidChange, .subitemDidAppear, .subitemDidChange, .subitemDidMove: true
        case .itemDidMove, .itemDidChangeUbiquityAttributes, .itemVersion, .subitemVersion, .plain,
            .by:
            false
        }
    }

    /// Whether two equal notices in a row mean the same as one.
    fileprivate var isSaidOnce: Bool {
        switch withoutOrigin {
        case .itemDidChange, .subitemDidChange: true
        case .subitemDidAppear, .subitemDidMove, .itemDidMove, .itemDidChangeUbiquityAttributes,
            .itemVersion, .subitemVersion, .plain, .by:
            false
        }
    }
}
