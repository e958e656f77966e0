// SPDX-License-Identifier: Apache-2.0
//
// Obtains access for a command: it files the claim, waits as long as the options allow, tells the
// user which processes are in the way, and translates every way in which the wait can end into an
// exit status. It runs on the thread that runs the command.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Obtains access and runs an accessor with it.
struct Admission {
    let options: WaitingTerms
    let purpose: Purpose
    let signals: SignalReceiver
    /// The claims held by the commands inside which this one runs.
    private let surroundings: SurroundingClaims

    init(_ options: WaitingTerms, signals: SignalReceiver) {
        self.options = options
        self.purpose = options.makePurpose()
        self.signals = signals
        surroundings = Surroundings.own(options)
        ProcessLabel.text =
            options.label.map { ArgumentText.shown($0) } ?? CommandLabel.withoutCommand
    }

    /// Sets COMMAND as the label that other programs are shown for this access, unless the user
    /// gave one.
    func name(after command: [String]) {
        if options.label == nil { ProcessLabel.text = CommandLabel.text(for: command) }
    }

    /// How long a wait may last before the user is told of it (Rule 18.5).
    private static let mentionAfter = Duration.seconds(1)
    /// How long before the end of a wait the server is asked which processes are in the way.
    private static let questionLead: Duration = .milliseconds(50)
    /// How long after the end of a wait the answer may still come.
    private static let lateAnswer = Duration.milliseconds(100)

