// SPDX-License-Identifier: Apache-2.0
//
// What a session's client asks for, from its lines to the parts that do it. No request waits for
// another one: lines are understood in order, and what may block is returned to be done meanwhile.

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire

/// The conversation with the client of a session.
final class Conversation: Sendable {
    private let replies: SessionReplies
    private let claims: SessionClaims
    private let presenters: SessionPresenters

    /// What may block.
    typealias Work = @Sendable () -> Void

    init(_ output: SessionOutput) throws(Failure) {
        replies = SessionReplies(output)
        claims = try SessionClaims(replies)
        presenters = SessionPresenters(replies)
    }

    /// Takes a line of the client; returns what is left to do, in any order.
    func take(_ line: SessionInput.Line) -> Work? {
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
            return try perform(request.action, for: id)
        } catch {
            if let id { replies.fail(id, error) } else { replies.fail(error) }
            return nil
        }
    }

    private func perform(
        _ action: SessionRequest.Action, for id: SessionRequestID?
    ) throws(SessionError) -> Work? {
        if case .answer(let question, let refusal) = action {
            try presenters.answer(question, refusal: refusal)
            if let id { replies.finish(id, [("state", .text("done"))]) }
            return nil
        }
        guard let id else { return nil }
        switch action {
        case .answer: return nil
        case .claim(let terms): return claims.claim(id, terms)
        case .end(let claim, let wantsTokens):
            return try claims.end(claim, for: id, wantsTokens: wantsTokens)
        case .cancel(let request):
            claims.cancel(request, for: id)
            return nil
        case .replace(let replacement): return try claims.replace(replacement, for: id)
        case .present(let path, let label, let answers):
            return presenters.add(path, label: label, answering: answers, for: id)
        case .remove(let presenter): return try presenters.remove(presenter, for: id)
        case .token(let paths, let withDigest):
            return look(for: id) { () throws(Failure) in
                var items: [JSONValue] = []
                for path in paths { items.append(try Self.token(path, withDigest)) }
                return ("items", .list(items))
            }
        case .status:
            return look(for: id) { () throws(Failure) in
                let report = try StatusCommand.ask(CurrentProcess.environment)
                return ("status", StatusJSON.value(report))
            }
        case .explain(let path):
            return look(for: id) { () throws(Failure) in
                ("explanation", ExplanationJSON(try ExplainCommand.explanation(of: path)).value)
            }
        }
    }

    /// Answers with what is seen.
    private func look(
        for id: SessionRequestID,
        _ body: @escaping @Sendable () throws(Failure) -> (name: String, value: JSONValue)
    ) -> Work {
        { [replies] in
            do throws(Failure) {
                replies.finish(id, [("state", .text("done")), try body()])
            } catch {
                replies.fail(id, SessionError(error))
            }
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
