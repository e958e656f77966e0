// SPDX-License-Identifier: Apache-2.0
//
// Tokens: what they see, what their text is, and when one is waited for (Rule 18.16).

import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@testable import FileCoordinationClient

struct ItemTokenTests {
    /// A directory that goes with the test.
    private final class Scratch {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent(
                "token-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> [UInt8] {
            Array(url.appendingPathComponent(name, isDirectory: false).path.utf8)
        }

        func shell(_ script: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-ec", script]
            process.currentDirectoryURL = url
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(script)")
        }
    }

    @Test("Rule 18.16: each change of contents, attributes or names makes a token stale")
    func changes() throws {
        let scratch = try Scratch()
        let changes: [(String, ItemDifference)] = [
            ("printf next >f", .contents),
            // The same size, in place, with the time set back.
            ("touch -r f t; printf news >f; touch -r t f", .attributes),
            ("sed -i s/text/next/ f", .replaced),
            ("cp -p f g; mv g f", .replaced),
            ("chmod 600 f", .attributes),
            ("ln f g", .attributes),
            ("truncate -s 2 f", .contents),
            ("mv f g; mv g f", .attributes),
            ("rm f", .gone),
            ("rm f; mkdir f", .replaced),
            ("rm f; ln -s nowhere f", .replaced),
        ]
        for (script, difference) in changes {
            try scratch.shell("rm -rf f g t; printf text >f")
            let token = try ItemToken.take(at: scratch.path("f"))
            #expect(try token.difference(fromItemAt: scratch.path("f")) == nil)
            try scratch.shell(script)
            #expect(
                try token.difference(fromItemAt: scratch.path("f")) == difference, "\(script)")
        }
    }

    @Test("Rule 18.16: a link that is made and removed makes a token stale, too")
    func linkMadeAndRemoved() throws {
        let scratch = try Scratch()
        try scratch.shell("printf text >f")
        let token = try ItemToken.take(at: scratch.path("f"))
        try scratch.shell("ln f g; rm g")
        // A false refusal, which costs a reading: the change time proves nothing else.
        #expect(try token.difference(fromItemAt: scratch.path("f")) == .attributes)
    }

    @Test("Rule 18.16: that there is nothing is a state, too")
    func absence() throws {
        let scratch = try Scratch()
        let token = try ItemToken.take(at: scratch.path("f"))
        #expect(token == .absent)
        #expect(try token.difference(fromItemAt: scratch.path("f")) == nil)
        // Nothing is below a file, and below nothing.
        #expect(try ItemToken.take(at: scratch.path("no/f")) == .absent)
        try scratch.shell("printf text >f")
        #expect(try ItemToken.take(at: scratch.path("f/g")) == .absent)
        #expect(try token.difference(fromItemAt: scratch.path("f")) == .appeared)
    }

    @Test("Rule 18.16: with a digest, equal contents count as unchanged, and others do not")
    func digests() throws {
        let scratch = try Scratch()
        try scratch.shell("printf text >f; mkdir d; touch d/a; ln -s f l")
        for name in ["f", "d", "l"] {
            let path = scratch.path(name)
            let token = try ItemToken.take(at: path, withDigest: true)
            #expect(try token.difference(fromItemAt: path) == nil)
            try scratch.shell("cp -aT \(name) copy; rm -r \(name); mv copy \(name)")
            #expect(try token.difference(fromItemAt: path) == nil, "\(name)")
            try scratch.shell(
                name == "d" ? "touch d/b" : name == "l" ? "ln -sfn d l" : "printf news >f")
            #expect(try token.difference(fromItemAt: path) != nil, "\(name)")
        }
    }

    /// A store through a mapping moves no stamp on tmpfs.
    @Test("Rule 18.16: a digest sees stores into a mapped file")
    func mappedStore() throws {
        let scratch = try Scratch()
        let path = scratch.path("f")
        try scratch.shell("printf 'a page of text' >f")
        let file = open(String(decoding: path, as: UTF8.self), O_RDWR)
        defer { close(file) }
        let memory = try #require(
            mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
        defer { munmap(memory, 4096) }
        memory.storeBytes(of: UInt8(ascii: "b"), as: UInt8.self)
        let token = try ItemToken.take(at: path, withDigest: true)
        memory.storeBytes(of: UInt8(ascii: "c"), as: UInt8.self)
        #expect(try token.difference(fromItemAt: path) != nil)
    }

    @Test("Rule 18.16: an item that cannot be looked at is an error, and not absent")
    func notPermitted() throws {
        let scratch = try Scratch()
        // A loop of links cannot be entered by anybody.
        try scratch.shell("ln -s loop loop")
        #expect(throws: SystemError.self) { try ItemToken.take(at: scratch.path("loop/f")) }
    }

    @Test("Rule 18.16: of a read whose item is changed at once, the token is stale, not newer")
    func sightOfAChangingItem() throws {
        let scratch = try Scratch()
        let path = scratch.path("f")
        for script in ["printf next >f", "rm f", "sed -i s/text/next/ f"] {
            try scratch.shell("rm -f f; printf text >f")
            let sight = try #require(ItemToken.Sight(at: path))
            try scratch.shell(script)
            let token = try ItemToken.make(of: sight, at: path, withDigest: false)
            #expect(try token.difference(fromItemAt: path) != nil, "\(script)")
        }
        try scratch.shell("rm -f f")
        let sight = try #require(ItemToken.Sight(at: path))
        try scratch.shell("printf text >f")
        #expect(try ItemToken.make(of: sight, at: path, withDigest: false) == .absent)
    }

    @Test("Rule 18.16: a token's text is read back, and no other text is")
    func texts() throws {
        let scratch = try Scratch()
        try scratch.shell("printf text >f")
        let tokens = [
            ItemToken.absent, .unproven, try .take(at: scratch.path("f")),
            try .take(at: scratch.path("f"), withDigest: true),
        ]
        let letters = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
        for token in tokens {
            #expect(token.text.utf8.count <= 200)
            #expect(token.text.unicodeScalars.allSatisfy { letters.contains($0) })
            #expect(try ItemToken(text: token.text) == token)
        }
        #expect(try ItemToken(text: "absent") == .absent)
        let whole = tokens[2].text
        let wrong = [
            "", ".", "1", "1.", "1.0", whole + ".", whole + ".00", "1." + whole, whole + " ",
            whole.uppercased() + "\n", "1.absent.", "any", "x.absent", "1.1.2.3.4.5.x",
            "1.01.2.3.4.5.6",
        ]
        for text in wrong {
            #expect(throws: ItemToken.TextError.malformed, "\(text)") { try ItemToken(text: text) }
        }
        for text in ["2.absent", "2." + whole, "10.x"] {
            #expect(throws: ItemToken.TextError.unknownVersion, "\(text)") {
                try ItemToken(text: text)
            }
        }
    }

    @Test("SHA-256 has the digests of the standard's examples, whatever the parts")
    func sha256() {
        func digest(_ parts: [[UInt8]]) -> String {
            var hash = SHA256()
            for part in parts { hash.add(part[...]) }
            let words = hash.digest()
            return (0..<8).map {
                let text = String(words[$0], radix: 16)
                return String(repeating: "0", count: 8 - text.count) + text
            }.joined()
        }
        #expect(
            digest([])
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            digest([Array("abc".utf8)])
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(digest([million]) == expected)
        for size in [1, 55, 56, 63, 64, 65, 127, 1000] {
            var parts: [[UInt8]] = []
            var rest = million[...]
            while !rest.isEmpty {
                parts.append(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
                // The rest in one part, so that small sizes end.
                if parts.count == 300 { break }
            }
            #expect(digest(parts + [Array(rest)]) == expected, "\(size)")
        }
    }
}
