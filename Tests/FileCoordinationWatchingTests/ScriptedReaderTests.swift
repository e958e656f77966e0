// SPDX-License-Identifier: Apache-2.0
//
// A presenter reads its whole item when it is added, and when it is told to. If it has read an item
// that is removed before the watcher reports it, the removal must be reported. Each of these cases
// was missed once (Rule 7.14: a loss is never silent).

import FileCoordinationWatching
import Testing
import WatchingSimulation

@Suite struct ScriptedReaderTests {
    @Test func `An own item that was read and is gone before it was seen is told to be gone`() {
        let world = ScriptedWorld()
        let directory = world.present("/s/a", .directory)
        world.look()
        #expect(world.act(.createDirectory, "/s/a"))
        #expect(world.turn() == ["\(directory) listening"])
        #expect(world.act(.remove, "/s/a"))
        #expect(world.settle() == ["\(directory) deleted /s/a"])
        #expect(world.complaint() == nil)
    }

    @Test func `An own item that is carried away before it was told is told to be gone`() {
        let world = ScriptedWorld()
        let file = world.present("/r/a/b/g", .file)
        world.look()
        #expect(world.act(.create, "/r/a/b/g"))
        #expect(world.turn() == ["\(file) listening"])
        let claim = world.beginClaim("/r/a/b/g")
        world.read()
        world.look()
        #expect(world.act(.move(to: "/b"), "/r/a/b"))
        #expect(world.turn() == [])
        world.endClaim(claim)
        _ = world.settle()
        #expect(world.complaint() == nil)
    }

