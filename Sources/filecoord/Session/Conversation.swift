// SPDX-License-Identifier: Apache-2.0
//
// What a session's client asks for, from its lines to the parts that do it. No request waits for
// another one; what may block is done on other threads.

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire

/// The conversation with the client of a session.
final class Conversation: Sendable {
    private let replies: SessionReplies
    private let claims: SessionClaims
    private let presenters: SessionPresenters
    /// How many requests look at something now.
    private let looks = Monitor(0)

    /// The most of them: their answers may be long, and are made before the client reads them.
    private static let mostLooks = 64

    init(_ output: SessionOutput) throws(Failure) {
        replies = SessionReplies(output)
        claims = try SessionClaims(replies)
        presenters = SessionPresenters(replies)
    }

    /// Takes a line of the client.
    func take(_ line: SessionInput.Line) {
        var id: SessionRequestID?
        do throws(SessionError) {
            guard case .whole(let bytes) = line else {
                throw .badRequest("the line is longer than \(SessionOutput.lineLimit) bytes")
            }
            guard let object = JSONValue(reading: bytes), case .members = object else {
                throw .badRequest(
                    "the line is no JSON object; a path that is not UTF-8 goes in \"pathBytes\"")
            }
            let given = try SessionRequestID(object[field: "id"])
            if let given, !replies.begin(given) {
                throw .badRequest("\"id\" \(given.json) is that of a request without an answer yet")
            }
            id = given
            let request = try SessionRequest(object: object, id: given)
            try perform(request.action, for: id)
        } catch {
            if let id { replies.fail(id, error) } else { replies.fail(error) }
        }
    }

    private func perform(
        _ action: SessionRequest.Action, for id: SessionRequestID?
    ) throws(SessionError) {
        if case .answer(let question, let refusal) = action {
            try presenters.answer(question, refusal: refusal)
            if let id { replies.finish(id, [("state", .text("done"))]) }
            return
        }
        guard let id else { return }
        switch action {
        case .answer: break
        case .claim(let terms): claims.claim(id, terms)
        case .end(let claim, let wantsTokens): claims.end(claim, for: id, wantsTokens: wantsTokens)
        case .cancel(let request): claims.cancel(request, for: id)
        case .replace(let replacement): claims.replace(replacement, for: id)
        case .present(let path, let label, let answers):
            presenters.add(path, label: label, answering: answers, for: id)
        case .remove(let presenter): presenters.remove(presenter, for: id)
        case .token(let paths, let withDigest):
            look(for: id) { () throws(Failure) in
                var items: [JSONValue] = []
                for path in paths { items.append(try Self.token(path, withDigest)) }
                return ("items", .list(items))
            }
        case .status:
            look(for: id) { () throws(Failure) in
                let report = try StatusCommand.ask(CurrentProcess.environment)
                return ("status", StatusJSON.value(report))
            }
        case .explain(let path):
            look(for: id) { () throws(Failure) in
                ("explanation", ExplanationJSON(try ExplainCommand.explanation(of: path)).value)
            }
        }
    }

    /// Answers with what is seen, without keeping other requests waiting.
    private func look(
        for id: SessionRequestID,
        _ body: @escaping @Sendable () throws(Failure) -> (name: String, value: JSONValue)
    ) {
        _ = looks.wait { looks in
            guard looks < Self.mostLooks else { return false }
            looks += 1
            return true
        }
        BlockingWorkPool.start { [replies, looks] in
            do throws(Failure) {
                replies.finish(id, [("state", .text("done")), try body()])
            } catch {
                replies.fail(id, SessionError(error))
            }
            looks.withLock { $0 -= 1 }
            looks.notifyAll()
        }
    }

    private static func token(_ path: NativePath, _ withDigest: Bool) throws(Failure) -> JSONValue {
        let place: NativePath
        do throws(SystemError) {
            place = try path.followed()
        } catch {
            throw Failure(errorNumber: error.code, doing: "look at", path: path)
        }
        let token = try place.token(withDigest: withDigest)
        return .object([("path", .path(path.bytes)), ("token", .text(token.text))])
    }

    /// Ends all claims and presenters, and waits until the client has its answers.
    ///
    /// What hangs then, in a file system that does not answer, ends with the process.
    ///
    /// - Parameter isUrgent: whether the client is not waited for either.
    func end(isUrgent: Bool) {
        claims.endAll()
        presenters.removeAll()
        let deadline = MonotonicClock.after(isUrgent ? Self.shortPatience : Self.patience)
        let isDone =
            claims.waitForReleases(until: deadline) && replies.waitForAll(until: deadline)
        let isWaitedFor = isDone && !isUrgent
        replies.output.end(until: isWaitedFor ? nil : MonotonicClock.after(Self.shortPatience))
    }

    /// How long requests may take after the end of input.
    private static let patience = Duration.seconds(10)
    /// How long they may take after a signal.
    private static let shortPatience = Duration.seconds(1)
}
