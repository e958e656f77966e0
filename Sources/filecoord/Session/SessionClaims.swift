// SPDX-License-Identifier: Apache-2.0
//
// The claims of a session: those that wait, by the client's name for the request, and those that
// are held, by the session's name for the claim. Each has a purpose of its own, so those of one
// session exclude each other, as the client's parts expect.

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The claims of a session.
final class SessionClaims: Sendable {
    private struct Waiting: Sendable {
        let coordinator: Coordinator
        let paths: [NativePath]
        /// Nil for a claim that does not wait, or is not filed yet.
        var hold: AwaitedHold?
        /// The request to cancel it.
        var cancelling: SessionRequestID?
        /// What it was last said to wait for.
        var told: Set<Obstacle> = []
        /// When it is looked for what it waits for.
        var nextLook: Instant
        /// How long after that it is looked again.
        var period = SessionClaims.period

        func cancel() {
            coordinator.cancel()
            // At once, also where a file system does not answer.
            hold?.cancel()
        }
    }

    /// A party that a claim waits for, without what changes all the time.
    private struct Obstacle: Hashable, Sendable {
        let processID: Int32
        let path: [UInt8]
        let message: String?
        let isStopped: Bool
    }

    private struct Held: Sendable {
        let request: SessionRequestID
        let access: HeldAccess
        let work = SerialWork()
    }

    private struct State {
        var waiting: [SessionRequestID: Waiting] = [:]
        var held: [String: Held] = [:]
        /// How many claims were granted.
        var count = 0
        /// Whether the thread that reports waits has nothing to report.
        var isReporterIdle = false
        /// Whether the session ends.
        var isEnding = false
        /// How many claims are being released because the session ends.
        var releasing = 0
    }

    private let state = Monitor(State())
    private let replies: SessionReplies
    /// The claims of the commands around this one.
    private let surroundings = Surroundings.own(WaitingTerms())

    /// How long a claim waits before the client is told what for.
    private static let period = Duration.seconds(1)
    /// How often that is looked at again at least, if it does not change.
    private static let longestPeriod = Duration.seconds(5)
    /// Within this time, a claim is granted that does not wait for others.
    private static let usualGrant = Duration.milliseconds(1)
    /// How long the server may take to say what a claim waits for.
    private static let explanationPatience = Duration.milliseconds(100)

