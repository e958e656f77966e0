// SPDX-License-Identifier: Apache-2.0
//
// Everything that the fuzzer has found worth keeping is read again by the same functions: what once
// made a target fail (Fuzzing/Faults, with a name that says how), and one input for every way
// through the source (Fuzzing/Corpus). A trap ends the tests, and the last line names the input.

import FileCoordinationFuzzing
import FileCoordinationTextFuzzing
import Foundation
import XCTest

final class CorpusTests: XCTestCase {
    private static let targets = FuzzTarget.ofTheServer + FuzzTarget.ofText

    private static var root: URL {
        // Resolved: these tests may be built through a link to them.
        URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent()
    }

    /// The files kept for a target, by name.
    private func inputs(_ kind: String, of target: FuzzTarget) throws -> [(name: String, [UInt8])] {
        let directory = Self.root.appending(path: "\(kind)/\(target.name)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return try names.sorted().map { name in
            (name, [UInt8](try Data(contentsOf: directory.appending(path: name))))
        }
    }

    private func replay(_ name: String, minimum: Int = 1) throws {
        let target = try XCTUnwrap(Self.targets.first { $0.name == name })
        let faults = try inputs("Faults", of: target)
        let kept = try inputs("Corpus", of: target)
        XCTAssertGreaterThanOrEqual(kept.count, minimum, "the corpus of \(name) is not there")
        for (file, bytes) in faults + kept {
            XCTAssertNoThrow(try target.run(bytes), "\(name): \(file)")
        }
        for (number, bytes) in target.seeds().enumerated() {
            XCTAssertNoThrow(try target.run(bytes), "\(name): seed \(number)")
        }
    }

    func testWhateverDecodesEncodesToTheSameBytes() throws { try replay("decoder") }

    func testAnyLedgerCanBeLookedAt() throws { try replay("ledger") }

    func testAnyRelocationLogCanBeReadAndGoneOnWith() throws { try replay("relocations") }

    func testAClientGoesOnWhateverIsWrittenIntoItsLedger() throws { try replay("writer") }

    func testTheServerKeepsItsBooksWhateverClientsDo() throws { try replay("server") }

    func testAnyPackageConfigurationCanBeRead() throws { try replay("packages") }

    func testAnyWordsCanBeOnTheCommandLine() throws { try replay("commandline") }

    func testAnyBytesAreSomeErrorOfAPresenter() throws { try replay("errors") }

    func testEveryTargetHasATestHere() throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        for target in Self.targets {
            XCTAssertTrue(source.contains("replay(\"\(target.name)\""), "\(target.name) has none")
        }
    }
}
