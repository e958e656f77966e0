// SPDX-License-Identifier: Apache-2.0
//
// When the time stamp of a file proves that the file was not changed after it was read.

import Testing

@testable import FileCoordinationClient

struct ItemStampTests {
    @Test("A time stamp is old, unless it is recent or its age is no number")
    func ages() {
        let now: Int64 = 1_800_000_000_000_000_000
        #expect(ItemStamp.isOld(now - ItemStamp.tick, at: now))
        #expect(ItemStamp.isOld(0, at: now))
        #expect(!ItemStamp.isOld(now - ItemStamp.tick + 1, at: now))
        #expect(!ItemStamp.isOld(.max, at: now))
        // Before 1677; not every file system can store that.
        #expect(!ItemStamp.isOld(.min, at: now))
    }
}
