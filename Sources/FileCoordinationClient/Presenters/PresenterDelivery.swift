// SPDX-License-Identifier: Apache-2.0
//
// The messages on a presenter's queue. A message that expects an answer has a call number. So an
// answer, however late or often repeated, is matched with its call or is ignored.

package import FileCoordinationArbiter
package import FileCoordinationWire

/// A message that expects no answer (Rule 7.1).
package indirect enum PresenterNotice: Hashable, Sendable {
    /// `presentedItemDidChange()`
    case itemDidChange
    /// `presentedItemDidMove(to:)`
    case itemDidMove(to: ItemPath)
    /// `presentedItemDidChangeUbiquityAttributes(_:)`
    case itemDidChangeUbiquityAttributes(Set<String>)
    /// `presentedSubitemDidAppear(at:)`
    case subitemDidAppear(ItemPath)
    /// `presentedSubitemDidChange(at:)`
    case subitemDidChange(ItemPath)
    /// `presentedSubitem(at:didMoveTo:)`
    case subitemDidMove(from: ItemPath, to: ItemPath)
    /// `presentedItemDidGain(_:)`, `presentedItemDidLose(_:)`,
    /// `presentedItemDidResolveConflict(_:)`
    case itemVersion(VersionNews, of: ItemPath)
    /// `presentedSubitem(at:didGain:)`, `presentedSubitem(at:didLose:)`,
    /// `presentedSubitem(at:didResolve:)`
    case subitemVersion(VersionNews, at: ItemPath)
    /// A notice that a program caused that does not coordinate (Rule 7.14).
    case plain(PresenterNotice)
    /// A notice that says which coordinated writer caused it.
    case by(ChangeAuthor, PresenterNotice)

    /// The notice that anything may have changed at the path of a presenter with these methods
    /// (Rule 7.14).
    static func anyChange(at path: ItemPath?, of methods: PresenterMethods) -> PresenterNotice {
        guard case .subitemDidChange(let directory)? = methods.noticeOfAnyChange(at: path) else {
            return .itemDidChange
        }
        return .subitemDidChange(directory)
    }

    /// The notice without ``plain(_:)`` and ``by(_:_:)``.
    package var withoutOrigin: PresenterNotice {
        switch self {
        case .plain(let notice), .by(_, let notice): notice
        case .itemDidChange, .itemDidMove, .itemDidChangeUbiquityAttributes, .subitemDidAppear,
            .subitemDidChange, .subitemDidMove, .itemVersion, .subitemVersion:
            self
        }
    }

    /// The author of the change, if the notice names one.
    package var author: ChangeAuthor? {
        if case .by(let author, _) = self { author } else { nil }
    }

    /// Whether a program that does not coordinate caused it.
    package var isPlain: Bool {
        if case .plain = self { true } else { false }
    }

    /// The method that the presenter must implement to be told.
    var method: PresenterMethods {
        switch self {
        case .itemDidChange: .itemDidChange
        case .itemDidMove: .itemDidMove
        case .itemDidChangeUbiquityAttributes: .itemDidChangeUbiquityAttributes
        case .subitemDidAppear: .subitemDidAppear
        case .subitemDidChange: .subitemDidChange
        case .subitemDidMove: .subitemDidMove
        case .itemVersion(let news, _):
            switch news.fate {
            case .gained: .itemDidGainVersion
            case .lost: .itemDidLoseVersion
            case .resolved: .itemDidResolveConflict
            }
        case .subitemVersion(let news, _):
            switch news.fate {
            case .gained: .subitemDidGainVersion
            case .lost: .subitemDidLoseVersion
            case .resolved: .subitemDidResolveVersion
            }
        case .plain(let notice), .by(_, let notice): notice.method
        }
    }
}

/// The number of one call of an answering method; unique within a mailbox.
package struct PresenterCallID: Hashable, Sendable {
    /// The number, counted from 1.
    package var rawValue: UInt64

    /// Creates a call number.
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One operation on a presenter's queue.
package enum PresenterDelivery<Reacquirer: Sendable>: Sendable {
    /// Call the relinquish method of this kind.
    case relinquish(Relinquishment, PresenterCallID)
    /// Call the method for a request, in the form that the presenter implements.
    case perform(PresenterRequest, PresenterCallID)
    /// Call the method for a notice.
    case notify(PresenterNotice)
    /// Run the block that the presenter supplied when it relinquished in that call (Rule 8.2).
    case reacquire(Relinquishment, PresenterCallID, Reacquirer)
}

extension PresenterDelivery: Equatable where Reacquirer: Equatable {}
extension PresenterDelivery: Hashable where Reacquirer: Hashable {}
