// SPDX-License-Identifier: Apache-2.0
//
// This process's presenters: registration, removal, guards, and answers. What the server sends them
// is in `Session+Deliveries`.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Session {
    // MARK: Operations for the face

    /// The presenters of this process, in the order of registration (Rule 5.1).
    package static var presenters: [any Presenter] {
        guard let session = existing else { return [] }
        return session.state.withLock { $0.presenters.map(\.registration.presenter) }
    }

    /// Deregisters a presenter, if it is registered (Rule 5.7).
    package static func removePresenter(_ identity: ObjectIdentifier) {
        existing?.remove(identity)
    }

    /// Whether a presenter is registered and presented nothing when it was asked last.
    static func isWithoutPlace(_ identity: ObjectIdentifier) -> Bool {
        guard let entry = existing?.entry(of: identity) else { return false }
        return entry.registration.registered.withLock { $0.place == nil }
    }

    /// Registers the path of a presenter that presented nothing before, if it presents an item now
    /// (Rule 5.5).
    package static func placeIfNeeded(_ identity: ObjectIdentifier) {
        guard let session = existing, let entry = session.entry(of: identity),
            entry.registration.registered.withLock({ $0.place }) == nil,
            let name = entry.registration.presenter.presentedItem,
            // If its path cannot be resolved, it stays without one, and the next access tries
            // again.
            let place = try? session.place(of: name)
        else { return }
        let observed = entry.registration.presenter.observedAttributes
        // If this fails, it stays without a path as well.
        try? session.register(entry, at: place.path, observing: observed)
    }

    // MARK: Registration

    /// Registers a presenter.
    ///
    /// When this returns, the server knows it (Rule 5.4).
    ///
    /// - Parameters:
    ///   - presenter: the presenter.
    ///   - label: a text for people; if empty, the process's.
    ///   - isGuarded: whether plain programs that open its file for writing wait until it has
    ///     saved.
    ///   - known: what the presenter knows of its item. If that has changed since, it is told.
    /// - Returns: whether it was not registered before (Rule 5.2).
    /// - Throws: ``AccessFailure`` if its item cannot be resolved, no server can be reached, or a
    ///   limit is reached.
    @discardableResult
    package func add(
        _ presenter: any Presenter, label: String, isGuarded: Bool = false,
        since known: ItemToken? = nil
    ) throws(AccessFailure) -> Bool {
        while let entry = entry(of: presenter.identity) {
            // Another thread adds it just now, or has failed to.
            if entry.registration.awaitAddition() { return false }
        }
        let registration = PresenterRegistration(presenter, label: label)
        let observed = presenter.observedAttributes
        let place = try place(of: presenter)
        let leaseGuard = isGuarded ? try makeLeaseGuard(of: presenter) : nil
        let mailbox = PresenterMailbox(
            guardedBy: leaseGuard, presenter: presenter,
            answer: { [self] claim, failure in answer(registration, claim, failure) },
            answeredLate: { [self] in
                answer(registration, PresenterAnswer.noQuestion, nil)
            },
            relinquishmentChanged: { [self] kind, isRelinquished in
                writeRelinquishment(registration, kind, isRelinquished)
            },
            handled: { [self] notice in noticeHandled(registration, notice) },
            changed: { [self] mailbox in tellBlocked(of: registration, mailbox) })
        leaseGuard?.begin(mailbox.questions)
        let entry = PresenterEntry(
            registration: registration, mailbox: mailbox, leaseGuard: leaseGuard)
        let isFirst = state.withLock { $0.presenters.add(entry) }
        guard isFirst else {
            // Another thread was faster. Mailbox and guard refer to each other until this.
            leaseGuard?.end()
            mailbox.invalidate()
            return try add(presenter, label: label, isGuarded: isGuarded, since: known)
        }
        link.watchForServers(of: self)
        // From here on, no code of the presenter runs on this thread: it could add itself.
        do throws(AccessFailure) {
            try register(entry, at: place, observing: observed)
        } catch {
            // Another thread may have removed it, and added it again.
            remove(presenter.identity, only: registration)
            registration.endAddition(false)
            throw error
        }
        registration.endAddition(true)
        if let known, let place { tellChange(entry, at: place, since: known) }
        return true
    }

    /// Tells a presenter of a change that was made while it was not registered (Rule 7.14).
    ///
    /// By now the server tells it of changes, so none is lost in between.
    private func tellChange(_ entry: PresenterEntry, at place: ItemPath, since known: ItemToken) {
        do throws(SystemError) {
            guard try known.difference(fromItemAt: place.bytes) != nil else { return }
        } catch {
            // An item that cannot be looked at any more has changed.
        }
        let methods = entry.registration.presenter.methods
        entry.mailbox.notify(.anyChange(at: place, of: methods))
    }

    /// Whether plain programs wait at the file of a presenter; nil if it has no guard.
    package static func leaseGuardStatus(_ identity: ObjectIdentifier) -> LeaseGuardStatus? {
        existing?.entry(of: identity)?.leaseGuard?.status
    }

    /// Makes the guard of a presenter that is being registered.
    func makeLeaseGuard(of presenter: any Presenter) throws(AccessFailure) -> LeaseGuard {
        do throws(SystemError) {
            let thread = try leaseGuards.withLock { thread throws(SystemError) in
                if let thread { return thread }
                let fresh = try LeaseGuardThread(services)
                thread = fresh
                return fresh
            }
            return LeaseGuard(on: thread) { status in
                presenter.queue.add { presenter.leaseGuardChanged(status) }
            }
        } catch {
            throw .system(.limitReached("\(error)"))
        }
    }

    private func place(of presenter: any Presenter) throws(AccessFailure) -> ItemPath? {
        guard let name = presenter.presentedItem else { return nil }
        do throws(PlaceError) {
            return try self.place(of: name).path
        } catch {
            throw .place(error, item: 0)
        }
    }

    /// Writes a record for the presenter and waits until the server has registered it (Rule 5.4).
    ///
    /// `observed` are the attributes that the presenter observes, as it says now (Rules 5.3, 5.5).
    private func register(
        _ entry: PresenterEntry, at place: ItemPath?, observing observed: Set<String>
    ) throws(AccessFailure) {
        // Claims need records, too.
        let count = state.withLock { $0.presentersByRecord.count }
        guard count < LedgerLayout.presenterCount else {
            throw .system(
                .limitReached(
                    "this process has \(count) file presenters, the most that one can have"))
        }
        let record: RecordReference
        do {
            record = try ledger.write(
                kind: .presenter,
                body: entry.registration.body(at: place, isGuarded: entry.leaseGuard != nil)
                    .encodeChecked(),
                outcomeCapacity: 0, wantsMessage: false,
                supplement: RecordSupplement(
                    label: entry.registration.label, item: presentedItem(at: place),
                    wantsAuthors: entry.registration.presenter.wantsAuthors
                ).encode())
        } catch let error {
            if let error = error as? LedgerError { throw .system(FailureReason(error)) }
            throw .system(.limitReached("\(error)"))
        }
        let former = entry.registration.registered.withLock { view in
            defer {
                view = PresenterRegistration.ServerView(
                    observedAttributes: observed, record: record, place: place,
                    knownPlace: place)
            }
            return view
        }
        let claim = PendingClaim(
            record: record, ledger: ledger, onEnding: nil, onLongWait: { [link] in link.attend() })
        state.withLock { state in
            state.claims[record] = claim
            state.presentersByRecord[record] = entry
        }
        ledger.file(record)
        tell(.filed(record))
        let ending = claim.wait(until: nil)
        let isWanted = state.withLock { state in
            state.claims[record] = nil
            return state.presenters[entry.identity]?.registration === entry.registration
        }
        if case .failed(let error) = ending {
            // The presenter keeps its former record, if it had one.
            entry.registration.registered.withLock { view in
                if view.record == record { view = former }
            }
            state.withLock { $0.presentersByRecord[record] = nil }
            throw error
        }
        // Another thread has removed the presenter meanwhile and did not know this record.
        if !isWanted { endRecord(record) }
        if let record = former.record { endRecord(record) }
        if isWanted, let place { entry.leaseGuard?.itemMayHaveChanged(at: place) }
    }

    /// Returns the kind of the presented item, for the server's watcher.
    private func presentedItem(at place: ItemPath?) -> PresentedItem {
        // If it cannot be examined, its kind is unknown.
        guard let place, let status = try? FileStatus(path: place.bytes, followLinks: false) else {
            return .unknown
        }
        guard status.kind == .directory else { return .file }
        let facts = PlaceResolver.facts(of: place, policy: packagePolicy)
        return facts.packageDepths.contains(place.depth) ? .package : .directory
    }

    /// Removes a presenter; with `registration`, only if that is its present one.
    private func remove(
        _ identity: ObjectIdentifier, only registration: PresenterRegistration? = nil
    ) {
        let entry = state.withLock { state -> PresenterEntry? in
            if let registration, state.presenters[identity]?.registration !== registration {
                return nil
            }
            return state.presenters.remove(identity)
        }
        guard let entry else { return }
        entry.leaseGuard?.end()
        entry.mailbox.invalidate()
        let record = entry.registration.registered.withLock { view in
            defer { view = PresenterRegistration.ServerView() }
            return view.record
        }
        if let record { endRecord(record) }
    }

    private func endRecord(_ record: RecordReference) {
        state.withLock { $0.presentersByRecord[record] = nil }
        // The claim may be over already.
        if !ledger.cancel(record) { _ = try? ledger.release(record) }
        tell(.ended(record))
    }

    func entry(of identity: ObjectIdentifier) -> PresenterEntry? {
        state.withLock { $0.presenters[identity] }
    }

    // MARK: From the presenter

    private func answer(
        _ registration: PresenterRegistration, _ claim: UInt64, _ failure: (any Error)?
    ) {
        guard let record = registration.registered.withLock({ $0.record }) else { return }
        guard let failure else {
            return answer(PresenterAnswer(presenter: record, claim: claim))
        }
        // Encoding the error may run the presenter's own code and take long, so the waiting answers
        // are sent first.
        if isOurs { sendAnswers() }
        tell(
            .answered(
                presenter: record, claim: claim, failure: services.encode(failure)))
    }

    /// Writes the relinquishment into the record, for the next server (Rule 18.7).
    private func writeRelinquishment(
        _ registration: PresenterRegistration, _ kind: Relinquishment, _ isRelinquished: Bool
    ) {
        guard isOurs else { return }
        // Under the lock, without which another thread could end the record, and another presenter
        // could get it.
        registration.registered.withLock { [ledger] view in
            guard let record = view.record else { return }
            switch kind {
            case .reader: ledger.setRelinquished(record, reader: isRelinquished)
            case .writer: ledger.setRelinquished(record, writer: isRelinquished)
            }
        }
    }
}
