// SPDX-License-Identifier: Apache-2.0
//
// The cost of access to a file through a mapping.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct SharedMappingTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `A page that is touched brings no others of a hole with it`() throws {
        let pages = 256
        let file = try scratch.file("f", size: UInt64(pages * 4096))
        let mapping = try SharedMapping(
            file: file, length: pages * 4096, writable: true, inheritedByFork: false)
        _ = mapping.word(at: 0).load()
        mapping.word(at: 100 * 4096).store(1)
        var resident = [UInt8](repeating: 0, count: pages)
        try #require(mincore(mapping.base, mapping.length, &resident) == 0)
        #expect(resident.indices.filter { resident[$0] & 1 != 0 } == [0, 100])
    }
}