    @Test func `An own item that came with a directory and is carried away is told to be gone`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        #expect(world.act(.move(to: "/out/x"), "/r/a/b"))
        #expect(world.act(.createDirectory, "/out/d"))
        #expect(world.act(.createDirectory, "/out/d/b"))
        _ = world.settle()
        let package = world.present("/r/a/b", .package)
        world.look()
        #expect(world.act(.exchange(with: "/out/d"), "/r/a"))
        #expect(world.turn() == ["\(package) listening"])
        // The watcher finds the directory before it reads the notification of its arrival.
        world.read(1)
        world.look(1)
        world.read()
        #expect(world.act(.move(to: "/out/r"), "/r"))
        let told = world.settle()
        #expect(told.contains("\(package) deleted /r/a/b"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `What waits for a writer and was read is told to be gone`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.createDirectory, "/r/x"))
        let claim = world.beginClaim("/r/x", "/out/x")
        world.read()
        world.look()
        let other = world.present("/r", .directory)
        world.look()
        #expect(world.turn().contains("\(other) listening"))
        #expect(world.act(.move(to: "/out/x"), "/r/x"))
        world.endClaim(claim)
        let told = world.settle()
        #expect(told.contains { $0.hasPrefix("\(other) deleted /r/x") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `A change of an own item that was not told of before is told`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/g")
        #expect(world.act(.create, "/r/g"))
        world.read()
        world.look()
        let file = world.present("/r/g", .file)
        world.look()
        #expect(world.turn().contains("\(file) listening"))
        world.endClaim(claim)
        #expect(world.act(.chmod(0o600), "/r/g"))
        _ = world.settle()
        #expect(world.complaint() == nil)
    }

    @Test func `What was read in a moved directory is told to be gone from there`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        #expect(world.act(.create, "/r/a/b/x"))
        _ = world.settle()
        #expect(world.act(.move(to: "/r/a/c"), "/r/a/b"))
        let other = world.present("/r/a", .directory)
        world.look()
        world.read()
        #expect(world.turn() == ["\(other) listening"])
        #expect(world.act(.remove, "/r/a/c/x"))
        let told = world.settle()
        #expect(told.contains("\(other) deleted /r/a/c/x"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `A deletion is told once although it was also read`() {
        let world = ScriptedWorld()
        let first = world.present("/r", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/a/f", "/out/f")
        #expect(world.act(.move(to: "/out/f"), "/r/a/f"))
        world.read()
        world.look()
        let other = world.present("/r/a", .directory)
        world.look()
        world.endClaim(claim)
        #expect(world.turn() == ["\(other) listening"])
        let told = world.settle()
        #expect(told == [first, other].map { "\($0) deleted /r/a/f (coordinated)" })
        #expect(world.complaint() == nil)
    }

    @Test func `A presenter listens although others have left before all was seen`() {
        let world = ScriptedWorld()
        let gone = [world.present("/r", .directory), world.present("/r/a/f", .file)]
        let file = world.present("/s/f", .file)
        world.look(6)
        for id in gone { world.unpresent(id) }
        #expect(world.settle() == ["\(file) listening"])
        #expect(world.complaint() == nil)
    }

    @Test func `What passes through a polled directory between two polls is read again`() {
        let world = ScriptedWorld(watchLimit: 3)
        let directory = world.present("/s", .directory)
        #expect(world.act(.createDirectory, "/s/d"))
        #expect(world.act(.createDirectory, "/s/e"))
        _ = world.settle()
        _ = world.turn(after: 3000)
        let other = world.present("/s", .directory)
        #expect(world.act(.create, "/s/e/x"))
        world.look()
        #expect(world.turn().contains("\(other) listening"))
        #expect(world.act(.remove, "/s/e/x"))
        var told = world.turn(after: 3000)
        told += world.settle()
        #expect(told.contains("\(other) whole: late"), "\(directory): \(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `A directory that took a file's name is compared although it leads elsewhere`() {
        let world = ScriptedWorld()
        _ = world.present("/r/a/b/g", .file)
        let file = world.present("/r/a", .file)
        _ = world.settle()
        #expect(world.act(.chmod(0o700), "/r/a"))
        #expect(world.settle() == ["\(file) attributes /r/a"])
        #expect(world.complaint() == nil)
    }

    @Test func `A presenter does not read its item before it is decided where that is`() {
        let world = ScriptedWorld()
        let package = world.present("/r/a/b", .package)
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        _ = world.settle()
        #expect(world.act(.move(to: "/r/g"), "/r/a"))
        #expect(world.act(.create, "/r/g/b/f"))
        world.read()
        world.look()
        #expect(world.turn().filter { $0.hasPrefix("\(package) ") } == [], "nothing is at its path")
        // The item was moved again before the presenter is told of its first move.
        #expect(world.act(.move(to: "/s/g"), "/r/g/b"))
        let told = world.turn(after: 60).filter { $0.hasPrefix("\(package) ") }
        #expect(told == ["moved /r/a/b to /r/g/b", "whole: replaced"].map { "\(package) " + $0 })
        #expect(world.settle().contains("\(package) moved /r/g/b to /s/g"))
        #expect(world.complaint() == nil)
    }

    @Test func `What is told inside a directory whose move was only read is read again`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.move(to: "/r/a/b/x"), "/r/a/f"))
        world.read()
        world.look()
        let other = world.present("/r", .directory)
        world.look()
        #expect(world.act(.move(to: "/r/c"), "/r/a/b"))
        // The presenter has read /r/c/x, and found no /r/a/b.
        let told = world.turn().filter { $0.hasPrefix("\(other) ") }
        #expect(told == ["\(other) listening", "\(other) moved /r/a/f to /r/a/b/x"])
        #expect(world.settle().contains("\(other) whole: late"))
        #expect(world.complaint() == nil)
    }

    @Test func `A deletion at a path from before an exchange that was read is read again`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        #expect(world.act(.createDirectory, "/r/d"))
        for path in ["/r/d/x", "/r/a/b/x"] { #expect(world.act(.create, path)) }
        _ = world.settle()
        let other = world.present("/r", .directory)
        world.look()
        #expect(world.act(.exchange(with: "/r/a/b"), "/r/d"))
        #expect(world.act(.remove, "/r/d/x"))
        // The file that was deleted there is not the one that is at /r/a/b/x now.
        #expect(world.turn() == ["\(other) listening"])
        #expect(world.settle().contains("\(other) whole: late"))
        #expect(world.complaint() == nil)
    }

    /// What has left the directory again was in no list that the watcher has read.
    @Test func `A directory that has replaced a file before it was read is read again`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        #expect(world.act(.createDirectory, "/out/d"))
        for path in ["/out/d/x", "/out/d/y"] { #expect(world.act(.create, path)) }
        _ = world.settle()
        #expect(world.act(.remove, "/r/f"))
        #expect(world.act(.move(to: "/r/f"), "/out/d"))
        let other = world.present("/r", .directory)
        world.look()
        #expect(world.turn() == ["\(other) listening"])
        #expect(world.act(.move(to: "/out/x"), "/r/f/x"))
        #expect(world.settle().contains("\(other) whole: late"))
        #expect(world.complaint() == nil)
    }

    @Test func `A directory that goes away while its watch is changed is watched no more`() {
        let world = ScriptedWorld()
        _ = world.present("/r/a/f", .file)
        _ = world.settle()
        let directory = world.present("/r/a", .directory)
        #expect(world.act(.move(to: "/out/x"), "/r/a"))
        #expect(world.settle().contains("\(directory) listening"))
        // The comparison counts the kernel's watches.
        #expect(world.complaint() == nil)
    }
}
