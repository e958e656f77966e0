// SPDX-License-Identifier: Apache-2.0
//
// What a session does with lines that mean nothing, and with a client that does not read.

import XCTest

final class SessionInputTests: XCTestCase {
    func testAMalformedLineIsAnErrorOfThatLineAlone() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            _ = try session.claim("a", id: 1)
            let lines = [
                "", "no JSON", "[1]", #"{"id":1.5,"do":"status"}"#, #"{"id":true,"do":"status"}"#,
                #"{"id":9007199254740992,"do":"status"}"#, #"{"do":"status"}"#,
                #"{"do":"answer","question":5}"#, String(repeating: "x", count: 3 << 20),
                #"{"id":2,"do":"status""#, #"{"id":007,"do":"status"}"#,
                #"{"id":+1,"do":"status"}"#, #"{"id":"\ud800","do":"status"}"#,
            ]
            for line in lines { session.send(line) }
            try session.command.awaitOutput("an error for each line") { output in
                output.count { $0.hasPrefix(#"{"error":{"code":"badRequest","message":""#) }
                    == lines.count
            }
            session.send(#"{"id":3,"do":"end","claim":"c1","unknown":[{}]}"#)
            try session.answer(#"{"id":3,"state":"ended"}"#)
            XCTAssertEqual(try session.close().status, 0)
        }
    }

    func testARequestThatMeansNothingIsAnErrorOfThatRequest() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            let item = #"{"path":"a","access":"reading""#
            let requests = [
                (#""do":"dance""#, "badRequest"), (#""do":7"#, "badRequest"),
                ("\"x\":1", "badRequest"), (#""do":"claim""#, "badRequest"),
                (#""do":"claim","items":[]"#, "badRequest"),
                (#""do":"claim","items":[{"path":"a"}]"#, "badRequest"),
                (#""do":"claim","items":[{"path":"","access":"reading"}]"#, "badPath"),
                (#""do":"claim","items":[{"path":"a\u0000","access":"reading"}]"#, "badPath"),
                (#""do":"claim","items":[\#(item),"options":["x"]}]"#, "badRequest"),
                (#""do":"claim","items":[\#(item),"onlyIf":"x"}]"#, "badRequest"),
                (#""do":"claim","timeout":-1,"items":[\#(item)}]"#, "badRequest"),
                (#""do":"claim","timeout":1e30,"items":[\#(item)}]"#, "badRequest"),
                (#""do":"claim","timeout":1e400,"items":[\#(item)}]"#, "badRequest"),
                (#""do":"claim","items":[\#(item),"options":["forUploading"]}]"#, "badRequest"),
                (#""do":"claim","purpose":"","items":[\#(item)}]"#, "badRequest"),
                (#""do":"end","claim":"c9""#, "unknownClaim"), (#""do":"end""#, "badRequest"),
                (#""do":"replace","claim":"c9","item":0,"from":null"#, "unknownClaim"),
                (#""do":"present","path":"a","answers":["presentedItemDidChange"]"#, "badRequest"),
                (#""do":"remove","presenter":"p9""#, "badRequest"),
                (#""do":"token","paths":[7]"#, "badRequest"),
                (#""do":"token","paths":[""]"#, "badPath"),
                (#""do":"answer","question":5"#, "badRequest"),
            ]
            for (index, (members, code)) in requests.enumerated() {
                session.send(#"{"id":"r\#(index)",\#(members)}"#)
                let answer = try session.answer(#"{"id":"r\#(index)"}"#)
                XCTAssertEqual(answer.code, code, members)
            }
            XCTAssertEqual(try session.close().status, 0)
        }
    }

    func testAnIdentifierInUseIsRefusedWithoutAnAnswerToItsRequest() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            let held = try session.claim("a", id: 1)
            session.send(#"{"id":2,"do":"claim","items":[{"path":"a","access":"reading"}]}"#)
            session.send(#"{"id":2,"do":"status"}"#)
            try session.answer(#"{"error":{"code":"badRequest","message":"…\"id\" 2 …"}}"#)
            session.send(#"{"id":1,"do":"end","claim":"\#(held)"}"#)
            try session.answer(#"{"id":2,"state":"granted"}"#)
        }
    }

    /// A client may use an identifier again when it has read the last answer.
    func testAnIdentifierCanBeUsedAgainAtOnce() throws {
        try with { sandbox in
            let outcome = try sandbox.runInShell(
                """
                mkfifo in out
                "$0" session <in >out &
                exec 4>in 3<out
                read -r first <&3
                i=0
                while [ $i -lt 2000 ]; do
                    echo '{"id":1,"do":"token","paths":["a"]}' >&4
                    read -r answer <&3
                    case "$answer" in '{"id":1,"state":"done"'*) i=$((i + 1)) ;; *) break ;; esac
                done
                echo "$i $answer"
                """)
            XCTAssertTrue(outcome.output.hasPrefix("2000 "), outcome.output)
        }
    }

    func testPathsThatAreNotUTF8GoBothWays() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            let encoded = sandbox.directory.path + "/%FF"
            session.send(
                """
                {"id":1,"do":"claim","items":[{"pathBytes":"\(encoded)","access":"writing"}]}
                """)
            try session.answer(
                #"{"id":1,"state":"granted","items":[{"pathBytes":"\#(encoded)"}]}"#)
            session.send(#"{"id":2,"do":"token","paths":[{"pathBytes":"\#(encoded)"}]}"#)
            try session.answer(
                #"{"id":2,"items":[{"pathBytes":"\#(encoded)","token":"1.absent"}]}"#)
        }
    }

    /// What the client does not read is bounded, and nothing of it is lost.
    func testAClientThatDoesNotReadIsNotReadAndLosesNothing() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            let session = try sandbox.startInShell(
                """
                mkfifo in out
                echo made
                "$0" session <in >out
                """)
            defer { session.killGroup() }
            try session.awaitLine("made")
            let input = open(sandbox.path("in"), O_WRONLY | O_CLOEXEC)
            let output = open(sandbox.path("out"), O_RDONLY | O_CLOEXEC)
            XCTAssertGreaterThan(min(input, output), 0)
            defer { close(output) }
            _ = fcntl(input, F_SETFL, O_NONBLOCK)
            // Ten times as much as is kept for a client.
            let count = 80_000
            let requests = (0..<count).map { #"{"id":\#($0),"do":"token","paths":["a"]}"# + "\n" }
            let bytes = Array(requests.joined().utf8)
            var sent = Self.feed(bytes[...], to: input, patience: 2000)
            XCTAssertLessThan(sent, bytes.count / 2, "it reads on although nothing is read of it")
            let reader = try sandbox.startInShell("exec cat out")
            let patience = Int32(RunningCommand.patience * 1000)
            sent += Self.feed(bytes[sent...], to: input, patience: patience)
            close(input)
            XCTAssertEqual(sent, bytes.count)
            let lines = try reader.outcome().output.split(separator: "\n")
            XCTAssertEqual(lines.count, count + 1)
            let answered = Set(lines.compactMap { SessionAnswer(String($0))?["id"] as? Int })
            XCTAssertEqual(answered.count, count)
            XCTAssertEqual(try session.outcome().status, 0)
        }
    }

    /// Writes until all is written, or nothing is taken for so many milliseconds; returns how much.
    private static func feed(_ bytes: ArraySlice<UInt8>, to pipe: Int32, patience: Int32) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            var wanted = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
            guard errno == EAGAIN, poll(&wanted, 1, patience) > 0 else { break }
        }
        return bytes.count - rest.count
    }
}
