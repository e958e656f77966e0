// SPDX-License-Identifier: Apache-2.0
//
// What an accessor that may move an item needs before it runs (Rule 11.1).

import FileCoordinationArbiter
import FileCoordinationSystem
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct AccessedItemTests {
    private func item(_ path: String, _ options: WritingOptions) throws -> AccessedItem {
        let place = try #require(ItemPath(bytes: Array(path.utf8)))
        return AccessedItem(
            RequestedItem(ItemName(path: place.bytes), access: .writing(options)),
            at: ResolvedPlace(path: place, isDirectory: false, packageDepths: []))
    }

    /// An item gets its anchor before the accessor runs.
    ///
    /// A missing item has none, without an error.
    @Test func `An item that may be moved is held on to`() throws {
        let root = unsafe String(cString: test_home_root())
        var moving = try item(root, .moving)
        try moving.holdOn()
        #expect(moving.anchor != nil)
        var missing = try item(root + "/missing", .moving)
        try missing.holdOn()
        #expect(missing.anchor == nil)
        var other = try item(root, [])
        try other.holdOn()
        #expect(other.anchor == nil)
    }

    /// The accessor must not run: its move would be lost.
    @Test func `Without a descriptor, an item that may be moved fails the access`() throws {
        let item = try item(unsafe String(cString: test_home_root()), .moving)
        let outcome = Monitor<(taken: Int32, code: Int32?)?>(nil)
        try DetachedThread.start(name: "no descriptors") {
            let taken = test_use_up_descriptors()
            var item = item
            let code: Int32?
            do throws(SystemError) {
                try item.holdOn()
                code = nil
            } catch { code = error.code }
            outcome.withLock { $0 = (taken, code) }
            outcome.notifyAll()
        }
        let limit = MonotonicClock.after(.seconds(test_patience(20)))
        let (taken, code) = try #require(outcome.wait(until: limit) { $0 })
        #expect(taken == 0)
        #expect(code == ErrorNumber.tooManyOpenFiles)
    }
}
