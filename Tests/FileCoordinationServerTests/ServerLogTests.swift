// SPDX-License-Identifier: Apache-2.0
//
// Log entries as lines for programs.

import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite struct ServerLogTests {
    @Test func `Values that are no words are quoted`() {
        let line = LogLine(
            .warning, "limit-reached",
            [.init("pid", 7), .init("plain", "/a/b-c_d"), .init("odd", "a \"b\"\\c=\n\u{1}")], "")
        #expect(
            line.text
                == #"event=limit-reached pid=7 plain=/a/b-c_d odd="a \"b\"\\c=\n\x1" message="""#)
    }

    @Test func `What restricts programs is a warning`() {
        let entries: [ServerLogEntry] = [
            .limitReached(processID: 1, reason: "a"), .watchingFailed(reason: "a"),
            .ledgerRejected(name: "a", reason: "b"), .relocationNotWritten(reason: "a"),
            .connectionRefused(processID: 1, reason: Refusal(code: .malformed, text: "a")),
        ]
        #expect(entries.allSatisfy { $0.line.priority == .warning })
        #expect(entries.prefix(2).map(\.line.event) == ["limit-reached", "watching-degraded"])
        #expect(ServerLogEntry.worldDivided(.busy("/a")).line.priority == .error)
        #expect(ServerLogEntry.leaving(.deposed).line.priority == .notice)
    }

    @Test func `The sentence for people is the last field`() {
        #expect(
            ServerLogEntry.leaving(.idle).line.text
                == #"event=leaving reason=idle message="leaving: no program needs this daemon""#)
    }
}
