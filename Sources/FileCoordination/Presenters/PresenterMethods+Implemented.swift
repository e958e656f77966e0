// SPDX-License-Identifier: Apache-2.0
//
// Which optional methods a presenter has, read off its type: nothing is called, so a presenter
// whose main thread is busy can be asked as well (Rule 5.3). The answers become the mask that the
// arbiter knows, and by which it decides who is asked and told at all.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import Foundation

extension PresenterMethods {
    /// The optional methods that `presenter` implements, in either spelling.
    package init(implementedBy presenter: any NSFilePresenter) {
        self = presenter.methodsWithCompletion.union(presenter.methodsWithAsync)
            .union(presenter.methodsForRelinquishing).union(presenter.methodsWithOneSpelling)
    }
}

extension NSFilePresenter {
    /// The methods that are implemented with a completion handler.
    ///
    /// A presenter that has both spellings of a method is called in this one.
    var methodsWithCompletion: PresenterMethods {
        Self.methods([
            (Self._Save.self, .save),
            (Self._AccommodateDeletion.self, .accommodateDeletion),
            (Self._AccommodateSubitemDeletion.self, .accommodateSubitemDeletion),
            (Self._AccommodateEviction.self, .accommodateEviction),
        ])
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

    /// The relinquish methods that are implemented, with `@Sendable` or without.
    fileprivate var methodsForRelinquishing: PresenterMethods {
        Self.methods([
            (Self._RelinquishToReader.self, .relinquishToReader),
            (Self._RelinquishToWriter.self, .relinquishToWriter),
            (Self._RelinquishToReaderUnannotated.self, .relinquishToReader),
            (Self._RelinquishToWriterUnannotated.self, .relinquishToWriter),
        ])
    }

    /// The implemented methods among those that have but one spelling.
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
