// SPDX-License-Identifier: Apache-2.0
//
// Every order of events, with deaths, stops and forks at every step, as far as a debug build gets
// in a few seconds; `explore` has the rest. XCTest, because Swift Testing would run these on the
// two threads that all other tests share.

import LedgerExploration
import XCTest

/// The protocol, exhaustively.
final class ExhaustiveTests: XCTestCase {
    func testShortExplorations() {
        let short = Explorations.all.filter { $0.size == .short }
        XCTAssertGreaterThan(short.count, 5)
        for exploration in short {
            let result = Explorer(exploration.configuration).explore()
            print("\(exploration.configuration.name): \(result.summary)")
            XCTAssertGreaterThan(result.rests, 0)
            XCTAssertNil(result.violation, exploration.configuration.name)
        }
    }

    func testEachExplorationHasANameOfItsOwn() {
        let names = Explorations.all.map(\.configuration.name)
        XCTAssertEqual(Set(names).count, names.count)
    }
}
