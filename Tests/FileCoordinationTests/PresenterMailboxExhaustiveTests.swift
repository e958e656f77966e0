// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationClient
import Testing

@Suite struct PresenterMailboxExhaustiveTests {
    @Test func `Whatever arbiter and presenter do, in any order, the promises hold`() throws {
        var frontier = [PresenterMailboxWorld()]
        var seen = Set(frontier)
        while let world = frontier.popLast() {
            var settled = world
            try settled.settle()
            for move in world.moves {
                var next = world
                do {
                    try next.make(move)
                } catch {
                    Issue.record("\(error) after \(move) in \(world)")
                    return
                }
                if seen.insert(next).inserted { frontier.append(next) }
            }
        }
        // Guards against a world that stops at once, and so seems to be explored.
        #expect(seen.count > 10_000)
    }
}
