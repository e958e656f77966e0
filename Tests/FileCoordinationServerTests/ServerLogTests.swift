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
                == #"event=limit-reached pid=7 plain=/a/b-c_d odd="a \"b\"\\c=\n\x01" message="""#)
    }

    @Test(arguments: [
        ("\0", #"\x00"#), ("\t", #"\x09"#), ("\r", #"\x0d"#), ("\u{1b}", #"\x1b"#),
        ("\u{7f}", #"\x7f"#), ("\u{85}", #"\x85"#), ("\u{9b}", #"\x9b"#),
        ("\u{2028}", #"\u2028"#), ("\u{202e}", #"\u202e"#),
    ])
    func `What could act on a terminal is escaped alike`(odd: String, escaped: String) {
        // The figure behind it must not be taken for one of the escaped character's.
        let line = LogLine(.warning, "limit-reached", [.init("program", "a\(odd)1")], "m")
        #expect(line.text == #"event=limit-reached program="a\#(escaped)1" message=m"#)
    }

    @Test func `Letters of all languages are left as they are`() {
        let line = LogLine(.debug, "client-removed", [.init("program", "Grüße/日本")], "m")
        #expect(line.text == "event=client-removed program=Grüße/日本 message=m")
    }

    @Test func `A wait that was ended by hand is logged with its author and the reason`() {
        let entry = ServerLogEntry.dismissed(
            "a wait of process 7 (p)", of: 7, processID: 8, author: "release (pid 8)",
            reason: "it \"hangs\"")
        #expect(
            entry.line.text
                == #"event=dismissed pid=7 by=8 author="release (pid 8)" reason="it \"hangs\"" "#
                + #"message="a wait of process 7 (p): ended by hand by process 8, "#
                + #"release (pid 8): it \"hangs\"""#)
        #expect(entry.line.priority == .notice)
    }

    @Test func `What restricts programs is a warning`() {
        let entries: [ServerLogEntry] = [
            .limitReached(processID: 1, reason: "a"), .watchingFailed(reason: "a"),
            .ledgerRejected(name: "a", reason: "b"), .relocationNotWritten(reason: "a"),
            .connectionRefused(processID: 1, reason: Refusal(code: .malformed, text: "a")),
        ]
        #expect(entries.allSatisfy { $0.line.priority == .warning })
        #expect(entries.prefix(2).map(\.line.event) == ["limit-reached", "watching-degraded"])
        #expect(ServerLogEntry.leaving(.deposed).line.priority == .notice)
    }

    @Test func `The sentence for people is the last field`() {
        #expect(
            ServerLogEntry.leaving(.idle).line.text
                == #"event=leaving reason=idle message="leaving: no program needs this daemon""#)
    }
}
