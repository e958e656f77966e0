// SPDX-License-Identifier: Apache-2.0
//
// What a coordinator is behind its class: a purpose, a presenter, and the calls that wait. Kept
// apart from the class because clients subclass that, and because accessors that run later keep
// this alive, on whatever thread (Rule 13.7).

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

/// The state of one coordinator.
///
/// May be used from any thread.
final class CoordinatorCore: Sendable {
    /// The presenter on whose behalf the coordinator acts; retained (Rule 4.2a).
    private let presenter: PresenterReference?
    private let standing = CoordinatorStanding()
    /// The purpose, if it was set.
    private let givenPurpose = LazyReference<PurposeText>()
    /// The label, if one was ever set.
    private let givenLabel = LazyReference<LabelText>()
    /// Nothing until one call has to wait, or to tell an arbiter.
    private let madeCalls = LazyReference<CoordinatorCalls>()
    /// Where the presenter was when the coordinator was made, as far as it knew (Rule 11.7).
    private let birthplace: ItemPath?

    private final class PurposeText: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private final class LabelText: Sendable {
        let text = Lock("")
    }

    init(presenter: (any NSFilePresenter)?) {
        guard let presenter else {
            self.presenter = nil
            birthplace = nil
            return
        }
        let reference = PresenterReference(presenter)
        self.presenter = reference
        birthplace = Session.existing?.standpoint(of: reference)?.place
    }

    private var calls: CoordinatorCalls {
        madeCalls.load() ?? madeCalls.storeIfNil(CoordinatorCalls())
    }

    // MARK: Purpose

    var purposeText: String { purposeText(isUsed: false) }

    private func purposeText(isUsed: Bool) -> String {
        if let presenter { return presenter.purposeText }
        if let number = standing.purposeNumber(isUsed: isUsed) {
            return ProcessIdentity.purpose(number)
        }
        guard let given = givenPurpose.load() else {
            preconditionFailure("A purpose is kept before it counts")
        }
        return given.text
    }

    func setPurpose(_ text: String) {
        precondition(
            presenter == nil,
            "The purpose of a coordinator that was made with a presenter is the presenter's")
        precondition(!text.isEmpty, "A purpose identifier must not be empty")
        let purpose = PurposeText(text)
        let isFirst = givenPurpose.storeIfNil(purpose) === purpose
        precondition(
            isFirst && standing.noteGivenPurpose(),
            "A purpose identifier can be set once, before the coordinator is used")
    }

    // MARK: Label

    /// The coordinator's own label.
    var label: String? {
        let text = givenLabel.load()?.text.withLock { $0 } ?? ""
        return text.isEmpty ? nil : text
    }

    func setLabel(_ text: String?) {
        let label = Label.cut(text ?? "")
        guard let known = givenLabel.load() ?? (label.isEmpty ? nil : LabelText()) else { return }
        givenLabel.storeIfNil(known).text.withLock { text in
            text = label
            standing.noteLabel(!label.isEmpty)
        }
    }

    // MARK: Waiting calls

    /// Files a claim, remembered for ``cancel()`` while it waits.
    func begin(
        _ items: [RequestedItem], kind: ClaimKind = .access,
        enclosing: [RecordReference] = AccessorStack.current, blocksCaller: Bool = true,
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(NSError) -> CoordinatedAccess {
        guard !standing.isCancelled else { throw Self.cancelledError }
        let access = try CoordinatedAccess(
            items, purpose: Purpose(identifying: purposeText(isUsed: true)), kind: kind,
            enclosing: enclosing, standpoint: standpoint, blocksCaller: blocksCaller,
            supplement: RecordSupplement(label: label ?? ""), onEnding: onEnding)
        if !calls.noteWaiting(access, unless: { standing.isCancelled }) {
            access.giveUp(.cancelled)
        }
        return access
    }

    /// Forgets an access that waits no longer.
    func endWaiting(_ access: CoordinatedAccess) {
        madeCalls.load()?.endWaiting(access)
    }

    /// Runs the accessor of a granted access.
    func run<Result>(
        _ access: CoordinatedAccess, _ accessor: ([URL]) throws -> Result
    ) rethrows -> Result {
        noteRunning(access)
        defer { noteEnded(access) }
        return try access.run(accessor)
    }

    /// Begins an access without the arbiter, if that can be done; nil: go the long way.
    func beginLocally(_ url: URL, _ access: Access) -> LocalBeginning? {
        guard presenter == nil, AccessorStack.isEmpty, standing.isPlain else { return nil }
        let beginning = Session.withExisting { session -> LocalBeginning? in
            guard let session, let number = standing.purposeNumber(isUsed: true) else {
                return nil
            }
            return session.claimLocally(url, access, purposeNumber: number)
        }
        switch beginning {
        case .granted(let local) where local.hasWaited && standing.isCancelled:
            // Meanwhile. The long way says so.
            local.end()
            return nil
        case .filed(let access):
            if !calls.noteWaiting(access, unless: { standing.isCancelled }) {
                access.giveUp(.cancelled)
            }
        case .granted, nil: break
        }
        return beginning
    }

    /// Runs the accessor of an access that was begun without the arbiter, and ends it.
    func run<Result>(
        _ local: LocalAccess, _ accessor: () throws -> Result
    ) rethrows -> Result {
        AccessorStack.push(.local(local))
        defer {
            if AccessorStack.pop() { local.end() }
        }
        return try accessor()
    }

    /// Notes that the accessor of an access begins.
    func noteRunning(_ access: CoordinatedAccess) { calls.noteRunning(access) }

    /// Notes that it has returned.
    func noteEnded(_ access: CoordinatedAccess) { madeCalls.load()?.noteEnded(access) }

    /// The access of this coordinator, one that writes, in which something is made known: the one
    /// that the caller is inside of; from another thread, the one that has to do with the place.
    func writingAccess(for place: ItemPath) -> CoordinatedAccess? {
        var running = (madeCalls.load()?.running ?? []).filter(\.isWriting)
        let number = presenter == nil ? standing.purposeNumber(isUsed: false) : nil
        let own = AccessorStack.innermost { frame in
            switch frame {
            case .known(let access): running.contains { $0 === access }
            case .local(let access): access.isWriting && access.purposeNumber == number
            }
        }
        if let own { return own }
        // Local ones are known to their places alone. It is rare that another thread asks.
        if let number, let session = Session.existing {
            running += session.delegated.writers(ofPurpose: number).compactMap(\.full)
        }
        return running.last { $0.concerns(place) } ?? running.last
    }

    /// Makes a move known, if an accessor of this coordinator runs that writes (Rule 11.10).
    func announceMove(from old: URL, to new: URL) {
        guard let session = Session.existing, let from = try? session.place(of: old),
            let to = try? session.place(of: new)
        else { return }
        writingAccess(for: from.path)?.announceMove(from: from, to: to)
    }

    /// Where the presenter believes to be, if it has not heard of a move since the coordinator was
    /// made (Rule 11.7).
    private var standpoint: WireStandpoint? {
        guard let presenter, let birthplace,
            let standpoint = Session.existing?.standpoint(of: presenter),
            standpoint.place == birthplace
        else { return nil }
        return standpoint
    }

    func cancel() {
        standing.cancel()
        for access in calls.takeWaiting() { access.giveUp(.cancelled) }
    }

    static var cancelledError: NSError {
        NSError(domain: NSCocoaErrorDomain, code: CocoaError.userCancelled.rawValue)
    }

    /// Ties a presenter that presented nothing so far to its place, if it has one now (Rule 5.5).
    func placePresenter() {
        if let presenter { Session.placeIfNeeded(presenter) }
    }
}
#endif
