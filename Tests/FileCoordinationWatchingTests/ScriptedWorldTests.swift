// SPDX-License-Identifier: Apache-2.0
//
// Faults that the simulation has found, each reduced to the few steps that matter, in a fixed
// order: programs act, notifications are read, names are checked (Rules 7.7, 7.14 and 11.9).
// Presenters were once told something wrong in each of these cases.

import FileCoordinationWatching
import Testing
import WatchingSimulation

@Suite struct ScriptedOriginTests {
    @Test func `A presenter below a directory that a writer moved is told who moved it`() {
        let world = ScriptedWorld()
        let file = world.present("/r/a/f", .file)
        _ = world.settle()
        let claim = world.beginClaim("/r/a", "/r/b")
        #expect(world.act(.move(to: "/r/b"), "/r/a"))
        world.endClaim(claim)
        #expect(world.settle() == ["\(file) moved /r/a/f to /r/b/f (coordinated)"])
        #expect(world.complaint() == nil)
    }

    @Test func `A move whose both halves are told in one turn names its writer`() {
        let world = ScriptedWorld()
        let file = world.present("/r/a/f", .file)
        _ = world.present("/r", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/a/f", "/f")
        #expect(world.act(.move(to: "/f"), "/r/a/f"))
        world.read()
        world.look()
        // By the end of the claim the presenter's path has been free for long.
        #expect(world.turn(after: 100) == [])
        world.endClaim(claim)
        world.look()
        let told = world.turn()
        #expect(told.contains("\(file) moved /r/a/f to /f (coordinated)"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `A plain change right after a writer's move is told beside the move`() {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        let above = world.present("/r", .directory)
        let beside = world.present("/s", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/f", "/s/g")
        #expect(world.act(.move(to: "/s/g"), "/r/f"))
        world.endClaim(claim)
        #expect(world.act(.write(9), "/s/g"))
        let told = world.settle()
        #expect(told.contains("\(file) moved /r/f to /s/g (coordinated)"), "\(told)")
        #expect(told.contains("\(file) changed /s/g"), "\(told)")
        #expect(told.contains("\(beside) changed /s/g"), "\(told)")
        #expect(!told.contains { $0.hasPrefix("\(above) ") && !$0.hasSuffix("(coordinated)") })
        #expect(!told.contains("\(beside) appeared /s/g"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: [true, false])
    func `What a writer writes into the file that it moves is its own change`(before: Bool) {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        _ = world.present("/s", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/f", "/s/g")
        if before { #expect(world.act(.write(5), "/r/f")) }
        #expect(world.act(.move(to: "/s/g"), "/r/f"))
        if !before { #expect(world.act(.write(5), "/s/g")) }
        world.endClaim(claim)
        let told = world.settle()
        #expect(told.contains("\(file) moved /r/f to /s/g (coordinated)"), "\(told)")
        #expect(told.contains("\(file) changed /s/g (coordinated)"), "\(told)")
        #expect(!told.contains("\(file) changed /s/g"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `A plain change before a writer's move is told beside the move`() {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        _ = world.present("/s", .directory)
        _ = world.settle()
        #expect(world.act(.write(9), "/r/f"))
        let claim = world.beginClaim("/r/f", "/s/g")
        #expect(world.act(.move(to: "/s/g"), "/r/f"))
        world.endClaim(claim)
        let told = world.settle()
        #expect(told.contains("\(file) moved /r/f to /s/g (coordinated)"), "\(told)")
        #expect(told.contains("\(file) changed /s/g"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: [false, true])
    func `A plain replacement right after a writer's move is told`(isRead: Bool) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/f", "/r/a/g")
        #expect(world.act(.move(to: "/r/a/g"), "/r/f"))
        if isRead {
            world.read()
            world.look()
        }
        world.endClaim(claim)
        #expect(world.act(.create, "/out/x"))
        #expect(world.act(.move(to: "/r/a/g"), "/out/x"))
        let told = world.settle()
        #expect(told.contains { $0.hasSuffix(" /r/a/g") }, "\(told), \(above)")
        #expect(world.complaint() == nil)
    }

    @Test func `A plain deletion before a writer's creation is no deletion by the writer`() {
        let world = ScriptedWorld()
        let directory = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.move(to: "/out/f"), "/r/f"))
        let claim = world.beginClaim("/s/f", "/r/f")
        #expect(world.act(.move(to: "/r/f"), "/s/f"))
        world.endClaim(claim)
        let told = world.settle()
        #expect(
            !told.contains("\(directory) appeared /r/f"), "a plain appearance: \(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `What claims left before a presenter came explains what it was told`() {
        let world = ScriptedWorld()
        let first = world.beginClaim("/s/f")
        #expect(world.act(.write(1), "/s/f"))
        let directory = world.present("/s", .directory)
        world.endClaim(first)
        world.look()
        let second = world.beginClaim("/s/f")
        #expect(world.act(.write(2), "/s/f"))
        world.endClaim(second)
        world.look()
        let told = world.turn()
        #expect(told == ["\(directory) listening"] || !told.contains("\(directory) changed /s/f"))
        #expect(!world.settle().contains("\(directory) changed /s/f"))
        #expect(world.complaint() == nil)
    }

    @Test func `A claim that did nothing says nothing inside what a writer moved in`() {
        let world = ScriptedWorld()
        let directory = world.present("/s", .directory)
        _ = world.settle()
        let move = world.beginClaim("/r/a", "/s/a")
        #expect(world.act(.move(to: "/s/a"), "/r/a"))
        let idle = world.beginClaim("/s/a/b")
        world.endClaim(idle)
        world.endClaim(move)
        let told = world.settle()
        #expect(told.contains("\(directory) appeared /s/a/b (either)"), "\(told)")
        #expect(world.complaint() == nil)
    }
}

@Suite struct ScriptedMoveTests {
    @Test func `What is inside a directory on its way is told after the directory`() {
        let world = ScriptedWorld()
        let directory = world.present("/s", .directory)
        _ = world.present("/r/a/f", .file)
        _ = world.settle()
        #expect(world.act(.move(to: "/s/r"), "/r"))
        let claim = world.beginClaim("/r")
        world.read()
        world.look()
        let early = world.turn(after: 60).filter { $0.hasPrefix("\(directory) ") }
        #expect(early == [], "told before its directory")
        world.endClaim(claim)
        let told = world.settle().filter { $0 == "\(directory) appeared /s/r/a/b" }
        #expect(told.count == 1)
        #expect(world.complaint() == nil)
    }

    @Test func `A deletion below a moved ancestor whose name was taken is told`() {
        let world = ScriptedWorld()
        let package = world.present("/r/a/b", .package)
        #expect(world.act(.createDirectory, "/r/a/b/a"))
        _ = world.settle()
        #expect(world.act(.remove, "/r/a/b/a"))
        #expect(world.act(.exchange(with: "/out"), "/r"))
        world.read()
        // Presenters are told of the new item at /r before the watcher finds the former one.
        world.look(1)
        _ = world.turn()
        let told = world.settle()
        #expect(told.contains("\(package) moved /r/a/b to /out/a/b"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `A name that a neighbour has taken does not hide what was there`() {
        let world = ScriptedWorld()
        let directory = world.present("/r/a", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/a/f")
        #expect(world.act(.move(to: "/out/b"), "/r/a/b"))
        #expect(world.act(.move(to: "/r/a/b"), "/r/a/f"))
        world.read()
        world.look()
        // The report of the other file waits until the claim is over.
        #expect(world.turn(after: 100) == ["\(directory) deleted /r/a/b"])
        #expect(world.act(.remove, "/r/a/b"))
        world.endClaim(claim)
        _ = world.settle()
        #expect(world.complaint() == nil)
    }

    @Test func `A move that was seen before its notifications were read is a move`() {
        let world = ScriptedWorld()
        let file = world.present("/r/a/f", .file)
        _ = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.chmod(0o700), "/r/a"))
        world.read()
        // When the watcher checks /r/a, another item is already there.
        #expect(world.act(.exchange(with: "/r/a"), "/out"))
        world.look()
        let told = world.settle()
        #expect(told.contains("\(file) moved /r/a/f to /out/f"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `An item that comes back to its path with its directory is compared`() {
        let world = ScriptedWorld()
        let file = world.present("/s/f", .file)
        #expect(world.act(.createDirectory, "/x"))
        _ = world.settle()
        #expect(world.act(.move(to: "/x/f"), "/s/f"))
        #expect(world.act(.exchange(with: "/s"), "/x"))
        #expect(world.settle() == ["\(file) attributes /s/f"])
        #expect(world.complaint() == nil)
    }

    @Test func `A presenter returns to where its former path leads now`() {
        let world = ScriptedWorld()
        let file = world.present("/s/f", .file)
        _ = world.settle()
        #expect(world.act(.move(to: "/s/old"), "/s/f"))
        #expect(world.settle() == ["\(file) moved /s/f to /s/old"])
        #expect(world.act(.create, "/s/f"))
        #expect(world.act(.move(to: "/t"), "/s"))
        #expect(world.act(.remove, "/t/old"))
        let told = world.settle()
        #expect(told.contains("\(file) moved /s/old to /t/f"), "\(told)")
        #expect(world.complaint() == nil)
    }
}