    /// Starts the thread that reports waits.
    init(_ replies: SessionReplies) throws(Failure) {
        self.replies = replies
        do throws(SystemError) {
            try DetachedThread.start(name: "waits") { [self] in
                while true { reportWaits() }
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    // MARK: Claiming

    /// Asks for access; the answer follows when it is granted or fails.
    func claim(_ id: SessionRequestID, _ terms: SessionClaimTerms) -> Conversation.Work? {
        let coordinator = Coordinator()
        coordinator.setLabel(terms.label)
        if let purpose = terms.purpose { coordinator.setPurpose(purpose) }
        let paths = terms.items.map(\.path)
        let (isEnding, isAlone) = state.withLock { state in
            guard !state.isEnding else { return (true, false) }
            state.waiting[id] = Waiting(
                coordinator: coordinator, paths: paths,
                nextLook: MonotonicClock.after(Self.period))
            return (false, state.waiting.count == 1)
        }
        guard !isEnding else {
            replies.fail(id, SessionError(.cancelled, of: paths))
            return nil
        }
        let requests = terms.items.map(\.request)
        let timeout: Duration?
        switch terms.patience {
        case .none: return claimAtOnce(id, requests, coordinator)
        case .bounded(let patience): timeout = patience
        case .endless: timeout = nil
        }
        let hold = AwaitedHold(of: coordinator, surroundings: surroundings, timeout: timeout) {
            self.decided(id, $0)
        }
        let (isReporterIdle, isCancelled) = state.withLock { state in
            state.waiting[id]?.hold = hold
            return (state.isReporterIdle, state.isEnding)
        }
        if isReporterIdle { state.notifyAll() }
        if isCancelled { hold.cancel() }
        return {
            hold.file(
                requests, in: { () throws(AccessFailure) in try Session.current() },
                lingering: isAlone ? Self.usualGrant : .zero)
        }
    }

    private func claimAtOnce(
        _ id: SessionRequestID, _ requests: [RequestedItem], _ coordinator: Coordinator
    ) -> Conversation.Work {
        {
            do throws(AccessFailure) {
                let access = try coordinator.holdAtOnce(
                    requests, in: { () throws(AccessFailure) in try Session.current() },
                    surroundings: self.surroundings)
                self.decided(id, .success(access))
            } catch {
                self.decided(id, .failure(error))
            }
        }
    }

    private func decided(_ id: SessionRequestID, _ outcome: Result<HeldAccess, AccessFailure>) {
        // The client hears of the grant before anything can be said of the claim.
        let unwanted = state.withLock { state -> HeldAccess? in
            guard let waiting = state.waiting.removeValue(forKey: id) else { return nil }
            switch outcome {
            case .success(let access) where state.isEnding:
                replies.fail(id, SessionError(.cancelled, of: waiting.paths))
                if let other = waiting.cancelling {
                    replies.finish(other, [("state", .text("done"))])
                }
                return access
            case .success(let access):
                return begin(access, for: id, cancelledBy: waiting.cancelling, &state)
            case .failure(let failure):
                replies.fail(id, SessionError(failure, of: waiting.paths))
                if let other = waiting.cancelling {
                    replies.finish(other, [("state", .text("done"))])
                }
                return nil
            }
        }
        unwanted?.release()
    }

    /// Keeps a granted claim and tells the client; returns it if the client cannot be told.
    private func begin(
        _ access: HeldAccess, for id: SessionRequestID, cancelledBy other: SessionRequestID?,
        _ state: inout State
    ) -> HeldAccess? {
        state.count += 1
        let name = "c\(state.count)"
        let items = access.items.map { item in
            Self.item(item.path, item.token)
        }
        let isTold = replies.finish(
            id,
            [
                ("state", .text("granted")), ("claim", .text(name)), ("items", .list(items)),
                ("environment", Self.environment(in: access)),
            ])
        if isTold { state.held[name] = Held(request: id, access: access) }
        if let other {
            replies.fail(
                other, SessionError(.alreadyGranted, "the claim was granted before: end it"))
        }
        return isTold ? nil : access
    }

    private static func item(_ path: [UInt8], _ token: ItemToken?) -> JSONValue {
        .object(
            [("path", JSONValue.path(path))] + (token.map { [("token", .text($0.text))] } ?? []))
    }

    /// What a program gets that the client starts while it has access.
    private static func environment(in access: HeldAccess) -> JSONValue {
        .object([
            (SurroundingClaims.variable, .text(access.surroundingsOfChildren.text)),
            ("FILECOORD_PURPOSE", .text(access.purposeText)),
        ])
    }

    /// Cancels a claim that waits.
    func cancel(_ request: SessionRequestID, for id: SessionRequestID) {
        let cancelled = state.withLock { state -> Waiting? in
            guard let waiting = state.waiting[request] else {
                let isHeld = state.held.values.contains { $0.request == request }
                replies.fail(
                    id,
                    isHeld
                        ? SessionError(.alreadyGranted, "the claim was granted before: end it")
                        : .badRequest("no claim of this request waits"))
                return nil
            }
            guard waiting.cancelling == nil else {
                replies.fail(id, .badRequest("the request is being cancelled already"))
                return nil
            }
            state.waiting[request]?.cancelling = id
            return waiting
        }
        cancelled?.cancel()
    }

    // MARK: Using

    /// Ends a claim.
    func end(
        _ name: String, for id: SessionRequestID, wantsTokens: Bool
    ) throws(SessionError) -> Conversation.Work? {
        guard let held = state.withLock({ $0.held.removeValue(forKey: name) }) else {
            throw Self.unknown(name)
        }
        return held.work.add { [replies] in
            var fields: SessionReplies.Fields = [("state", .text("ended"))]
            if wantsTokens {
                let items = held.access.items.enumerated().map { index, item in
                    // A state that cannot be looked at is not known.
                    Self.item(item.path, try? held.access.token(ofItem: index))
                }
                fields.append(("items", .list(items)))
            }
            held.access.release()
            replies.finish(id, fields)
        }
    }

    /// Puts a file in the place of an item, or removes the item.
    func replace(
        _ replacement: SessionReplacement, for id: SessionRequestID
    ) throws(SessionError) -> Conversation.Work? {
        guard let held = state.withLock({ $0.held[replacement.claim] }) else {
            throw Self.unknown(replacement.claim)
        }
        return held.work.add { [replies] in
            do throws(SessionError) {
                replies.finish(id, try replacement.perform(on: held.access))
            } catch {
                replies.fail(id, error)
            }
        }
    }

    private static func unknown(_ name: String) -> SessionError {
        SessionError(.unknownClaim, "there is no claim \"\(UserText.line(name))\", or it has ended")
    }

    // MARK: Waiting

    /// Waits until a claim has waited for long, and tells the client what for.
    private func reportWaits() {
        let moment = state.wait(forValue: { state -> Instant? in
            let next = state.waiting.values.lazy.filter { $0.hold != nil }.map(\.nextLook).min()
            state.isReporterIdle = next == nil
            return next
        })
        guard let moment else { return }
        // Claims that come meanwhile are looked at later.
        _ = state.wait(until: moment) { _ in false }
        let now = MonotonicClock.now
        let due = state.withLock { state in
            state.waiting.compactMap { id, waiting -> (SessionRequestID, AwaitedHold)? in
                guard let hold = waiting.hold, waiting.nextLook <= now else { return nil }
                state.waiting[id]?.nextLook = now + waiting.period
                state.waiting[id]?.period = min(waiting.period * 2, Self.longestPeriod)
                return (id, hold)
            }
        }
        for (id, hold) in due where replies.output.hasRoom {
            guard let parties = hold.explain(until: MonotonicClock.after(Self.explanationPatience)),
                !parties.isEmpty
            else { continue }
            report(parties, inTheWayOf: id)
        }
    }

    private func report(_ parties: [Party], inTheWayOf id: SessionRequestID) {
        let obstacles = Set(
            parties.map {
                Obstacle(
                    processID: $0.processID, path: $0.path, message: $0.message,
                    isStopped: $0.isStopped)
            })
        state.withLock { state in
            guard let told = state.waiting[id]?.told, told != obstacles else { return }
            state.waiting[id]?.told = obstacles
            state.waiting[id]?.period = Self.period
            replies.say(
                [("state", .text("waiting")), ("waitsFor", SessionError.list(parties))], of: id)
        }
    }

    // MARK: The end

    /// Cancels what waits, and releases what is held when what is done with it is done.
    func endAll() {
        let (waiting, held) = state.withLock { state in
            state.isEnding = true
            let held = Array(state.held.values)
            state.held = [:]
            state.releasing = held.count
            return (Array(state.waiting.values), held)
        }
        for claim in waiting { claim.cancel() }
        for claim in held {
            let work = claim.work.add { [state] in
                claim.access.release()
                state.withLock { $0.releasing -= 1 }
                state.notifyAll()
            }
            if let work { BlockingWorkPool.start(work) }
        }
    }

    /// Blocks the thread until what was held is released, at the latest until a deadline; returns
    /// whether it is.
    func waitForReleases(until deadline: Instant) -> Bool {
        state.wait(until: deadline) { $0.releasing == 0 }
    }
}

extension SessionReplacement {
    /// Replaces or removes the item; returns the answer.
    fileprivate func perform(
        on access: HeldAccess
    ) throws(SessionError) -> SessionReplies.Fields {
        guard access.items.indices.contains(item) else {
            throw .badRequest("the claim has no item \(item): the first one is 0")
        }
        guard access.isWritten(item: item) else {
            throw .badRequest("item \(item) of the claim is read: claim it with \"writing\"")
        }
        if let file { try requireBeside(NativePath(access.items[item].path), file) }
        let left: ReplacedFile.Replacement
        do throws(ReplacingError) {
            if let file {
                left = try access.replace(item: item, byFileAt: file, ifSeen: onlyIf)
            } else {
                left = try access.replace(item: item, with: nil, ifSeen: onlyIf)
            }
        } catch {
            throw SessionError(error)
        }
        let losses = left.losses.map { JSONValue.text("\($0)") }
        return [("state", .text("replaced"))]
            + (left.token.map { [("token", .text($0.text))] } ?? [])
            + (losses.isEmpty ? [] : [("losses", .list(losses))])
    }

    /// Presenters are not told of files with such names, and a rename needs the same directory.
    private func requireBeside(_ place: NativePath, _ file: NativePath) throws(SessionError) {
        let prefix = [UInt8(ascii: ".")] + place.name + [UInt8(ascii: ".")]
        guard file.name.starts(with: prefix), file.name.count > prefix.count,
            Self.isSame(file.directory, place.directory)
        else {
            let name = UserText.text(place.name)
            throw .badRequest(
                "\"from\" is a file in \(place.directory) whose name begins with \".\(name).\"")
        }
    }

    private static func isSame(_ one: NativePath, _ other: NativePath) -> Bool {
        // One that cannot be looked at has no files.
        guard let one = try? FileStatus(path: one.bytes, followLinks: true),
            let other = try? FileStatus(path: other.bytes, followLinks: true)  // The same.
        else { return false }
        return one.device == other.device && one.inode == other.inode
    }
}
