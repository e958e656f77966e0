// SPDX-License-Identifier: Apache-2.0
//
// The errors of a session's requests: a code for programs, a message for people, and who is in the
// way. Codes are only ever added, and a client takes one that it does not know for a failure.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// Why a request of a session failed.
struct SessionError: Error, Sendable {
    /// What a client can decide by.
    enum Code: String, CaseIterable {
        /// Access was not granted in time, or at once.
        case timedOut
        /// An item is not as the client has seen it.
        case stale
        /// The claim would have waited for itself.
        case deadlock
        /// A presenter or a user refused.
        case refused
        /// The client has cancelled the request.
        case cancelled
        /// The request to cancel came after the grant.
        case alreadyGranted
        /// There is no claim of this name.
        case unknownClaim
        /// The line is no request, or means nothing.
        case badRequest
        /// A path names no item that can be used like this.
        case badPath
        /// A limit is reached.
        case limitExceeded
        /// No server can be reached.
        case unreachable
        /// Reading or writing failed.
        case inputOutput
    }

    let code: Code
    let message: String
    /// Who is in the way, of ``Code/timedOut`` and ``Code/deadlock``.
    var holders: [Party] = []

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a line that is no request, or that means nothing.
    static func badRequest(_ message: String) -> SessionError { SessionError(.badRequest, message) }

    /// The error of an access that was not granted.
    init(_ failure: AccessFailure, of paths: [NativePath]) {
        let text = Failure(failure, of: paths)
        switch failure {
        case .system(.arbiterUnreachable): self.init(.unreachable, text)
        case .system(.limitReached): self.init(.limitExceeded, text)
        case .system(.invalidOptions): self.init(.badRequest, text)
        case .place: self.init(.badPath, text)
        case .refused, .dismissed: self.init(.refused, text)
        case .stale: self.init(.stale, text)
        case .unexamined, .copy: self.init(text)
        case .deadlock(let parties):
            self.init(.deadlock, text)
            holders = parties
        case .timedOut(let span, let parties):
            let bound = span == .zero ? "at once" : "within \(DurationText.text(span))"
            let lines = UserText.lines(parties).map { $0.drop { $0 == " " } }
            self.init(
                .timedOut,
                "access to \(UserText.paths(paths)) was not granted \(bound): "
                    + lines.joined(separator: "; "))
            holders = parties
        case .cancelled: self.init(.cancelled, "the request was cancelled")
        }
    }

    /// The error of a failure with a status of its own.
    init(_ failure: Failure) {
        switch ExitStatus(rawValue: failure.status) {
        case .badPath: self.init(.badPath, failure)
        case .usage: self.init(.badRequest, failure)
        case .unavailable: self.init(.unreachable, failure)
        case .stale: self.init(.stale, failure)
        case .refused: self.init(.refused, failure)
        case .inputOutput, .notGranted, .cannotRun, .notFound, nil:
            self.init(.inputOutput, failure)
        }
    }

    /// The error of a replacement.
    init(_ error: ReplacingError) {
        switch error {
        case .changed: self.init(.stale, Failure(error))
        case .failed, .unsuitable(_, .noRegularFile): self.init(Failure(error))
        case .unsuitable(let path, .directory): self.init(.badPath, "\(path) is a directory")
        case .unsuitable(let path, .symbolicLink):
            self.init(.badPath, "\(path) is a symbolic link: claim it without \"noFollow\"")
        case .unsuitable(let path, .severalNames(let count)):
            self.init(
                .badPath,
                "\(path) is one of \(count) names of its file (hard links), and the others would "
                    + "keep the old contents: write into the file instead")
        }
    }

    private init(_ code: Code, _ failure: Failure) {
        self.init(code, failure.lines.joined(separator: " "))
    }

    /// The error as an object.
    var json: JSONValue {
        var fields: [(name: String, value: JSONValue)] = [
            ("code", .text(code.rawValue)), ("message", .text(message)),
        ]
        if !holders.isEmpty { fields.append(("holders", Self.list(holders))) }
        return .object(fields)
    }

    /// The most parties of a list.
    private static let partyLimit = 64

    /// Those that a claim waits for.
    static func list(_ parties: [Party]) -> JSONValue {
        .list(
            parties.prefix(partyLimit).map { party in
                let process = [
                    ("pid", JSONValue.process(party.processID)),
                    ("process", .text(party.processName)),
                    ("label", .text(party.label.isEmpty ? party.processName : party.label)),
                    ("path", .path(party.path)), ("role", .text("\(party.role)")),
                    ("since", .seconds(party.since)), ("stopped", .truth(party.isStopped)),
                ]
                return .object(process + (party.message.map { [("message", .text($0))] } ?? []))
            })
    }
}
