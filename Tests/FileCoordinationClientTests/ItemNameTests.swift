// SPDX-License-Identifier: Apache-2.0
//
// Names of items as a face without URLs gives them.

import FileCoordinationClient
import Testing

@Suite struct ItemNameTests {
    @Test func `Rule 1.2: bytes that are no text name an item, and are not remembered`() throws {
        let bytes: [UInt8] = [0x2F, 0x61, 0xFF]
        let name = ItemName(path: bytes)
        let path = try name.path.get()
        #expect(path == bytes)
        #expect(name.spelling == nil)
    }

    @Test func `A path of text is remembered by it`() {
        #expect(ItemName(path: Array("/a/b".utf8)).spelling == "/a/b")
    }

    @Test func `Rule 1.2: names that differ in the composition of letters are not one key`() {
        let composed = ItemName(path: Array("/a/\u{E9}".utf8))
        let decomposed = ItemName(path: Array("/a/e\u{301}".utf8))
        #expect(composed.spelling == nil || composed.spelling != decomposed.spelling)
    }

    @Test(arguments: ["", "a/b", "/a\0b"])
    func `Rule 1.10: what is no absolute path names nothing`(_ path: String) {
        #expect(throws: PlaceError.invalidName) { try ItemName(path: Array(path.utf8)).path.get() }
    }

    @Test func `A slash at the end names a directory`() {
        #expect(ItemName(path: Array("/a/".utf8)).namesDirectory)
        #expect(!ItemName(path: Array("/a".utf8)).namesDirectory)
    }

    @Test(arguments: [
        ("/a%20b", "/a b"), ("/%C3%A4", "/ä"), ("/a", "/a"), ("/a%252Fb", "/a%2Fb"),
    ])
    func `Percent encoding is undone byte for byte`(_ text: String, _ path: String) throws {
        let bytes = try PlaceResolver.pathBytes(percentEncoded: text)
        #expect(bytes == Array(path.utf8))
    }

    @Test(arguments: ["/a%2Fb", "/a%2fb"])
    func `An encoded slash separates no components, as in Foundation`(_ text: String) throws {
        let bytes = try PlaceResolver.pathBytes(percentEncoded: text)
        #expect(bytes == Array(text.utf8))
    }

    @Test(arguments: ["", "a", "/%", "/%0", "/%zz", "/%00"])
    func `What cannot be undone is an error`(_ text: String) {
        #expect(throws: PlaceError.invalidName) {
            try PlaceResolver.pathBytes(percentEncoded: text)
        }
    }
}
