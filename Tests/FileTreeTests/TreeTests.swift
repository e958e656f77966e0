// SPDX-License-Identifier: Apache-2.0
//
// Copying and removing trees, as far as the tests of their callers do not cover it: deep trees,
// trees that change meanwhile, and options of copies.

import FileCoordinationSystem
import FileTree
import Foundation
import Glibc
import Testing

/// A directory that goes with this object.
private final class Ground {
    let path: String
    let directory: Descriptor

    init() throws {
        path = NSTemporaryDirectory() + "tree-" + UUID().uuidString
        guard mkdir(path, 0o700) == 0 else { throw SystemError(code: errno, operation: "mkdir") }
        directory = try Descriptor.openDirectory(at: Array(path.utf8))
    }

    deinit {
        TreeRemoval.remove(Array(path.utf8), from: directory)
    }

    func place(_ name: String) -> TreePlace { TreePlace(Array(name.utf8), in: directory) }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
    }

    func status(_ name: String) throws -> stat { try directory.status(of: Array(name.utf8)) }

    /// A chain of directories with a file at its end; more than any path could name.
    func makeChain(_ name: String, depth: Int) throws {
        var innermost = directory
        for level in 0..<depth {
            let inner = Array((level == 0 ? name : "d").utf8)
            try innermost.makeDirectory(inner)
            innermost = try innermost.openDirectory(inner)
        }
        _ = try innermost.openFile(Array("end".utf8), O_WRONLY | O_CREAT, mode: 0o600)
    }

    /// How many directories there are in a chain, and what is at its end.
    func chain(_ name: String) throws -> (depth: Int, end: [[UInt8]]) {
        var innermost = try directory.openDirectory(Array(name.utf8))
        var depth = 1
        while true {
            let names = try innermost.names()
            guard names == [Array("d".utf8)] else { return (depth, names) }
            innermost = try innermost.openDirectory(names[0])
            depth += 1
        }
    }
}

@Suite struct TreeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    /// A directory that is mounted twice can be copied into itself by paths that do not show it.
    @Test func `A directory is not copied into itself`() throws {
        for name in ["top", "top/inner"] { #expect(mkdir(ground.path + "/" + name, 0o700) == 0) }
        try ground.write("top/file", "text")
        for name in ["top", "top/inner"] {
            let home = try Descriptor.openDirectory(at: Array("\(ground.path)/\(name)".utf8))
            let copy = TreePlace(Array("copy".utf8), in: home)
            var treeCopy = TreeCopy()
            #expect(throws: TreeError.intoItself(path: Array(name.utf8))) {
                try treeCopy.copy(ground.place("top"), to: copy)
            }
        }
    }

    @Test func `A tree deeper than a path can be is copied whole, with few descriptors`() throws {
        let depth = 3000
        try ground.makeChain("deep", depth: depth)
        try TreeCopy.copy(ground.place("deep"), to: ground.place("copy"))
        #expect(try ground.chain("copy").depth == depth)
        #expect(try ground.chain("copy").end == [Array("end".utf8)])
        var mostOpen = 0
        var removal = TreeRemoval()
        removal.isUnwanted = {
            let highest = dup(0)
            close(highest)
            mostOpen = max(mostOpen, Int(highest))
            return false
        }
        let before = dup(0)
        close(before)
        removal.remove(ground.place("copy"))
        // A chain of 32, and what other tests of this process open meanwhile.
        #expect(mostOpen - Int(before) < 1000)
        #expect(throws: SystemError.self) { try ground.status("copy") }
    }

    @Test func `A walk whose directory is moved away stops, and removes nothing elsewhere`() throws
    {
        try ground.makeChain("deep", depth: 100)
        try ground.write("beside", "text")
        mkdir(ground.path + "/other", 0o700)
        var removal = TreeRemoval()
        let path = ground.path
        removal.report = { _, isDirectory in
            // The walk has reached the bottom, and must come back through this directory.
            let half = path + "/deep" + String(repeating: "/d", count: 50)
            if !isDirectory { rename(half, path + "/other/half") }
        }
        removal.remove(ground.place("deep"))
        #expect(removal.failures.map(\.error.code) == [ESTALE])
        #expect(try ground.status("beside").st_size == 4)
        #expect(try ground.status("deep").kind == S_IFDIR)
    }

    @Test func `What cannot be removed stays with its directories, and the rest goes`() throws {
        for name in ["a", "a/b", "a/c"] { mkdir(ground.path + "/" + name, 0o700) }
        for name in ["a/b/kept", "a/b/gone", "a/c/gone"] { try ground.write(name, "text") }
        var removal = TreeRemoval()
        removal.isAgreed = { !$0.ends(in: "kept") }
        var removed: [String] = []
        removal.report = { path, _ in removed.append(String(decoding: path, as: UTF8.self)) }
        removal.remove(ground.place("a"))
        #expect(removed == ["a/b/gone", "a/c/gone", "a/c"])
        #expect(try ground.status("a/b/kept").st_size == 4)
        #expect(removal.failures.isEmpty)
    }

    @Test func `Pipes are left out, and refused at the top`() throws {
        mkdir(ground.path + "/a", 0o700)
        mkfifo(ground.path + "/a/pipe", 0o640)
        try TreeCopy.copy(ground.place("a"), to: ground.place("without"))
        #expect(try ground.directory.openDirectory(Array("without".utf8)).names().isEmpty)
        #expect(throws: SystemError.self) {
            try TreeCopy.copy(ground.place("a/pipe"), to: ground.place("pipe"))
        }
    }
}

extension [UInt8] {
    fileprivate func ends(in text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
