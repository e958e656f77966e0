// SPDX-License-Identifier: Apache-2.0
//
// The presenters of `filecoord session`: what they are asked, and what they hear.

import XCTest

final class SessionPresenterTests: XCTestCase {
    private func present(
        _ session: SessionClient, _ path: String, answers: String = ""
    ) throws -> SessionAnswer {
        session.send(
            #"{"id":"p","do":"present","path":"\#(path)","answers":[\#(answers)],"label":"editor"}"#
        )
        return try session.answer(#"{"id":"p","presenter":"p1","state":"registered"}"#)
    }

    func testAQuestionIsWaitedForAndThePresenterSavesMeanwhile() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "old")
            let session = try SessionClient(sandbox)
            let purpose = try present(session, "a", answers: "\"savePresentedItemChanges\"")[
                "purpose"]
            let reader = try sandbox.start(["read", "a"])
            let question = try session.answer(
                #"{"presenter":"p1","message":"savePresentedItemChanges"}"#)
            // On behalf of the presenter, while the reader waits.
            session.send(
                """
                {"id":1,"do":"claim","purpose":"\(try XCTUnwrap(purpose as? String))",\
                "items":[{"path":"a","access":"writing"}]}
                """)
            let claim = try session.answer(#"{"id":1,"state":"granted"}"#)
            try sandbox.makeFile("a", "saved")
            let name = try XCTUnwrap(claim["claim"] as? String)
            session.send(#"{"id":2,"do":"end","claim":"\#(name)"}"#)
            try session.answer(#"{"id":2,"state":"ended"}"#)
            let number = try XCTUnwrap(question["question"] as? Int)
            session.send(#"{"id":3,"do":"answer","question":\#(number)}"#)
            try session.answer(#"{"id":3,"state":"done"}"#)
            let outcome = try reader.outcome()
            XCTAssertEqual(outcome.output, "saved", outcome.errors)
            session.send(#"{"id":4,"do":"answer","question":\#(number)}"#)
            try session.answer(#"{"id":4,"error":{"code":"badRequest"}}"#)
        }
    }

    func testAnErrorRefusesAndIsShownToTheOtherProgram() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let session = try SessionClient(sandbox)
            _ = try present(session, "a", answers: "\"accommodatePresentedItemDeletion\"")
            let remover = try sandbox.start(["rm", "a"])
            let question = try session.answer(#"{"message":"accommodatePresentedItemDeletion"}"#)
            let number = try XCTUnwrap(question["question"] as? Int)
            session.send(#"{"do":"answer","question":\#(number),"error":"it is open here"}"#)
            let outcome = try remover.outcome()
            XCTAssertEqual(outcome.status, 70)
            XCTAssertTrue(outcome.errors.contains("it is open here"), outcome.errors)
        }
    }

    func testWhatThePresenterDoesNotAnswerIsNotAskedAndChangesAreTold() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let session = try SessionClient(sandbox)
            _ = try present(session, "a")
            XCTAssertEqual(try sandbox.run("write", "a", input: "new").status, 0)
            try session.answer(
                #"{"presenter":"p1","message":"presentedItemDidChange","exists":true}"#)
            XCTAssertEqual(try sandbox.run("mv", "a", "b").status, 0)
            try session.answer(#"{"message":"presentedItemDidMove(to:)","url":"…/b"}"#)
            XCTAssertFalse(session.answers.contains { $0["question"] != nil })
            session.send(#"{"id":9,"do":"remove","presenter":"p1"}"#)
            try session.answer(#"{"id":9,"state":"done"}"#)
            XCTAssertEqual(try sandbox.status().presenters.count, 0)
        }
    }

    func testAPresenterThatCannotBeRegisteredLeavesNothing() throws {
        try with { sandbox in
            let session = try SessionClient(sandbox)
            symlink("loop", sandbox.path("loop"))
            let threads = "/proc/\(session.command.processID)/task"
            func fail(_ id: Int) throws {
                session.send(#"{"id":\#(id),"do":"present","path":"loop/x"}"#)
                try session.answer(#"{"id":\#(id),"error":{"code":"badPath"}}"#)
            }
            try fail(0)
            let before = try FileManager.default.contentsOfDirectory(atPath: threads).count
            for id in 1...30 { try fail(id) }
            let after = try FileManager.default.contentsOfDirectory(atPath: threads).count
            XCTAssertLessThan(after, before + 20)
        }
    }

    func testAPresenterThatIsRemovedKeepsNobodyWaiting() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "old")
            let session = try SessionClient(sandbox)
            _ = try present(session, "a", answers: "\"relinquishPresentedItem(toWriter:)\"")
            let writer = try sandbox.start(["write", "a", "--", "true"])
            let question = try session.answer(#"{"message":"relinquishPresentedItem(toWriter:)"}"#)
            session.send(#"{"id":9,"do":"remove","presenter":"p1"}"#)
            try session.answer(#"{"id":9,"state":"done"}"#)
            XCTAssertEqual(try writer.outcome().status, 0)
            let number = try XCTUnwrap(question["question"] as? Int)
            session.send(#"{"id":10,"do":"answer","question":\#(number)}"#)
            try session.answer(#"{"id":10,"error":{"code":"badRequest"}}"#)
            XCTAssertEqual(try session.close().status, 0)
        }
    }
}
