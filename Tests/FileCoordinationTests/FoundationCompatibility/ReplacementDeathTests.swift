// SPDX-License-Identifier: Apache-2.0
//
// A process may die, or another one may look, at any step of a replacement. Both contents have a
// name until the old one may be removed, and there is an item at the path at every instant.

import FileCoordination
import FileCoordinationSystem
import Foundation
import Synchronization
import TestHome
import XCTest

final class ReplacementDeathTests: XCTestCase {
    private struct Case {
        let kinds: (old: ReplacementStage.Kind, new: ReplacementStage.Kind)
        let backupName: String?
        let keepsBackup: Bool
        let place: String
        let missing: Set<ItemReplacement.Ability>
    }

    private static let poor: [Set<ItemReplacement.Ability>] = [
        [], [.exchangeNames], [.exchangeNames, .refuseTakenNames],
    ]

    private var cases: [Case] {
        let places =
            [NSTemporaryDirectory()]
            + (ReplacementStage.hasOtherFileSystem ? [ReplacementStage.otherFileSystem] : [])
        return places.flatMap { place in
            [(nil, false), ("backup", false), ("backup", true)].flatMap { name, keeps in
                [(.file, .file), (.directory, .directory), (.file, .directory)].flatMap { kinds in
                    Self.poor.map {
                        Case(
                            kinds: kinds, backupName: name, keepsBackup: keeps, place: place,
                            missing: $0)
                    }
                }
            }
        }
    }

    func testWithoutAnExchangeABackupThatCannotBeMadeLeavesAllAsItWas() throws {
        for kind in ReplacementStage.Kind.allCases {
            for missing in Self.poor {
                let stage = try ReplacementStage(kind, by: kind)
                let name = String(repeating: "a", count: 256)
                var replacement = try stage.replacement(backupName: name, keepsBackup: true)
                replacement.missing = missing
                XCTAssertThrowsError(try replacement.run())
                XCTAssertNil(replacement.strayOriginal)
                XCTAssertEqual(stage.everything, ["item": "old", "draft": "new"])
            }
        }
    }

    func testWithoutAnExchangeABackupTakesTheNameOfAnEarlierOne() throws {
        for kind in ReplacementStage.Kind.allCases {
            for former in ReplacementStage.Kind.allCases {
                let stage = try ReplacementStage(kind, by: kind)
                try stage.make(former, stage.backup, "older")
                var replacement = try stage.replacement(backupName: "backup", keepsBackup: true)
                replacement.missing = [.exchangeNames]
                try replacement.run()
                XCTAssertEqual(stage.everything, ["item": "new", "backup": "old"])
            }
        }
    }

    func testADeathAfterAnyStepLosesNeitherContent() throws {
        for each in cases {
            for count in 0...ItemReplacement.Step.allCases.count {
                let stage = try ReplacementStage(
                    each.kinds.old, by: each.kinds.new, on: each.place)
                try stage.make(.file, stage.backup, "older")
                var replacement = try stage.replacement(
                    backupName: each.backupName, keepsBackup: each.keepsBackup)
                replacement.missing = each.missing
                for step in ItemReplacement.Step.allCases.prefix(count) {
                    try replacement.perform(step)
                }
                let all = stage.everything
                let now = all["item"]
                XCTAssertTrue(["old", "new"].contains(now), "\(each), \(count) steps: \(all)")
                XCTAssertTrue(all.values.contains("new"), "\(each), \(count) steps: \(all)")
                if each.keepsBackup || now == "old" {
                    XCTAssertTrue(all.values.contains("old"), "\(each), \(count) steps: \(all)")
                }
                if each.backupName == nil { XCTAssertEqual(all["backup"], "older") }
                XCTAssertFalse(all.values.contains("?"), "\(each), \(count) steps: \(all)")
            }
        }
    }

    func testReadersFindTheItemWholeAtEveryInstant() throws {
        for kind in ReplacementStage.Kind.allCases {
            let stage = try ReplacementStage(kind, by: nil)
            let reader = ReplacementReader(stage.original)
            let end = expectation(description: "the reader has ended")
            Thread.detachNewThread {
                reader.look()
                end.fulfill()
            }
            for number in 0..<100 {
                try stage.make(kind, stage.new, "\(number)")
                try FileManager.default.replaceItemAt(
                    stage.original, withItemAt: stage.new, backupItemName: "backup",
                    options: .withoutDeletingBackupItem)
            }
            reader.isOver.store(true, ordering: .releasing)
            wait(for: [end], timeout: test_patience(30))
            XCTAssertEqual(reader.faults.load(ordering: .relaxed), 0)
            XCTAssertGreaterThan(reader.looks.load(ordering: .relaxed), 0)
            XCTAssertEqual(stage.everything, ["item": "99", "backup": "98"])
        }
    }
}

/// Looks at an item all the time.
private final class ReplacementReader: Sendable {
    private let path: String
    let isOver = Atomic(false)
    let faults = Atomic(0)
    let looks = Atomic(0)

    init(_ url: URL) { path = url.path }

    func look() {
        repeat {
            if access(path, F_OK) != 0 { faults.add(1, ordering: .relaxed) }
            looks.add(1, ordering: .relaxed)
        } while !isOver.load(ordering: .acquiring)
    }
}
