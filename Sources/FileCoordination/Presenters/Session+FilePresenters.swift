// SPDX-License-Identifier: Apache-2.0
//
// Implements the class methods of NSFileCoordinator for presenters.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import Foundation

extension Session {
    /// The presenters of this process, in the order of registration (Rule 5.1).
    static var filePresenters: [any NSFilePresenter] {
        presenters.compactMap { ($0 as? ForwardingPresenter)?.presenter }
    }

    /// Registers a presenter.
    ///
    /// An error is printed to standard error and has no other effect (Rule 1.10).
    static func add(
        _ presenter: any NSFilePresenter, label: String = "", isGuarded: Bool = false
    ) {
        do {
            try register(presenter, label: label, isGuarded: isGuarded)
        } catch {
            let reason = (error as NSError).localizedDescription
            Diagnostics.say("a file presenter was not registered: \(reason)")
        }
    }

    /// Registers a presenter; throws if that is impossible.
    static func register(
        _ presenter: any NSFilePresenter, label: String, isGuarded: Bool = false,
        since known: ItemToken? = nil
    ) throws {
        do throws(AccessFailure) {
            let session = try current()
            let registered = ForwardingPresenter(
                presenter, methods: PresenterMethods(implementedBy: presenter))
            try session.add(registered, label: label, isGuarded: isGuarded, since: known)
            session.sweepUploads()
        } catch {
            throw error.thrown(presenter.presentedItemURL.map { [($0, isWriting: false)] } ?? [])
        }
    }

    /// Deregisters a presenter (Rule 5.7).
    static func remove(_ presenter: any NSFilePresenter) {
        removePresenter(ObjectIdentifier(presenter))
    }
}

extension Coordinator {
    /// Creates a coordinator that acts for a presenter, or for none.
    convenience init(presenter: (any NSFilePresenter)?) {
        guard let presenter else {
            self.init()
            return
        }
        let reference = PresenterReference(presenter)
        self.init(presenter: reference.identity, keeping: reference)
    }
}
#endif
