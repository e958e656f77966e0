// SPDX-License-Identifier: Apache-2.0
//
// A presenter of Apple's shape, as the client sees presenters: which of its methods goes with which
// question, in the spelling that it has.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationClient
import FileCoordinationVersions
package import Foundation

/// A presenter that is registered, and how it is called.
struct RegisteredPresenter: Presenter {
    private let reference: PresenterReference
    let methods: PresenterMethods
    private let methodsWithCompletion: PresenterMethods
    private let makeURL: @Sendable (ItemPath) -> URL
    private let versions: VersionStore

    /// - Parameters:
    ///   - presenter: the presenter.
    ///   - methods: what it implements.
    ///   - makeURL: how a place is to be spelled for it.
    ///   - versions: the store that has the versions of which it is told.
    init(
        _ presenter: any NSFilePresenter, methods: PresenterMethods,
        makeURL: @escaping @Sendable (ItemPath) -> URL = { URL(place: $0) },
        versions: VersionStore = .current
    ) {
        reference = PresenterReference(presenter)
        self.methods = methods
        methodsWithCompletion = presenter.methodsWithCompletion
        self.makeURL = makeURL
        self.versions = versions
    }

    /// The presenter itself.
    var presenter: any NSFilePresenter { reference.presenter }

    var identity: ObjectIdentifier { reference.identity }

    var queue: any PresenterQueue { presenter.presentedItemOperationQueue }

    var presentedItem: ItemName? { presenter.presentedItemURL.map { ItemName($0) } }

    var observedAttributes: Set<String> {
        Set(presenter.observedPresentedItemUbiquityAttributes.map(\.rawValue))
    }

    func relinquish(
        _ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void
    ) {
        presenter.relinquish(kind, block)
    }

    func receive(_ notice: PresenterNotice) -> Bool {
        presenter.receive(notice, versions: versions, makeURL: makeURL)
    }

    // MARK: Methods with two spellings

    /// Calls the method here if the presenter has it with a completion handler, else in a task.
    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard methodsWithCompletion.contains(request.method) else {
            Task.detached(executorPreference: PresenterExecutor()) {
                await performAsync(request, in: scope, completion)
            }
            return
        }
        let presenter = presenter
        scope.within {
            switch request {
            case .save: presenter.savePresentedItemChanges(completionHandler: completion)
            case .accommodateDeletion:
                presenter.accommodatePresentedItemDeletion(completionHandler: completion)
            case .accommodateSubitemDeletion(let place):
                presenter.accommodatePresentedSubitemDeletion(
                    at: makeURL(place), completionHandler: completion)
            }
        }
    }

    private func performAsync(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @Sendable ((any Error)?) -> Void
    ) async {
        // It may have been removed since (Rule 5.7).
        guard scope.isWanted else { return }
        let presenter = presenter
        do {
            try await scope.within {
                switch request {
                case .save: try await presenter.savePresentedItemChanges()
                case .accommodateDeletion:
                    try await presenter.accommodatePresentedItemDeletion()
                case .accommodateSubitemDeletion(let place):
                    try await presenter.accommodatePresentedSubitemDeletion(at: makeURL(place))
                }
            }
            completion(nil)
        } catch {
            completion(error)
        }
    }
}

extension PresenterRequest {
    /// The method that is called for it.
    fileprivate var method: PresenterMethods {
        switch self {
        case .save: .save
        case .accommodateDeletion: .accommodateDeletion
        case .accommodateSubitemDeletion: .accommodateSubitemDeletion
        }
    }
}

extension OperationQueue: PresenterQueue {
    package var isSerial: Bool { maxConcurrentOperationCount == 1 }

    package var isMain: Bool {
        self === OperationQueue.main || underlyingQueue === DispatchQueue.main
    }

    package func add(_ step: @escaping @Sendable () -> Void) { addOperation(step) }

    package func addFirst(_ step: @escaping @Sendable () -> Void) {
        let operation = BlockOperation(block: step)
        operation.queuePriority = .veryHigh
        addOperation(operation)
    }
}

extension PresenterMailbox {
    /// The mailbox of a presenter that has just been registered.
    ///
    /// - Parameters:
    ///   - presenter: kept until ``invalidate()``, as are the closures.
    ///   - methods: what it implements.
    ///   - answer: called once for each ask that was neither cancelled nor forgotten.
    ///   - relinquishmentChanged: called when the presenter has made way, or gets its item back.
    ///   - handled: called on the presenter's queue when its method for a notice has returned.
    package convenience init(
        _ presenter: any NSFilePresenter, methods: PresenterMethods,
        answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
        relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
        handled: @escaping @Sendable (PresenterNotice) -> Void = { _ in }
    ) {
        self.init(
            presenter: RegisteredPresenter(presenter, methods: methods), answer: answer,
            relinquishmentChanged: relinquishmentChanged, handled: handled)
    }
}
#endif
