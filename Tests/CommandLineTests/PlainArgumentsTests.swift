// SPDX-License-Identifier: Apache-2.0
//
// The fast parser understands a command line exactly as the argument parser does.

import XCTest
import filecoord

final class PlainArgumentsTests: XCTestCase {
    private let plain: [[String]] = [
        ["read", "f"], ["read", "a", "b", "--", "cat", "{}"], ["write", "f", "--", "true"],
        ["write", "f"], ["read", "--timeout", "2.5", "a", "--", "cat", "--help"],
        ["read", "-q", "a", "--nonblock", "b"], ["read", "--quiet", "--purpose", "p", "a"],
        ["write", "-E", "9", "--for-moving", "a", "b", "--", "mv", "{1}", "{2}"],
        ["read", "--without-changes", "--metadata-only", "--no-follow", "a"],
        ["write", "--no-follow", "a", "--", "b"],
        ["read", "--for-uploading", "a"], ["write", "--metadata-only", "a", "--", "touch", "{}"],
        ["write", "--for-deleting", "--timeout", "0", "a", "--", "rm", "--", "a"],
        ["write", "--for-replacing", "a"], ["write", "--for-merging", "a"], ["read", "é=b:c"],
        ["write", "--for-merging", "--for-replacing", "a"],
        ["write", "--for-moving", "--for-merging", "a", "--", "b"], ["read", "--recursive", "a"],
        ["write", "--recursive", "--for-moving", "a", "--", "mv", "a", "b"],
        ["read", "--purpose", "é ", "-E", "0", "a", "--", ""], ["read", "read", "write"],
        ["write", "--label", "nightly", "a", "--", "true"], ["read", "--detached", "a"],
    ]

    private let others: [[String]] = [
        [], ["--help"], ["--version"], ["status"], ["mv", "a", "b"], ["help", "read"],
        ["read"], ["write", "--", "true"], ["read", "a", "--"], ["read", "--help"],
        ["read", "help"], ["read", "a", "-"], ["read", ""], ["read", "-x", "a"],
        ["read", "--timeout=1", "a"], ["read", "--time", "1", "a"], ["read", "-qE", "1", "a"],
        ["read", "--timeout", "-1", "a"], ["read", "--timeout", "soon", "a"],
        ["read", "--timeout", "nan", "a"], ["read", "--timeout", "1e9", "a"],
        ["read", "--timeout", "1", "--nonblock", "a"], ["read", "-q", "--quiet", "a"],
        ["read", "--timeout", "1", "--timeout", "2", "a"], ["read", "-E", "256", "a"],
        ["read", "--purpose", "", "a"], ["read", "--purpose", "--nonblock", "a"],
        ["read", "a", "--timeout"], ["read", "--for-moving", "a"], ["write", "a", "b"],
        ["write", "--for-moving", "a"], ["write", "--for-merging", "--for-deleting", "a"],
        ["read", "--without-changes", "--without-changes", "a"],
        ["read", "--command-after-dashes=x"],
        ["read", "--generate-completion-script", "bash"], ["WRITE", "a"], ["read", "--", "cat"],
    ]

    func testThePlainestCommandLinesAreUnderstoodAsTheParserUnderstandsThem() {
        for words in plain {
            let (isPlain, isAlike) = ArgumentReading.plainness(of: words)
            XCTAssertTrue(isPlain, "\(words)")
            XCTAssertTrue(isAlike, "\(words)")
            XCTAssertNil(ArgumentReading.complaint(about: words))
        }
    }

    func testAllOthersAreLeftToTheParser() {
        for words in others {
            XCTAssertFalse(ArgumentReading.plainness(of: words).isPlain, "\(words)")
        }
    }

    /// Random words: if the fast parser understands them, the argument parser understands the same.
    func testWhateverIsUnderstoodIsUnderstoodAlike() {
        let pieces = Set((plain + others).joined()).sorted()
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var understood = 0
        for _ in 0..<400 {
            let words =
                [next(2) == 0 ? "read" : "write"]
                + (0..<next(6)).map { _ in pieces[next(pieces.count)] }
            let (isPlain, isAlike) = ArgumentReading.plainness(of: words)
            XCTAssertTrue(isAlike, "\(words)")
            if isPlain { understood += 1 }
        }
        XCTAssertGreaterThan(understood, 10)
    }
}
