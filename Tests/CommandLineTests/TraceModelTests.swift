// SPDX-License-Identifier: Apache-2.0
//
// What is read out of a trace, also out of one that is cut off or has gaps.

import MonotonicTime
import XCTest

@testable import FileCoordinationTracing

final class TraceModelTests: XCTestCase {
    private static let header = #"{"trace":"filecoord","version":1,"began":"B","program":"P"}"#

    private func model(_ lines: String..., tail: String = "") throws -> TraceModel {
        let text = ([Self.header] + lines).joined(separator: "\n") + "\n" + tail
        return TraceModelBuilder.model(of: try TraceFile(Array(text.utf8), name: "t"))
    }

    private static let processes = [
        #"{"t":0,"event":"process","process":1,"pid":10,"name":"a"}"#,
        #"{"t":0,"event":"process","process":2,"pid":20,"name":"b","label":"B"}"#,
    ].joined(separator: "\n")

    private func filed(
        _ time: Int, _ claim: Int, _ process: Int, event: String = "filed"
    ) -> String {
        """
        {"t":\(time),"event":"\(event)","claim":\(claim),"process":\(process),\
        "items":[{"path":"/f","access":"writing"}]}
        """
    }

    private func line(_ time: Int, _ event: String, _ fields: String) -> String {
        "{\"t\":\(time),\"event\":\"\(event)\",\(fields)}"
    }