    /// Waits for access to `items`, and runs `accessor` with it on the calling thread.
    func run<Result>(
        _ items: [ClaimedItem], _ accessor: ([NativePath]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run(items) { paths, _ throws(Failure) in try accessor(paths) }
    }

    /// Does the same for an accessor that announces moves or the like.
    func run<Result>(
        _ items: [ClaimedItem],
        _ accessor: ([NativePath], CoordinatedAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let access = try obtain(items)
        Surroundings.forCommand.withLock { $0 = surroundings.around(access).text }
        var result: Result?
        var failure: Failure?
        access.run { granted in
            do throws(Failure) {
                // A signal that arrived while the claim was granted must prevent the accessor.
                try signals.hold()
                result = try accessor(granted.map { NativePath($0.path) }, access)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard let result else { preconditionFailure("An accessor has a result or an error") }
        return result
    }

    private func obtain(_ items: [ClaimedItem]) throws(Failure) -> CoordinatedAccess {
        let access: CoordinatedAccess
        do throws(AccessFailure) {
            access = try CoordinatedAccess(
                items.map(\.request),
                in: Session.current(), purpose: purpose,
                // A claim that does not wait cannot block the claims behind it.
                blocksCaller: options.patience != .none, isSigned: true,
                supplement: RecordSupplement(outer: surroundings.claims))
        } catch {
            throw Failure(error, of: items.map(\.path))
        }
        do throws(Failure) {
            try signals.wait(for: access)
        } catch {
            _ = giveUp(access, .cancelled)
            throw error
        }
        switch try wait(for: access) {
        case .granted: return access
        case .cancelled, .timedOut: throw Failure.interrupted(by: signals.noted ?? SIGINT)
        case .failed(.stale(let staleness, let item)):
            let failure = Failure(.stale(staleness, item: item), of: items.map(\.path))
            throw Failure(
                status: Int32(options.staleStatus), lines: options.quiet ? [] : failure.lines)
        case .failed(let error) where access.hasFailedAfterGrant:
            throw Failure(error, of: items.map(\.path))
        case .failed(let error):
            let failure =
                Surroundings.failure(error, access, surroundings, quiet: options.quiet)
                ?? Failure(error, of: items.map(\.path))
            throw options.quiet ? Failure(status: failure.status, lines: []) : failure
        }
    }

    private func wait(for access: CoordinatedAccess) throws(Failure) -> AccessEnding {
        switch options.patience {
        case .none: try grantOnlyAtOnce(access)
        case .bounded(let patience): try wait(for: access, patience: patience)
        case .endless: try wait(for: access, patience: nil)
        }
    }

    /// Ends the wait.
    ///
    /// Returns how it ended if it had already ended.
    private func giveUp(_ access: CoordinatedAccess, _ reason: AccessEnding) -> AccessEnding? {
        access.giveUp(reason)
        switch access.wait() {
        case .timedOut, nil: return nil
        case .cancelled: return reason.isTimeOut ? .cancelled : nil
        case let ending?: return ending
        }
    }

    // MARK: Without waiting

    private func grantOnlyAtOnce(_ access: CoordinatedAccess) throws(Failure) -> AccessEnding {
        switch access.takeAtOnce() {
        case .ended(let ending): return ending
        case .inTheWay(let parties):
            throw notGranted(access, "was not granted at once", parties)
        case .unanswered:
            throw Failure(
                .unavailable, "the server does not answer: see \"filecoord status\"")
        }
    }

    // MARK: Waiting

    private func wait(
        for access: CoordinatedAccess, patience: Duration?
    ) throws(Failure) -> AccessEnding {
        let start = MonotonicClock.now
        let deadline = patience.map { MonotonicClock.after($0) } ?? .distantFuture
        let mention = MonotonicClock.after(Self.mentionAfter)
        var mentioned: [Party]?
        if !options.quiet, mention < deadline {
            if let ending = access.wait(until: mention) { return ending }
            mentioned = mentionWait(for: access, until: deadline)
        }
        let (ending, parties) = wait(for: access, until: deadline)
        if let ending {
            if let mentioned { mentionEnd(ending, of: access, since: start, mentioned) }
            return ending
        }
        return try giveUp(access, after: patience, inTheWay: parties, lastSeen: mentioned ?? [])
    }

    /// Waits up to the deadline, and asks shortly before it which processes are in the way: a
    /// server that does not answer must not prolong the wait.
    private func wait(
        for access: CoordinatedAccess, until deadline: Instant
    ) -> (ending: AccessEnding?, parties: [Party]?) {
        guard deadline != .distantFuture else { return (access.wait(), nil) }
        let now = MonotonicClock.now
        let lead = min(Self.questionLead, (deadline - now) / 2)
        if let ending = access.wait(until: deadline - lead) { return (ending, nil) }
        let parties = access.explainPersistently(until: deadline)
        return (access.wait(until: deadline), parties)
    }

    /// Ends a wait whose time is over.
    private func giveUp(
        _ access: CoordinatedAccess, after patience: Duration?, inTheWay known: [Party]?,
        lastSeen: [Party]
    ) throws(Failure) -> AccessEnding {
        // The server may just have been started.
        let grace = MonotonicClock.after(Self.lateAnswer)
        let parties = known ?? access.explainPersistently(until: grace) ?? []
        if let ending = giveUp(access, .timedOut) { return ending }
        // The text names the limit that the user gave, not the slightly longer time that has
        // passed.
        let bound = patience.map { DurationText.text($0) } ?? "the time"
        throw notGranted(access, "was not granted within \(bound)", parties, lastSeen: lastSeen)
    }

    /// Tells the user who is in the way.
    ///
    /// Returns the parties, or nil if the claim was granted meanwhile.
    private func mentionWait(for access: CoordinatedAccess, until deadline: Instant) -> [Party]? {
        let parties = access.explainPersistently(
            until: min(deadline, MonotonicClock.after(.seconds(1))))
        guard access.wait(until: MonotonicClock.now) == nil else { return nil }
        Console.say("waiting for access to \(UserText.paths(access.requestedPaths)):")
        for line in UserText.lines(parties ?? []) { Console.say(line) }
        return parties ?? []
    }

    private func mentionEnd(
        _ ending: AccessEnding, of access: CoordinatedAccess, since start: Instant,
        _ mentioned: [Party]
    ) {
        switch ending {
        case .granted:
            Console.say("access was granted after \(DurationText.text(since: start))")
            let asked = Set(mentioned.filter { $0.role == .presenter }.map(\.processID))
            guard !asked.isEmpty else { return }
            let presenters = ItemPresenters(of: access.requestedPaths)
            for line in presenters.passedOver(of: asked) { Console.say(line) }
        case .failed, .cancelled, .timedOut:
            Console.say("the wait ended after \(DurationText.text(since: start))")
        }
    }

    private func notGranted(
        _ access: CoordinatedAccess, _ what: String, _ parties: [Party], lastSeen: [Party] = []
    ) -> Failure {
        // The server or the holder may go just when the time is over.
        let isStale = parties.isEmpty && !lastSeen.isEmpty
        let addition = isStale ? "; seen in the way before:" : ":"
        return Failure(
            status: Int32(options.conflictStatus),
            lines: options.quiet
                ? []
                : ["access to \(UserText.paths(access.requestedPaths)) \(what)\(addition)"]
                    + UserText.lines(isStale ? lastSeen : parties))
    }
}

extension AccessEnding {
    /// Whether the wait ended because of a time limit.
    fileprivate var isTimeOut: Bool {
        switch self {
        case .timedOut: true
        case .granted, .cancelled, .failed: false
        }
    }
}

extension CoordinatedAccess {
    /// The paths for which the claim was filed.
    var requestedPaths: [NativePath] {
        requests.map { request in
            switch request.name.path {
            case .success(let path): NativePath(path)
            case .failure: NativePath([])
            }
        }
    }

    /// Tells presenters that an item was moved.
    func announceMove(from old: NativePath, to new: NativePath) {
        announceMove(from: ItemName(path: old.bytes), to: ItemName(path: new.bytes))
    }
}
