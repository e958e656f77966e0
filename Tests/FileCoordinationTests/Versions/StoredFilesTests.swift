// SPDX-License-Identifier: Apache-2.0
//
// The small files of the store: what programs with Foundation's coder wrote must be read, and they
// must be able to read what is written now.

import FileCoordinationVersions
import FileCoordinationWire
import Foundation
import Testing

@Suite struct StoredFilesTests {
    /// A record as it was declared when Foundation wrote it.
    private struct OldRecord: Codable, Equatable {
        var form = 1
        var origin = "conflict"
        var name = "two \"words\"/\u{1}\n\u{8}ü🙂"
        var added = Int64.max
        var modified = Int64.min
        var computer: String?
        var originator: PersonNameComponents?
    }

    private func read(_ text: String) -> JSONValue? { JSONValue(reading: Array(text.utf8)) }

    @Test func `A record of Foundation's coder is read, and the other way round`() throws {
        var old = OldRecord()
        old.computer = "laptop"
        old.originator = PersonNameComponents(givenName: "Anna", familyName: "Berg")
        let written = try JSONEncoder().encode(old)
        let value = try #require(JSONValue(reading: Array(written)))
        let record = try #require(VersionRecord(value))
        #expect(record.name == old.name)
        #expect(record.origin == .conflict)
        #expect(record.added == .max)
        #expect(record.modified == .min)
        #expect(record.originator?.familyName == "Berg")
        let again = try JSONDecoder().decode(
            OldRecord.self, from: Data(record.stored.written))
        #expect(again == old)
    }

    @Test func `Numbers of 64 bits stay what they are`() throws {
        let identity = ItemIdentity(device: .max, inode: .max - 1, born: .min, handle: 1 << 63)
        let written = identity.stored.written
        #expect(JSONValue(reading: written).flatMap { ItemIdentity($0) } == identity)
        #expect(read("18446744073709551616")?.integer(UInt64.self) == nil)
        #expect(read("-1")?.integer(UInt64.self) == nil)
        #expect(read("256")?.integer(UInt8.self) == nil)
    }
}
