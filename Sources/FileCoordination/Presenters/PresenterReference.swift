// SPDX-License-Identifier: Apache-2.0
//
// A presenter that is passed between threads. As on Apple platforms, NSFilePresenter is not
// Sendable: its contract says which members are called where.

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

/// A reference to a presenter that may be passed between threads.
///
/// Unchecked, because Apple's contract makes it safe: `presentedItemURL` and
/// `presentedItemOperationQueue` may be read on any thread (Rule 16.3). Everything else is called
/// on the presenter's queue, or is an async method with its own isolation.
package struct PresenterReference: @unchecked Sendable {
    /// The presenter.
    package let presenter: any NSFilePresenter

    /// Creates a reference to `presenter`.
    package init(_ presenter: any NSFilePresenter) { self.presenter = presenter }

    /// Presenters are compared by identity, not by equality (Rule 4.2).
    var identity: ObjectIdentifier { ObjectIdentifier(presenter) }

    /// The purpose of all coordinators created with this presenter (Rule 4.2).
    package var purposeText: String { ProcessIdentity.purpose(ofPresenter: identity) }
}
#endif
