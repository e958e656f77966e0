// SPDX-License-Identifier: Apache-2.0
//
// Determines from a presenter's type which optional methods it implements. Nothing is called, so
// this also works while the presenter's main thread is busy (Rule 5.3). The result is a set of bits
// by which the server decides which presenters to ask and tell.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import Foundation

extension PresenterMethods {
    /// The optional methods that `presenter` implements, in any form.
    package init(implementedBy presenter: any NSFilePresenter) {
        self = presenter.methodsWithCompletion.union(presenter.methodsWithAsync)
            .union(presenter.methodsForRelinquishing).union(presenter.methodsWithOneSpelling)
    }
}

extension NSFilePresenter {
    /// The methods that are implemented with a completion handler.
    ///
    /// If a presenter has both forms of a method, this one is called.
    var methodsWithCompletion: PresenterMethods {
        Self.methods([
            (Self._Save.self, .save),
            (Self._AccommodateDeletion.self, .accommodateDeletion),
            (Self._AccommodateSubitemDeletion.self, .accommodateSubitemDeletion),
            (Self._AccommodateEviction.self, .accommodateEviction),
        ]).union(self is any FileContentsProvider ? .provideContents : [])
    }

    /// The methods that are implemented as `async`.
    fileprivate var methodsWithAsync: PresenterMethods {
        Self.methods([
            (Self._SaveAsync.self, .save),
            (Self._AccommodateDeletionAsync.self, .accommodateDeletion),
            (Self._AccommodateSubitemDeletionAsync.self, .accommodateSubitemDeletion),
            (Self._AccommodateEvictionAsync.self, .accommodateEviction),
        ])
    }

    /// The relinquish methods that are implemented, with or without `@Sendable`.
    fileprivate var methodsForRelinquishing: PresenterMethods {
        Self.methods([
            (Self._RelinquishToReader.self, .relinquishToReader),
            (Self._RelinquishToWriter.self, .relinquishToWriter),
            (Self._RelinquishToReaderUnannotated.self, .relinquishToReader),
            (Self._RelinquishToWriterUnannotated.self, .relinquishToWriter),
        ])
    }

    /// The implemented methods that have only one form.
    fileprivate var methodsWithOneSpelling: PresenterMethods {
        Self.methods([
            (Self._DidMove.self, .itemDidMove),
            (Self._DidChange.self, .itemDidChange),
            (Self._DidChangeUbiquityAttributes.self, .itemDidChangeUbiquityAttributes),
            (Self._DidGain.self, .itemDidGainVersion),
            (Self._DidLose.self, .itemDidLoseVersion),
            (Self._DidResolveConflict.self, .itemDidResolveConflict),
            (Self._SubitemDidAppear.self, .subitemDidAppear),
            (Self._SubitemDidMove.self, .subitemDidMove),
            (Self._SubitemDidChange.self, .subitemDidChange),
            (Self._SubitemDidGain.self, .subitemDidGainVersion),
            (Self._SubitemDidLose.self, .subitemDidLoseVersion),
            (Self._SubitemDidResolve.self, .subitemDidResolveVersion),
        ])
    }

    private static func methods(_ results: [(Any.Type, PresenterMethods)]) -> PresenterMethods {
        results.reduce(into: []) { methods, entry in
            if entry.0 != _NotImplemented.self { methods.insert(entry.1) }
        }
    }
}
#endif
