// SPDX-License-Identifier: Apache-2.0
//
// `filecoord session`: claims, files that are replaced, and what ends them. Presenters and bad
// input have tests of their own.

import XCTest

final class SessionTests: XCTestCase {
    // MARK: Claims

    func testAClaimIsWaitedForUntilAnotherProgramEndsIts() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "1")
            let session = try SessionClient(sandbox, "--label", "my tool")
            let claim = try session.claim("a", id: 1)
            let granted = try session.answer(#"{"id":1}"#)
            XCTAssertEqual((granted["items"] as? [[String: Any]])?.first?["path"] as? String, path)
            let waiter = try sandbox.start(["write", "a", "--", "true"])
            try sandbox.awaitWaiters(1)
            XCTAssertTrue(try sandbox.run("status").output.contains("my tool ("))
            session.send(#"{"id":"x","do":"end","claim":"\#(claim)","tokens":true}"#)
            let ended = try session.answer(#"{"id":"x","state":"ended"}"#)
            XCTAssertEqual(ended.tokens, granted.tokens)
            XCTAssertEqual(try waiter.outcome().status, 0)
            XCTAssertEqual(try session.close().status, 0)
        }
    }

    func testAWaitIsToldAfterASecondAndTheDeadlineNamesTheHolder() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            let holder = try sandbox.startHolding("write", "--label", "sync", "a")
            let session = try SessionClient(sandbox)
            session.send(
                #"{"id":1,"do":"claim","timeout":1.5,"items":[{"path":"a","access":"reading"}]}"#)
            try session.answer(
                #"{"id":1,"state":"waiting","waitsFor":[{"label":"sync","path":"…/a"}]}"#)
            let late = try session.answer(
                #"{"id":1,"error":{"code":"timedOut","holders":[{"label":"sync"}]}}"#)
            XCTAssertEqual(late.code, "timedOut")
            session.send(
                #"{"id":1,"do":"claim","timeout":0,"items":[{"path":"a","access":"reading"}]}"#)
            try session.answer(#"{"id":1,"error":{"code":"timedOut","message":"…at once…"}}"#)
            holder.closeInput()
            XCTAssertEqual(try holder.outcome().status, 0)
        }
    }

    /// Without a server, the first claim starts one.
    func testAClaimThatDoesNotWaitIsGrantedIfNothingIsInItsWay() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "1")
            let session = try SessionClient(sandbox)
            for id in 1...20 {
                session.send(
                    """
                    {"id":\(id),"do":"claim","timeout":0,"items":\
                    [{"path":"a","access":"reading"},{"path":"absent","access":"reading"}]}
                    """)
                let items = try session.answer(#"{"id":\#(id),"state":"granted"}"#)
                XCTAssertEqual(items.tokens.last, "1.absent")
            }
        }
    }

    /// The server may hear of the end after the next claim.
    func testWhatWasEndedIsFreeAtOnce() throws {
        try with { sandbox in
            let (one, two) = (try SessionClient(sandbox), try SessionClient(sandbox))
            func claim(_ id: Int) {
                two.send(
                    """
                    {"id":\(id),"do":"claim","timeout":0,\
                    "items":[{"path":"a","access":"writing"}]}
                    """)
            }
            func awaitLine(_ session: SessionClient, _ text: String) throws {
                try session.command.awaitOutput(text) { $0.last?.contains(text) ?? false }
            }
            for round in 1...100 {
                one.send(
                    #"{"id":\#(round),"do":"claim","items":[{"path":"a","access":"writing"}]}"#)
                try awaitLine(one, "\"claim\":\"c\(round)\"")
                claim(2 * round)
                try awaitLine(two, "{\"id\":\(2 * round),\"error\":{\"code\":\"timedOut\"")
                one.send(#"{"id":"e","do":"end","claim":"c\#(round)"}"#)
                try awaitLine(one, #"{"id":"e","state":"ended"}"#)
                claim(2 * round + 1)
                try awaitLine(two, "\"claim\":\"c\(round)\"")
                two.send(#"{"id":"e","do":"end","claim":"c\#(round)"}"#)
                try awaitLine(two, #"{"id":"e","state":"ended"}"#)
            }
        }
    }

    func testHundredsOfClaimsAreUnderWayAtOnce() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            let first = try session.claim("one", id: 0)
            for id in 1...400 {
                let path = id % 2 == 0 ? "one" : "f\(id)"
                session.send(
                    #"{"id":\#(id),"do":"claim","items":[{"path":"\#(path)","access":"writing"}]}"#)
            }
            try session.command.awaitOutput("the claims of other files") { lines in
                lines.count { $0.contains("\"granted\"") } == 201
            }
            session.send(#"{"id":500,"do":"end","claim":"\#(first)"}"#)
            // Each holds the same file after the one before.
            for number in 202...401 {
                try session.command.awaitOutput("claim \(number)") { lines in
                    lines.contains { $0.contains(#""granted","claim":"c\#(number)""#) }
                }
                session.send(#"{"id":\#(1000 + number),"do":"end","claim":"c\#(number)"}"#)
            }
            try session.answer(#"{"id":1401,"state":"ended"}"#)
        }
    }

    func testACancelledClaimIsNotGrantedAndAGrantedOneStays() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            let held = try session.claim("a", id: 1)
            session.send(#"{"id":2,"do":"claim","items":[{"path":"a","access":"writing"}]}"#)
            session.send(#"{"id":3,"do":"cancel","request":2}"#)
            try session.answer(#"{"id":2,"error":{"code":"cancelled"}}"#)
            try session.answer(#"{"id":3,"state":"done"}"#)
            session.send(#"{"id":4,"do":"cancel","request":1}"#)
            try session.answer(#"{"id":4,"error":{"code":"alreadyGranted"}}"#)
            session.send(#"{"id":5,"do":"cancel","request":77}"#)
            try session.answer(#"{"id":5,"error":{"code":"badRequest"}}"#)
            session.send(#"{"id":6,"do":"end","claim":"\#(held)"}"#)
            try session.answer(#"{"id":6,"state":"ended"}"#)
            session.send(#"{"id":7,"do":"end","claim":"\#(held)"}"#)
            try session.answer(#"{"id":7,"error":{"code":"unknownClaim"}}"#)
        }
    }

    func testAProgramStartedUnderAClaimIsRefusedOrJoins() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            session.send(#"{"id":1,"do":"claim","items":[{"path":"a","access":"writing"}]}"#)
            let granted = try session.answer(#"{"id":1,"state":"granted"}"#)
            let environment = try XCTUnwrap(granted["environment"] as? [String: String])
            let claim = try XCTUnwrap(environment["FILECOORD_CLAIM"])
            let purpose = try XCTUnwrap(environment["FILECOORD_PURPOSE"])
            let outcome = try sandbox.runInShell(
                """
                export FILECOORD_CLAIM='\(claim)'
                "$0" write -q a -- true; echo $?
                "$0" write --purpose '\(purpose)' a -- true; echo $?
                """)
            XCTAssertEqual(outcome.output, "70\n0\n", outcome.errors)
        }
    }

    // MARK: Replacing

    func testAFileIsReplacedWithItsModeAndTheOrderOfRequestsIsKept() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "one")
            chmod(path, 0o640)
            let session = try SessionClient(sandbox)
            let claim = try session.claim("a", id: 1)
            let staged = try sandbox.makeFile(".a.staged", "two")
            session.send(
                #"{"id":2,"do":"replace","claim":"\#(claim)","item":0,"from":"\#(staged)"}"#)
            session.send(#"{"id":3,"do":"end","claim":"\#(claim)","tokens":true}"#)
            let replaced = try session.answer(#"{"id":2,"state":"replaced","token":"1.…"}"#)
            let ended = try session.answer(#"{"id":3,"state":"ended"}"#)
            XCTAssertEqual(ended.tokens, [try XCTUnwrap(replaced["token"] as? String)])
            XCTAssertEqual(try sandbox.content("a"), "two")
            XCTAssertEqual(try sandbox.names(), ["a"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            XCTAssertEqual(mode as? Int, 0o640)
            let last = try session.claim("a", id: 4)
            session.send(#"{"id":5,"do":"replace","claim":"\#(last)","item":0,"from":null}"#)
            try session.answer(#"{"id":5,"state":"replaced","token":"1.absent"}"#)
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testAStaleClaimOrReplacementIsRefused() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            let session = try SessionClient(sandbox)
            session.send(#"{"id":1,"do":"token","paths":["a"]}"#)
            let seen = try XCTUnwrap(session.answer(#"{"id":1,"state":"done"}"#).tokens.first)
            XCTAssertEqual(
                try sandbox.run("write", "--label", "rival", "a", input: "theirs").status, 0)
            session.send(
                """
                {"id":2,"do":"claim","items":[{"path":"a","access":"writing","onlyIf":"\(seen)"}]}
                """)
            try session.answer(
                #"{"id":2,"error":{"code":"stale","message":"…/a is not as it was…rival (…"}}"#)
            let claim = try session.claim("a", id: 3)
            let staged = try sandbox.makeFile(".a.x", "mine")
            session.send(
                """
                {"id":4,"do":"replace","claim":"\(claim)","item":0,"from":"\(staged)",\
                "onlyIf":"\(seen)"}
                """)
            try session.answer(#"{"id":4,"error":{"code":"stale"}}"#)
            XCTAssertEqual(try sandbox.content("a"), "theirs")
            // What was to replace it is not lost.
            XCTAssertEqual(try sandbox.content(".a.x"), "mine")
        }
    }

    func testWhatCannotReplaceAnItemIsRefused() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "one")
            let session = try SessionClient(sandbox)
            let claim = try session.claim("a", id: 1)
            let other = try sandbox.makeFile("b", "two")
            let directory = try sandbox.makeDirectory(".a.d")
            func replace(_ members: String, _ id: Int, _ code: String) throws {
                session.send(#"{"id":\#(id),"do":"replace","claim":"\#(claim)",\#(members)}"#)
                try session.answer(#"{"id":\#(id),"error":{"code":"\#(code)"}}"#)
            }
            try replace(#""item":0,"from":"\#(other)""#, 2, "badRequest")
            try replace(#""item":1,"from":"\#(path)""#, 3, "badRequest")
            try replace(#""item":0"#, 4, "badRequest")
            try replace(#""item":0,"from":"\#(directory)""#, 5, "badPath")
            try replace(#""item":0,"from":"\#(sandbox.path(".a.none"))""#, 6, "badPath")
            session.send(#"{"id":7,"do":"claim","items":[{"path":"b","access":"reading"}]}"#)
            let reading = try session.answer(#"{"id":7,"state":"granted"}"#)
            let name = try XCTUnwrap(reading["claim"] as? String)
            session.send(#"{"id":8,"do":"replace","claim":"\#(name)","item":0,"from":null}"#)
            try session.answer(#"{"id":8,"error":{"code":"badRequest"}}"#)
            XCTAssertEqual(try sandbox.content("a"), "one")
            try replace(#""item":0,"from":null,"from":"\#(path)""#, 9, "badRequest")
            try replace(#""item":0,"fromBytes":null"#, 10, "badRequest")
            XCTAssertEqual(try sandbox.content("a"), "one")
            XCTAssertEqual(try sandbox.content("b"), "two")
        }
    }

    // MARK: The end

    func testTheEndOfEitherSideFreesAllClaims() throws {
        try withEachArbiter { sandbox in
            for way in ["close", "TERM", "KILL"] {
                let session = try SessionClient(sandbox)
                for id in 1...50 { _ = try session.claim("f\(id)", id: id) }
                session.send(#"{"id":99,"do":"claim","items":[{"path":"f1","access":"reading"}]}"#)
                try sandbox.awaitWaiters(1)
                switch way {
                case "close":
                    XCTAssertEqual(try session.close().status, 0)
                    try session.answer(#"{"id":99,"error":{"code":"cancelled"}}"#)
                case "TERM":
                    session.command.kill(SIGTERM)
                    XCTAssertEqual(try session.command.outcome().status, 0)
                case _: session.command.kill(SIGKILL)
                }
                let items = (1...50).flatMap { ["--write", "f\($0)"] }
                XCTAssertEqual(try sandbox.run(["access"] + items + ["--", "true"]).status, 0, way)
            }
        }
    }

    func testItEndsSoonAfterTERMWhateverTheClientDoes() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            let holder = try sandbox.startHolding("write", "a")
            // The client reads nothing, and goes on with claims that would wait for ever.
            let script = try sandbox.startInShell(
                """
                mkfifo in out
                "$0" session <in >out &
                session=$!
                exec 4>in 3<out
                read -r first <&3
                echo started
                i=0
                while [ $i -lt 20000 ]; do
                    i=$((i + 1)); echo "{\"id\":$i,\"do\":\"token\",\"paths\":[\"a\"]}"
                done >&4 &
                feeder=$!
                read -r go
                kill -TERM $session
                echo '{"id":0,"do":"claim","items":[{"path":"a","access":"writing"}]}' >&4 &
                wait $session; echo "ended $?"
                kill $feeder $! 2>/dev/null
                """)
            try script.awaitLine("started")
            script.type("go\n")
            try script.awaitLine("ended 0")
            holder.closeInput()
        }
    }

    func testItEndsWhenNobodyReadsItsOutput() throws {
        try with { sandbox in
            let script = try sandbox.startInShell(
                """
                mkfifo in out
                "$0" session <in >out &
                exec 4>in 3<out
                read -r first <&3
                echo '{"id":1,"do":"claim","items":[{"path":"a","access":"writing"}]}' >&4
                read -r granted <&3
                exec 3<&-
                wait $!; echo "ended $?"
                "$0" write -n a -- echo free
                """)
            try script.awaitLine("ended 0")
            try script.awaitLine("free")
        }
    }

    func testSignalsOfTheTerminalDoNotEndIt() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            for (id, signal) in [SIGINT, SIGHUP, SIGQUIT].enumerated() {
                session.command.kill(signal)
                _ = try session.claim("f\(id)", id: id)
            }
            XCTAssertEqual(try session.close().status, 0)
        }
    }

    func testRequestsBeforeTheEndOfInputAreAnswered() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "1")
            let outcome = try sandbox.runInShell(
                """
                printf '{"id":1,"do":"token","paths":["a","none"]}\\n{"id":2,"do":"status"}' |
                    "$0" session
                """)
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let lines = outcome.output.split(separator: "\n").map { String($0) }
            XCTAssertEqual(lines.count, 3, outcome.output)
            let answers = lines.compactMap { SessionAnswer($0) }
            let token = try XCTUnwrap(answers.first { $0["id"] as? Int == 1 })
            let expected = try sandbox.run("token", "a").output.dropLast()
            XCTAssertEqual(token.tokens, [String(expected), "1.absent"])
        }
    }
}
