// SPDX-License-Identifier: Apache-2.0
//
// Adapts a presenter with Apple's protocol to the client's `Presenter` protocol: chooses the method
// for each request, in the form that the presenter implements.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationClient
import FileCoordinationVersions
package import Foundation
import FoundationCompatibility

/// A registered presenter, and how it is called.
struct ForwardingPresenter: Presenter {
    private let reference: PresenterReference
    let methods: PresenterMethods
    private let methodsWithCompletion: PresenterMethods
    private let makeURL: @Sendable (ItemPath) -> URL
    private let versions: VersionStore

    /// Creates the adapter of a presenter.
    ///
    /// - Parameters:
    ///   - presenter: the presenter.
    ///   - methods: the methods that it implements.
    ///   - makeURL: creates a URL for the presenter.
    ///   - versions: the version store for notices about versions.
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

    // MARK: Methods with two forms

    /// Calls the method at once if the presenter implements it with a completion handler, else in a
    /// task.
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
            case .accommodateEviction:
                presenter.accommodatePresentedItemEviction(completionHandler: completion)
            case .provideContents(let place):
                guard let provider = presenter as? any FileContentsProvider else {
                    return completion(nil)
                }
                provider.provideContents(ofItemAt: makeURL(place), completionHandler: completion)
            }
        }
    }

    private func performAsync(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @Sendable ((any Error)?) -> Void
    ) async {
        // The presenter may have been removed meanwhile (Rule 5.7).
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
                case .accommodateEviction:
                    try await presenter.accommodatePresentedItemEviction()
                // It has no other form.
                case .provideContents: break
                }
            }
            completion(nil)
        } catch {
            completion(error)
        }
    }
}

extension OperationQueue: PresenterQueue {
    package var isSerial: Bool { maxConcurrentOperationCount == 1 }

    package var isMain: Bool {
        unsafe self === OperationQueue.main || underlyingQueue === DispatchQueue.main
    }

    package func add(_ step: @escaping @Sendable () -> Void) {
        addOperation(PresenterOperation(step))
    }

    package func addFirst(_ step: @escaping @Sendable () -> Void) {
        let operation = PresenterOperation(step)
        operation.queuePriority = .veryHigh
        addOperation(operation)
    }
}

/// A message to a presenter, in its queue.
///
/// A program that cancels all operations of the queue means its own. If messages were cancelled
/// with them, a claim would wait for an answer that never comes, and a change would be lost.
private final class PresenterOperation: Operation, @unchecked Sendable {
    private let step: @Sendable () -> Void

    init(_ step: @escaping @Sendable () -> Void) { self.step = step }

    override func main() { step() }

    override func cancel() {}
}

extension PresenterMailbox {
    /// Creates the mailbox of a presenter that has just been registered.
    ///
    /// - Parameters:
    ///   - presenter: kept until ``invalidate()``, like the closures.
    ///   - methods: the methods that it implements.
    ///   - answer: called once for each question that was not cancelled or discarded.
    ///   - relinquishmentChanged: called when the presenter has relinquished, or gets its item
    ///     back.
    ///   - handled: called on the presenter's queue after its method for a notice has returned.
    package convenience init(
        _ presenter: any NSFilePresenter, methods: PresenterMethods,
        answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
        relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
        handled: @escaping @Sendable (PresenterNotice) -> Void = { _ in }
    ) {
        self.init(
            presenter: ForwardingPresenter(presenter, methods: methods), answer: answer,
            relinquishmentChanged: relinquishmentChanged, handled: handled)
    }
}
#endif
