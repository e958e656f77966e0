// SPDX-License-Identifier: Apache-2.0
//
// `filecoord rm`.

import XCTest

final class RemoveTests: XCTestCase {
    func testFilesAndLinksAreRemoved() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("link"), withDestinationPath: "b")
            XCTAssertEqual(try sandbox.run("rm", "a", "link").status, 0)
            XCTAssertEqual(try sandbox.names(), ["b"])
        }
    }

    /// A slash at the end stands for a directory.
    func testASlashAtTheEndIsForDirectoriesOnly() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeDirectory("d")
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("link"), withDestinationPath: "d")
            for arguments in [["a/"], ["-r", "a/"], ["link/"], ["-r", "link/"], ["d", "a//"]] {
                let outcome = try sandbox.run(["rm"] + arguments)
                XCTAssertEqual(outcome.status, 66, "\(arguments): \(outcome.errors)")
                XCTAssertEqual(try sandbox.names(), ["a", "d", "link"], "\(arguments)")
            }
            XCTAssertTrue(
                try sandbox.run("rm", "a/").errors.contains("Not a directory"))
            // With -f, what does not exist is no error, and there is no directory of that name.
            for arguments in [["-f", "a/"], ["-rf", "link/"]] {
                let outcome = try sandbox.run(["rm"] + arguments)
                XCTAssertEqual(outcome.status, 0, "\(arguments): \(outcome.errors)")
                XCTAssertEqual(try sandbox.names(), ["a", "d", "link"], "\(arguments)")
            }
            XCTAssertEqual(try sandbox.run("rm", "-r", "d/").status, 0)
            XCTAssertEqual(try sandbox.names(), ["a", "link"])
        }
    }

    func testADirectoryNeedsTheOption() throws {
        try with { sandbox in
            let directory = sandbox.path("d")
            try FileManager.default.createDirectory(
                atPath: directory + "/e", withIntermediateDirectories: true)
            try sandbox.makeFile("d/e/f", "")
            try sandbox.makeFile("a", "")
            let refused = try sandbox.run("rm", "a", "d")
            XCTAssertEqual(refused.status, 66)
            XCTAssertTrue(refused.errors.contains("-r"), refused.errors)
            XCTAssertEqual(try sandbox.names(), ["a", "d"])
            XCTAssertEqual(try sandbox.run("rm", "-r", "a", "d").status, 0)
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testNothingIsRemovedIfOnePathIsMissing() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            XCTAssertEqual(try sandbox.run("rm", "a", "missing").status, 66)
            XCTAssertEqual(try sandbox.names(), ["a"])
        }
    }

    func testPresentersAreAskedAndMayRefuse() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let presenter = try sandbox.startPresenting(
                "a", "--fail", "accommodatePresentedItemDeletion")
            XCTAssertEqual(try sandbox.run("rm", "a").status, 70)
            XCTAssertEqual(try sandbox.names(), ["a"])
            presenter.closeInput()
            XCTAssertEqual(try presenter.exitStatus(), 0)
            XCTAssertEqual(try sandbox.run("rm", "a").status, 0)
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testARemovalWaitsForWhatIsInside() throws {
        try with { sandbox in
            try FileManager.default.createDirectory(
                atPath: sandbox.path("d"), withIntermediateDirectories: false)
            try sandbox.makeFile("d/f", "")
            let reader = try sandbox.startHolding("read", "d/f")
            let removal = try sandbox.start("rm", "-r", "d")
            try sandbox.awaitWaiters(1)
            XCTAssertEqual(try sandbox.names(), ["d"])
            reader.closeInput()
            XCTAssertEqual(try removal.exitStatus(), 0)
            XCTAssertEqual(try sandbox.names(), [])
        }
    }
}
