// SPDX-License-Identifier: Apache-2.0
//
// JSON values as bytes, which come from files and from other processes.

import FileCoordinationWire
import Testing

@Suite struct JSONValueTests {
    private func read(_ text: String) -> JSONValue? { JSONValue(reading: Array(text.utf8)) }

    @Test func `Bytes and texts of any kind come back`() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(
            read(String(decoding: JSONValue.bytes(bytes).written, as: UTF8.self))?.bytes == bytes)
        for text in ["", "\u{0}", "\\u0041", "\u{1F642}", "\r\n\t", "ä", "\u{7f}\u{1}"] {
            #expect(JSONValue(reading: JSONValue.text(text).written) == .text(text))
        }
        #expect(read(#""\ud83d\ude42\/""#) == .text("🙂/"))
    }

    @Test(arguments: [
        "", " ", "{", "[1,", "[1 2]", "{\"a\"}", "{\"a\":}", "\"", "\"\\u12\"", "\"\\ud83d\"",
        "nul", "{} {}", "\"\\", "\"\\x\"", "\"\n\"", "\"\u{1}\"",
        String(repeating: "[", count: 100_000),
    ])
    func `What is no value is none`(text: String) { #expect(read(text) == nil) }

    @Test func `Text that is not UTF-8 is none`() {
        #expect(JSONValue(reading: [0x22, 0xFF, 0x22]) == nil)
    }
}
