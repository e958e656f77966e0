// SPDX-License-Identifier: Apache-2.0
//
// The answers to a session's requests. Each request has one last answer, after which its identifier
// may be used again.

import FileCoordinationSystem
import FileCoordinationWire

/// Writes answers, and knows which requests have none yet.
final class SessionReplies: Sendable {
    /// Members of an object, in order.
    typealias Fields = [(name: String, value: JSONValue)]

    let output: SessionOutput
    private let open = Monitor(Set<SessionRequestID>())

    init(_ output: SessionOutput) { self.output = output }

    /// Begins a request; returns false if there is another one with this identifier.
    func begin(_ id: SessionRequestID) -> Bool { open.withLock { $0.insert(id).inserted } }

    /// Says something of a request that goes on.
    func say(_ fields: Fields, of id: SessionRequestID) {
        output.write([("id", id.json)] + fields)
    }

    /// Writes the last answer to a request.
    ///
    /// Returns false if it was too long, and was told as an error.
    @discardableResult
    func finish(_ id: SessionRequestID, _ fields: Fields) -> Bool {
        // The client may use the identifier again as soon as it reads this.
        let (isWritten, isLast) = open.withLock { open in
            open.remove(id)
            let isWritten = output.write([("id", id.json)] + fields)
            if !isWritten {
                let error = SessionError(
                    .limitExceeded,
                    "the answer is longer than a line may be (\(SessionOutput.lineLimit) bytes)")
                output.write([("id", id.json), ("error", error.json)])
            }
            return (isWritten, open.isEmpty)
        }
        if isLast { open.notifyAll() }
        return isWritten
    }

    /// Writes the error of a request.
    func fail(_ id: SessionRequestID, _ error: SessionError) {
        finish(id, [("error", error.json)])
    }

    /// Writes an error that belongs to no request.
    func fail(_ error: SessionError) { output.write([("error", error.json)]) }

    /// Blocks the thread until all requests have their answers, at the latest until a deadline;
    /// returns whether they have.
    func waitForAll(until deadline: Instant) -> Bool { open.wait(until: deadline) { $0.isEmpty } }
}
