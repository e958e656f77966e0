// SPDX-License-Identifier: Apache-2.0
//
// The client of a `filecoord session` in tests: it writes requests, and waits for answers by what
// they must have.

import Foundation
import XCTest

/// A session and its client.
struct SessionClient {
    let command: RunningCommand

    init(_ sandbox: Sandbox, _ arguments: String...) throws {
        command = try sandbox.start(["session"] + arguments)
        try command.awaitOutput("the first line") { $0.first?.contains("\"session\":1") ?? false }
    }

    /// Writes a request.
    func send(_ line: String) { command.type(line + "\n") }

    /// All that was answered.
    var answers: [SessionAnswer] { command.lines.compactMap { SessionAnswer($0) } }

    /// Waits for the first answer that has all members of `pattern`.
    ///
    /// In a text, "…" stands for any characters.
    @discardableResult
    func answer(_ pattern: String) throws -> SessionAnswer {
        let wanted = try XCTUnwrap(SessionAnswer(pattern), pattern)
        try command.awaitOutput("an answer like \(pattern)") { lines in
            lines.contains { SessionAnswer($0)?.matches(wanted) ?? false }
        }
        return try XCTUnwrap(answers.first { $0.matches(wanted) })
    }

    /// Claims one file to write, and returns the name of the claim.
    func claim(_ path: String, id: Int) throws -> String {
        send(
            #"{"id":\#(id),"do":"claim","items":[{"path":"\#(path)","access":"writing"}]}"#)
        return try XCTUnwrap(answer(#"{"id":\#(id),"state":"granted"}"#)["claim"] as? String)
    }

    /// Ends the input, and waits for the end.
    func close() throws -> Outcome {
        command.closeInput()
        return try command.outcome()
    }
}

/// One line of a session.
struct SessionAnswer {
    private let members: [String: Any]

    init?(_ line: String) {
        let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let members = value as? [String: Any] else { return nil }
        self.members = members
    }

    subscript(name: String) -> Any? { members[name] }

    /// The code of the error, if it is one.
    var code: String? { (self["error"] as? [String: Any])?["code"] as? String }

    /// The tokens of the items.
    var tokens: [String] {
        ((self["items"] as? [[String: Any]]) ?? []).compactMap { $0["token"] as? String }
    }

    /// Whether it has all members of another one.
    func matches(_ pattern: SessionAnswer) -> Bool { Self.matches(members, pattern.members) }

    private static func matches(_ value: Any?, _ pattern: Any) -> Bool {
        switch (value, pattern) {
        case (let value as [String: Any], let pattern as [String: Any]):
            return pattern.allSatisfy { matches(value[$0.key], $0.value) }
        case (let value as [Any], let pattern as [Any]):
            return value.count == pattern.count
                && zip(value, pattern).allSatisfy { matches($0, $1) }
        case (let value as String, let pattern as String):
            var rest = value[...]
            let parts = pattern.components(separatedBy: "…")
            guard parts.count > 1 else { return value == pattern }
            guard rest.hasPrefix(parts[0]), rest.hasSuffix(parts[parts.count - 1]) else {
                return false
            }
            for part in parts where !part.isEmpty {
                guard let range = rest.range(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return true
        case (let value as NSNumber, let pattern as NSNumber): return value == pattern
        case (is NSNull, is NSNull): return true
        case _: return false
        }
    }
}
