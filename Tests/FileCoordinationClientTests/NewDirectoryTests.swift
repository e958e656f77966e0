// SPDX-License-Identifier: Apache-2.0
//
// Resolving a path from cached directories gives the same as resolving it from the root.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct NewDirectoryTests {
    private let root: String
    private let cache: PlaceCache

    init() throws {
        var template = Array((String(cString: test_home_root()) + "/places-XXXXXX").utf8CString)
        root = try #require(mkdtemp(&template).map { String(cString: $0) })
        cache = try PlaceCache()
        for name in ["known", "known/first"] { try #require(mkdir("\(root)/\(name)", 0o700) == 0) }
        // So the directory above is known.
        _ = try resolve("known/first/f")
        _ = try resolve("known/first/f")
    }

    private func resolve(_ name: String) throws -> ResolvedPlace {
        let path = "\(root)/\(name)"
        if let known = cache.known(path) { return known.place }
        return try cache.resolve(Array(path.utf8), spelling: path) { .builtIn }
    }

    private func looked(_ name: String) throws -> ResolvedPlace {
        try PlaceResolver.resolve(pathBytes: Array("\(root)/\(name)".utf8), policy: .builtIn)
    }

    private func isRemembered(_ name: String) -> Bool { cache.known("\(root)/\(name)") != nil }

    @Test func `Of the first item in a new directory nothing is remembered, of the next one it is`()
        throws
    {
        #expect(isRemembered("known/first/f"))
        try #require(mkdir("\(root)/known/new", 0o700) == 0)
        #expect(try resolve("known/new/f") == looked("known/new/f"))
        #expect(!isRemembered("known/new/f"))
        #expect(try resolve("known/new/f") == looked("known/new/f"))
        #expect(isRemembered("known/new/f"))
    }

    @Test func `Rule 1.12: a new directory that is a package is found to be one`() throws {
        try #require(mkdir("\(root)/known/new.rtfd", 0o700) == 0)
        let place = try resolve("known/new.rtfd/f")
        #expect(try place == looked("known/new.rtfd/f"))
        #expect(place.packageDepths == [place.path.depth - 1])
    }

    @Test func `Rule 1.3: a new link to a directory is followed`() throws {
        try #require(symlink("\(root)/known/first", "\(root)/known/link") == 0)
        let place = try resolve("known/link/f")
        #expect(try place == looked("known/link/f"))
        #expect(try place.path == resolve("known/first/f").path)
    }

    @Test func `Rule 1.1: an item in a directory that is not there has a place, too`() throws {
        #expect(try resolve("known/absent/f") == looked("known/absent/f"))
    }

    @Test func `Rule 1.15: so it is for a name that is no text`() throws {
        try #require(rename("\(root)/known/first", "\(root)/known/second") == 0)
        try #require(symlink("second", "\(root)/known/first") == 0)
        let bytes = Array("\(root)/known/first/".utf8) + [0xFF]
        let place = try cache.resolve(bytes, spelling: nil) { .builtIn }
        #expect(try place == PlaceResolver.resolve(pathBytes: bytes, policy: .builtIn))
        #expect(place.path.bytes == Array("\(root)/known/second/".utf8) + [0xFF])
    }

    @Test func `Rule 1.15: a known directory that was moved and replaced by a link is looked at`()
        throws
    {
        try #require(rename("\(root)/known", "\(root)/moved") == 0)
        try #require(mkdir("\(root)/other", 0o700) == 0)
        try #require(mkdir("\(root)/other/new", 0o700) == 0)
        try #require(symlink("other", "\(root)/known") == 0)
        let place = try resolve("known/new/f")
        #expect(try place == looked("known/new/f"))
        #expect(place.path == ItemPath("\(root)/other/new/f"))
    }
}