    func testAWaitHasItsStatesAndItsCauses() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1), line(100, "granted", "\"claim\":7"),
            line(110, "presenter", "\"presenter\":5,\"process\":1,\"path\":\"/f\""),
            filed(200, 8, 2),
            line(200, "waits", "\"claim\":8,\"claims\":[7],\"presenters\":[],\"count\":1"),
            line(500, "ended", "\"claim\":7,\"outcomes\":[\"changed\"]"),
            line(500, "asked", "\"presenter\":5,\"claim\":8,\"message\":\"m\""),
            line(600, "answered", "\"presenter\":5,\"claim\":8,\"refuses\":true"),
            line(650, "refused", "\"claim\":8"))
        XCTAssertEqual(model.claims.map(\.number), [7, 8])
        let (first, second) = (model.claims[0], model.claims[1])
        XCTAssertEqual(first.ending, .ended)
        XCTAssertEqual(first.waited, .zero)
        XCTAssertEqual(first.stays.map(\.state), [.holding])
        XCTAssertEqual(first.end, .nanoseconds(500))
        XCTAssertEqual(second.stays.map(\.state), [.waiting, .asking])
        XCTAssertEqual(second.stays.map(\.from.nanoseconds), [200, 500])
        XCTAssertEqual(second.waited, .nanoseconds(450))
        XCTAssertEqual(second.waits.map(\.claims), [[0]])
        XCTAssertEqual(second.ending, .refused)
        XCTAssertEqual(model.questions.map(\.isRefusal), [true])
        XCTAssertEqual(model.questions.first?.to, .nanoseconds(600))
        XCTAssertEqual(model.who(of: second), "B (pid 20)")
    }

    func testAnUnreportedGrantGoesOnWhenItIsFound() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1),
            line(100, "granted", "\"claim\":7,\"unreported\":true"),
            filed(300, 8, 1, event: "found"), line(400, "ended", "\"claim\":8"))
        XCTAssertEqual(model.claims.count, 1)
        XCTAssertEqual(model.claims[0].end, .nanoseconds(400))
        XCTAssertEqual(model.claims[0].ending, .ended)
    }

    func testAnUnreportedGrantOfWhichNothingIsHeardHasNoEnd() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1),
            line(100, "granted", "\"claim\":7,\"unreported\":true"), filed(900, 8, 2))
        XCTAssertEqual(model.claims[0].ending, .unreported)
        XCTAssertEqual(model.claims[0].end, .nanoseconds(100))
    }

    func testWhatIsNotThereAfterAGapIsOver() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1), line(110, "granted", "\"claim\":7"),
            filed(120, 8, 2), line(200, "dropped", "\"count\":9"),
            "{\"t\":210,\"event\":\"look\"}", filed(220, 9, 2),
            line(230, "known", "\"claims\":[8],\"presenters\":[]"), filed(900, 10, 1))
        XCTAssertEqual(model.dropped, 9)
        XCTAssertEqual(model.marks.count { $0.text.contains("missing") }, 1)
        XCTAssertEqual(model.claims.map(\.ending), [.unseen, .none, .none, .none])
        XCTAssertEqual(model.claims[0].end, .nanoseconds(210))
        XCTAssertEqual(model.claims[1].end, .nanoseconds(900))
    }

    func testADeathEndsWhatAProcessHad() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1), filed(110, 8, 2), line(300, "died", "\"process\":1"))
        XCTAssertEqual(model.claims.map(\.ending), [.died, .none])
        XCTAssertEqual(model.claims[0].end, .nanoseconds(300))
    }

    func testAClaimGoesWithItsItem() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1), line(110, "granted", "\"claim\":7"),
            line(200, "claimMoved", "\"claim\":7,\"paths\":[{\"path\":\"/g\"}]"),
            filed(300, 8, 2))
        let paths = model.claims.map { $0.items.map { model.paths[$0.path] } }
        XCTAssertEqual(paths, [["/g"], ["/f"]])
        XCTAssertEqual(model.claims[0].items.map(\.isWriting), [true])
    }

    func testAMovedClaimIsFoundAtItsNewPath() throws {
        let model = try model(
            Self.processes, filed(100, 7, 1),
            line(100, "granted", "\"claim\":7,\"unreported\":true"),
            line(200, "claimMoved", "\"claim\":7,\"paths\":[{\"path\":\"/g\"}]"),
            filed(300, 8, 1, event: "found").replacingOccurrences(of: "/f", with: "/g"),
            line(400, "ended", "\"claim\":8"))
        XCTAssertEqual(model.claims.map(\.ending), [.ended])
    }

    func testPathsAreToldApartByTheirBytes() throws {
        let paths = [
            #""path":"/m�","pathBytes":[47,109,255]"#,
            #""path":"/m�","pathBytes":[47,109,254]"#,
            // The same letter, composed and decomposed.
            "\"path\":\"/\u{e9}\"", "\"path\":\"/e\u{301}\"", #""path":"/x\n\\y""#,
        ]
        let model = try model(
            Self.processes,
            paths.enumerated().map { index, path in
                line(
                    100 + index, "filed",
                    "\"claim\":\(index + 1),\"process\":1,"
                        + "\"items\":[{\(path),\"access\":\"writing\"}]")
            }.joined(separator: "\n"),
            line(200, "presenter", "\"presenter\":5,\"process\":2,\(paths[1])"))
        XCTAssertEqual(
            model.paths.map { Array($0.utf8) },
            ["/m\\xff", "/m\\xfe", "/\u{e9}", "/e\u{301}", "/x\\n\\\\y"].map { Array($0.utf8) })
        XCTAssertEqual(model.claims.map { $0.items.map(\.path) }, [[0], [1], [2], [3], [4]])
        XCTAssertEqual(model.presenters.map(\.path), [1])
    }

    func testATraceIsReadUpToItsLastWholeLine() throws {
        let whole = try model(Self.processes, filed(100, 7, 1))
        XCTAssertFalse(whole.isCut)
        for tail in ["{\"t\":200,\"event\":\"gra", "\0\0\0\0", "\0\0\0\0\n"] {
            let cut = try model(Self.processes, filed(100, 7, 1), tail: tail)
            XCTAssertTrue(cut.isCut)
            XCTAssertEqual(cut.claims.count, 1)
        }
    }

    func testWhatIsUnknownIsPassedOver() throws {
        let model = try model(
            Self.processes, "{\"t\":5,\"event\":\"new in version 1\",\"x\":{}}",
            line(10, "granted", "\"claim\":99"), line(10, "ended", "\"claim\":99"),
            line(10, "answered", "\"presenter\":99,\"claim\":99"), filed(100, 7, 55))
        XCTAssertEqual(model.claims.count, 1)
        XCTAssertEqual(model.who(of: model.claims[0]), "unknown (pid 0)")
    }

    func testWhatIsNoTraceIsRefused() {
        for text in ["", "hello\n", "{\"trace\":\"filecoord\",\"version\":2}\n", "{}\n"] {
            XCTAssertThrowsError(try TraceFile(Array(text.utf8), name: "t")) { error in
                XCTAssertTrue(error is UnreadableTrace, "\(error)")
            }
        }
    }
}
