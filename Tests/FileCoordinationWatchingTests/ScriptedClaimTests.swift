// SPDX-License-Identifier: Apache-2.0
//
// Items that a coordinated writer has created or moved, and that something happens to before the
// watcher has told presenters about them (Rules 7.7, 7.14 and 11.9). Presenters know those items
// from the claims. So what plain programs do to them must be told, and what coordinated writers do
// must not count as a plain program's.

import FileCoordinationWatching
import Testing
import WatchingSimulation

/// How far the watcher has come when the second change is made.
enum Progress: CaseIterable {
    /// It has read nothing.
    case none
    /// It has read the notifications of the first change.
    case read
    /// It has also examined the items.
    case examined

    func reach(_ world: ScriptedWorld) {
        if self != .none { world.read() }
        if self == .examined { world.look() }
    }
}

@Suite struct ScriptedClaimTests {
    @Test func `What comes with a directory to where a writer's directory was is no writer's`() {
        let world = ScriptedWorld()
        #expect(world.act(.createDirectory, "/out/d"))
        for path in ["/r/a/b/x", "/out/d/x"] { #expect(world.act(.create, path)) }
        let directory = world.present("/r", .directory)
        _ = world.settle()
        let writing = world.beginClaim("/r/a/b/x")
        #expect(world.act(.write(7), "/r/a/b/x"))
        world.endClaim(writing)
        let moving = world.beginClaim("/r/a/b", "/r/a/c")
        #expect(world.act(.move(to: "/r/a/c"), "/r/a/b"))
        world.endClaim(moving)
        #expect(world.act(.move(to: "/r/a/b"), "/out/d"))
        let told = world.settle().filter { $0.contains("appeared") }
        // The claim on the directory that was there has only just ended.
        let inside = "\(directory) appeared /r/a/b/x (either)"
        #expect(told == ["\(directory) appeared /r/a/b", inside])
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A file that a writer has created, and a program deletes, is told`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/g")
        progress.reach(world)
        #expect(world.act(.remove, "/r/g"))
        let told = world.settle()
        #expect(plain(told) == ["\(above) deleted /r/g"], "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A file that a writer has created, and a program moves, is told`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        let beside = world.present("/r/a", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/g")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/a/h"), "/r/g"))
        let told = world.settle()
        let whole = ["\(above) moved /r/g to /r/a/h", "\(beside) appeared /r/a/h"]
        let parts = [
            "\(above) appeared /r/a/h", "\(above) deleted /r/g", "\(beside) appeared /r/a/h",
        ]
        #expect([whole, parts].contains(plain(told).sorted()), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A file that a writer has moved, and a program deletes, is told`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        let beside = world.present("/s", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/s/g"), "/r/f")
        progress.reach(world)
        #expect(world.act(.remove, "/s/g"))
        let told = world.settle()
        #expect(plain(told) == ["\(beside) deleted /s/g"], "\(told), \(above)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `What a writer changed in a directory that it then moves is its own change`(
        _ progress: Progress
    ) {
        let world = ScriptedWorld()
        _ = world.present("/", .directory)
        let file = world.present("/r/a/f", .file)
        _ = world.settle()
        world.coordinate(.write(7), "/r/a/f")
        progress.reach(world)
        world.coordinate(.createDirectory, "/r/a/d")
        world.coordinate(.create, "/r/a/d/g")
        progress.reach(world)
        world.coordinate(.move(to: "/r/a/k"), "/r/a/f")
        progress.reach(world)
        world.coordinate(.move(to: "/s/t"), "/r/a")
        let told = world.settle()
        #expect(plain(told) == [], "\(told)")
        #expect(told.contains { $0.hasPrefix("\(file) moved /r/a/f to ") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `What a writer put into a directory that a program moves is told where it is new`(
        _ progress: Progress
    ) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        let beside = world.present("/s", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/a/g")
        progress.reach(world)
        #expect(world.act(.move(to: "/s/t"), "/r/a"))
        let told = plain(world.settle())
        #expect(told.contains("\(above) deleted /r/a"), "\(told)")
        #expect(told.contains("\(beside) appeared /s/t"), "\(told)")
        #expect(told.contains("\(beside) appeared /s/t/g"), "\(told)")
        #expect(told.contains("\(beside) appeared /s/t/f"), "\(told)")
        #expect(world.complaint() == nil)
    }

    /// A claim reports the inode number of an item, which the next new file gets.
    @Test(arguments: Progress.allCases)
    func `A new file is not the one that a writer has just deleted`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        let beside = world.present("/s", .directory)
        _ = world.settle()
        world.coordinate(.write(7), "/r/f")
        progress.reach(world)
        let claim = world.beginClaim("/r/f")
        #expect(world.act(.remove, "/r/f"))
        #expect(world.act(.create, "/s/g"))
        let early = world.settle()
        world.endClaim(claim)
        let told = early + world.settle()
        #expect(plain(told) == ["\(beside) appeared /s/g"], "\(told), \(above)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A deletion is told although another new file has the number of the deleted one`(
        _ progress: Progress
    ) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        let beside = world.present("/s", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/g")
        progress.reach(world)
        #expect(world.act(.remove, "/r/g"))
        #expect(world.act(.create, "/s/g"))
        let told = world.settle()
        #expect(plain(told) == ["\(above) deleted /r/g", "\(beside) appeared /s/g"], "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A name that a claim has looked for in vain is told of nowhere`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.createDirectory, "/r/n")
        world.coordinate(.move(to: "/r/n/a"), "/r/a")
        world.endClaim(world.beginClaim("/r/a/x"))
        progress.reach(world)
        world.endClaim(world.beginClaim("/r/n/a/x"))
        let told = world.settle()
        #expect(!told.contains { $0.contains("deleted") }, "\(told), \(above)")
        #expect(world.complaint() == nil)
    }

    //  writers                    watcher
    //  f to g
    //  h to f                     tells that f is g now
    //  remove f, write g          tells that h is gone, and of g
    //  write g, g to f            tells of that
    //
    /// What the first writer took from `f` is told, so it does not count when an item comes there.
    @Test func `A path that a writer has left is free for the item that comes back`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        #expect(world.act(.create, "/r/h"))
        _ = world.settle()
        // While a claim is under way, the watcher keeps what others have announced.
        let other = world.beginClaim("/s/f")
        var told: [String] = []
        func tell() { told += world.turn(after: 60) }
        world.coordinate(.move(to: "/r/g"), "/r/f")
        world.read()
        world.look()
        world.coordinate(.move(to: "/r/f"), "/r/h")
        tell()
        world.coordinate(.remove, "/r/f")
        world.coordinate(.write(3), "/r/g")
        told += world.settle()
        world.coordinate(.write(7), "/r/g")
        world.coordinate(.move(to: "/r/f"), "/r/g")
        world.coordinate(.create, "/r/g")
        told += world.settle()
        world.endClaim(other)
        told += world.settle()
        #expect(plain(told) == [], "\(told)")
        #expect(told.contains { $0.contains("moved /r/g to /r/f") }, "\(told)")
        #expect(world.complaint() == nil)
    }
}
