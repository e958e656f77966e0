// SPDX-License-Identifier: Apache-2.0
//
// When the time stamp of a file proves that the file was not changed after it was read (Rule 7.8).

import Foundation
import Glibc
import Testing

@testable import FileCoordinationSystem

struct StampTickTests {
    private static let now: Int64 = 1_800_000_000_500_000_000
    private static let ext4: UInt32 = 0xEF53
    private static let fat: UInt32 = 0x4D44

    @Test("Rule 7.8: the tick is that of the kernel, unless the kind or the stamp is coarser")
    func table() {
        let tick = StampTick.tick(of:kind:isKernelFine:)
        #expect(tick(Self.now, Self.ext4, true) == .none)
        #expect(tick(Self.now, Self.ext4, false) == .clock)
        #expect(tick(Self.now, 0x794C_7630, true) == .clock)
        #expect(tick(Self.now, Self.fat, true) == .coarse)
        #expect(tick(Self.now, 0x6969, true) == .coarse)
        #expect(tick(Self.now, nil, true) == .coarse)
        #expect(tick(1_800_000_000_000_000_000, Self.ext4, true) == .coarse)
    }

    @Test("A time stamp is old, unless it is recent or its age is no number")
    func ages() throws {
        let scratch = try Scratch()
        _ = try scratch.file("f")
        let path = Array((scratch.path + "/f").utf8)
        func isOld(_ stamp: Int64, at path: [UInt8]) -> Bool {
            StampTick.isOld(stamp, at: Self.now, ofItemAt: path)
        }
        #expect(isOld(0, at: path))
        #expect(isOld(Self.now - 2_000_000_000, at: path))
        let tick = try OpenItem(path: path).tick(of: Self.now - 1).rawValue
        #expect(isOld(Self.now - tick, at: path))
        #expect(!isOld(Self.now - tick + 1, at: path))
        #expect(!isOld(.max, at: path))
        // Before 1677; not every file system can store that.
        #expect(!isOld(.min, at: path))
        // A whole second proves nothing for two seconds, nor does an item that cannot be examined.
        #expect(!isOld(Self.now - 500_000_000, at: path))
        #expect(!isOld(Self.now - 1, at: path + [0]))
        #expect(!isOld(Self.now - 1, at: path + Array("/g".utf8)))
    }
}
