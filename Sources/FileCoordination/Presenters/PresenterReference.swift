// SPDX-License-Identifier: Apache-2.0
//
// A presenter that is passed between threads. NSFilePresenter is not Sendable, here as on Apple
// platforms: its contract says instead which members are called where.

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

/// A reference to a presenter that may cross threads.
///
/// Unchecked, because it is Apple's contract that makes it safe: `presentedItemURL` and
/// `presentedItemOperationQueue` may be read on any thread (Rule 16.3), and callers call anything
/// else on the presenter's queue, or through an async method, which sees to its own isolation.
package struct PresenterReference: @unchecked Sendable {
    /// The presenter.
    package let presenter: any NSFilePresenter

    /// A reference to `presenter`.
    package init(_ presenter: any NSFilePresenter) { self.presenter = presenter }

    /// Presenters are told apart by being, not by equality (Rule 4.2).
    var identity: ObjectIdentifier { ObjectIdentifier(presenter) }

    /// The purpose of all coordinators made with this presenter (Rule 4.2).
    package var purposeText: String { ProcessIdentity.purpose(ofPresenter: identity) }
}
#endif
