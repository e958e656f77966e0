// SPDX-License-Identifier: Apache-2.0
//
// Purposes of any length. A record has a short one as it is, and of a long one the beginning and a
// digest; only equal texts may have equal purposes.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@Suite struct PurposeTests {
    /// A text of `count` bytes that ends with `ending`.
    private func text(_ count: Int, ending: String = "") -> String {
        String(repeating: "p", count: count - ending.utf8.count) + ending
    }

    /// What stands behind the beginning of a purpose of 1,025 times "p".
    private let end = " 1025 73f37dc449b3f96f-25d46132a3a467f6"

    @Test func `A purpose of 1,024 bytes is stored as it is`() {
        #expect(Purpose(identifying: text(1024)) == Purpose(text(1024)))
        #expect(Purpose(identifying: text(1024, ending: "q")) == Purpose(text(1024, ending: "q")))
    }

    /// Programs with other versions of the library must compute the same digest.
    @Test func `A purpose of 1,025 bytes is stored as its beginning and a digest`() {
        let stored = Purpose(identifying: text(1025))
        #expect(stored == Purpose(text(1024, ending: end)))
        #expect(stored.bytes.count == WireLimits.purposeBytes)
    }

    @Test func `Long purposes are equal if all their bytes are, and only then`() {
        let texts = [
            text(1025), text(1025, ending: "q"), text(1026), text(5000), text(5000, ending: "q"),
            text(5000, ending: "qp"), "q" + text(1024), text(600, ending: "q") + text(600),
        ]
        let purposes = texts.map { Purpose(identifying: $0) }
        #expect(Set(purposes).count == texts.count)
        #expect(purposes == texts.map { Purpose(identifying: $0) })
        #expect(purposes.allSatisfy { $0.bytes.count <= WireLimits.purposeBytes })
    }

    @Test func `No part of the stored form is the same purpose`() {
        let long = Purpose(identifying: text(1025))
        let digest = end.split(separator: " ")[1]
        for part in [end, String(digest), text(1024 - end.utf8.count), text(1024)] {
            #expect(Purpose(identifying: part) != long)
        }
    }

    /// A user can copy it to `--purpose`, which takes no longer ones.
    @Test func `The text that reports show of a long purpose identifies it`() {
        let long = Purpose(identifying: text(5000))
        #expect(Purpose(identifying: long.description) == long)
    }

    /// One of the two beginnings would end inside a character of two bytes.
    @Test(arguments: ["", "p"])
    func `No character is cut in two`(beginning: String) {
        let stored = Purpose(identifying: beginning + String(repeating: "é", count: 600))
        // Decoding replaces half a character by another one.
        #expect(Array(stored.description.utf8) == stored.bytes)
    }
}
