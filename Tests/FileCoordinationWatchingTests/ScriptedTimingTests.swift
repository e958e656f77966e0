// SPDX-License-Identifier: Apache-2.0
//
// Changes that fall between two steps of the watcher (Rules 7.7, 7.14 and 11.9): between the two
// checks of a name, between the orders of a watch in two modes, while a directory is on its way, or
// between a report and the kernel's notification of what it reports. Random worlds have found each
// of these cases.

import FileCoordinationWatching
import Testing
import WatchingSimulation

@Suite struct ScriptedTimingTests {
    /// A second name of a known file is checked twice, because the file may have been moved.
    @Test func `What is read between the two checks of a name is told to be gone`() {
        let world = ScriptedWorld()
        _ = world.present("/s/f", .file)
        let directory = world.present("/s", .directory)
        world.look()
        #expect(world.act(.link(to: "/s/b"), "/s/f"))
        world.read()
        // The file's change is looked at first, and then the new name.
        world.look(2)
        #expect(world.turn().contains("\(directory) listening"))
        #expect(world.act(.move(to: "/r/b"), "/s/b"))
        let told = world.settle()
        #expect(told.contains("\(directory) deleted /s/b"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `What is away when its directory is told as new, and comes back, is not missed`() {
        let world = ScriptedWorld()
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        _ = world.settle()
        #expect(world.act(.move(to: "/out/b"), "/r/a/b"))
        world.read()
        world.look()
        #expect(world.act(.move(to: "/s/c"), "/r/a"))
        world.read()
        world.look()
        #expect(world.turn().contains { $0.contains("appeared /s/c") })
        #expect(world.act(.move(to: "/s/c/b"), "/out/b"))
        _ = world.settle()
        #expect(world.complaint() == nil)
    }

    /// The presenter that is told of the directory has not seen the file, of whose move it is told.
    @Test func `What was moved before its directory was told as new is not missed`() {
        let world = ScriptedWorld()
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        _ = world.settle()
        #expect(world.act(.move(to: "/s/a"), "/r/a"))
        world.read()
        world.look()
        #expect(world.act(.move(to: "/s/a/g"), "/s/a/f"))
        world.read()
        world.look()
        // It is to be looked at again, so it is not told yet. Nothing of it has changed.
        #expect(world.act(.chmod(0o644), "/s/a/g"))
        world.read()
        #expect(world.turn().contains { $0.contains("appeared /s/a") })
        world.look()
        #expect(world.act(.move(to: "/s/k"), "/s/a"))
        _ = world.turn(after: 60)
        _ = world.settle()
        #expect(world.complaint() == nil)
    }

    /// A claim that finds nothing there says nothing of the former directory.
    @Test(arguments: [false, true])
    func `What a writer took from a directory does not count for the next one`(_ again: Bool) {
        let world = ScriptedWorld()
        #expect(world.act(.create, "/r/a/b/g"))
        #expect(world.act(.createDirectory, "/out/d"))
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        _ = world.settle()
        let other = world.beginClaim("/out/f")
        world.coordinate(.move(to: "/s/g"), "/r/a/b/g")
        world.coordinate(.move(to: "/r/a/b"), "/out/d")
        if again { world.endClaim(world.beginClaim("/r/a/b/g")) }
        world.read()
        world.look()
        world.coordinate(.move(to: "/r/c"), "/r/a/b")
        var told = world.turn(after: 60)
        told += world.settle()
        world.endClaim(other)
        #expect(told.contains { $0.contains("deleted /r/a/b/g") }, "\(told)")
        #expect(plain(told) == [], "\(told)")
        #expect(world.complaint() == nil)
    }

    /// The claims on one path tell of both directories, and presenters are told of one at a time.
    @Test func `What writers do to a directory at the former path of another one is theirs`() {
        let world = ScriptedWorld()
        #expect(world.act(.remove, "/r/a/f"))
        #expect(world.act(.createDirectory, "/r/a/b/b"))
        _ = world.present("/r", .directory)
        _ = world.settle()
        let other = world.beginClaim("/out/f")
        world.coordinate(.move(to: "/r/b"), "/r/a/b")
        world.coordinate(.move(to: "/r/a"), "/r/b")
        world.read()
        world.look()
        world.coordinate(.remove, "/r/a/b")
        var told = world.turn(after: 60)
        told += world.settle()
        world.endClaim(other)
        #expect(told.contains { $0.contains("deleted /r/a/b") }, "\(told)")
        #expect(plain(told) == [], "\(told)")
        #expect(world.complaint() == nil)
    }

    /// Another presenter was told of the file that was there first.
    @Test func `A file that a presenter has read in passing is told to be gone`() {
        let world = ScriptedWorld()
        _ = world.present("/r/a", .directory)
        _ = world.settle()
        let file = world.present("/r/a/f", .file)
        #expect(world.act(.move(to: "/out/f"), "/r/a/f"))
        world.read()
        world.look()
        #expect(world.act(.create, "/r/a/f"))
        #expect(world.turn() == ["\(file) listening"])
        #expect(world.act(.move(to: "/out/g"), "/r/a/f"))
        world.read()
        world.look()
        let told = world.settle()
        #expect(told == ["1 deleted /r/a/f", "\(file) deleted /r/a/f"])
        #expect(world.complaint() == nil)
    }

    /// Claims know the file by the path that the directory had when they wrote it.
    @Test func `What a writer wrote in a directory whose path another one has now is its own`() {
        let world = ScriptedWorld()
        #expect(world.act(.createDirectory, "/r/c"))
        _ = world.present("/r", .directory)
        _ = world.settle()
        let other = world.beginClaim("/out/f")
        world.coordinate(.write(7), "/r/a/f")
        #expect(world.act(.move(to: "/r/b"), "/r/a"))
        world.coordinate(.move(to: "/r/a"), "/r/c")
        // The file is told in a later turn than its directory.
        let claim = world.beginClaim("/r/b/f")
        world.read()
        world.look()
        var told = world.turn(after: 60)
        world.endClaim(claim)
        told += world.settle()
        world.endClaim(other)
        #expect(plain(told) == ["1 moved /r/a to /r/b"], "\(told)")
        #expect(told.contains("1 changed /r/b/f (coordinated)"), "\(told)")
        #expect(world.complaint() == nil)
    }

    /// The claim came after the moves, of which the watcher has not heard yet.
    @Test func `What a writer wrote where a program has put another directory stays there`() {
        let world = ScriptedWorld()
        #expect(world.act(.createDirectory, "/out/d"))
        #expect(world.act(.create, "/out/d/f"))
        _ = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.move(to: "/r/x"), "/r/a"))
        #expect(world.act(.move(to: "/r/a"), "/out/d"))
        world.coordinate(.write(7), "/r/a/f")
        let claim = world.beginClaim("/r/a/f")
        world.read()
        world.look()
        var told = world.turn(after: 60)
        world.endClaim(claim)
        told += world.settle()
        #expect(!told.contains { $0.contains("moved /r/x/f") }, "\(told)")
        #expect(told.contains { $0.hasPrefix("1 appeared /r/a/f") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    /// The outer directory is moved into the inner one, which has left it, and both leave the tree.
    @Test func `Two directories that have changed places and are gone are told to be gone`() {
        let world = ScriptedWorld()
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        _ = world.settle()
        #expect(world.act(.move(to: "/s/g"), "/r/a/b"))
        #expect(world.act(.move(to: "/s/g/a"), "/r/a"))
        world.read()
        world.look()
        // A name that is still to be looked at when its directory is gone is not waited for.
        #expect(world.act(.createDirectory, "/s/g/a/b"))
        world.read()
        #expect(world.act(.move(to: "/out/g"), "/s/g"))
        let told = world.settle()
        #expect(told == ["1 deleted /r/a"])
        #expect(world.complaint() == nil)
    }

    /// The claim at the file's last path has announced that nothing is there.
    @Test func `What a program puts where a writer has removed another file is told`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/r/x"), "/r/f")
        world.coordinate(.remove, "/r/a/f")
        #expect(world.act(.move(to: "/r/a/f"), "/r/x"))
        #expect(world.act(.create, "/r/x"))
        world.read()
        world.look()
        // The file's report waits for the end of a claim, and that of the next one at `x` does not.
        let claim = world.beginClaim("/r/a/f")
        var told = world.turn()
        world.endClaim(claim)
        told += world.settle()
        let arrival = "1 moved /r/f to /r/a/f (coordinated), arrival plain"
        #expect(told.contains(arrival), "\(told)")
        #expect(world.complaint() == nil)
    }

    /// The end of the claim has shown where the file is.
    @Test func `A writer's move that was told before its notification came is no program's`() {
        let world = ScriptedWorld()
        let directory = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/r/g"), "/r/f")
        let other = world.present("/r", .directory)
        world.look()
        var told = world.turn(after: 60)
        #expect(told.contains("\(other) listening"))
        told += world.settle()
        #expect(told.contains("\(directory) moved /r/f to /r/g (coordinated)"), "\(told)")
        #expect(plain(told) == ["\(other) listening"], "\(told)")
        #expect(world.complaint() == nil)
    }

    /// The presenter is elsewhere when the writer's claim announces the new file.
    @Test func `A presenter that returns to its path is told what a writer has put there`() {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        _ = world.present("/s", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/s/g"), "/r/f")
        _ = world.settle()
        world.coordinate(.create, "/r/f")
        _ = world.settle()
        #expect(world.act(.remove, "/s/g"))
        let told = world.settle()
        #expect(told.contains("\(file) moved /s/g to /r/f"), "\(told)")
        #expect(told.contains("\(file) changed /r/f (either)"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `What a writer carries away with a directory was not deleted before that`() {
        let world = ScriptedWorld()
        let file = world.present("/r/a/f", .file)
        _ = world.present("/r/a", .directory)
        _ = world.settle()
        world.coordinate(.write(3), "/r/a/f")
        let claim = world.beginClaim("/r/a", "/out/a")
        #expect(world.act(.move(to: "/out/a"), "/r/a"))
        world.read()
        world.look()
        var told = world.turn(after: 60)
        world.endClaim(claim)
        told += world.settle()
        #expect(!told.contains("\(file) deleted /r/a/f"), "\(told)")
        #expect(told.contains { $0.hasPrefix("\(file) deleted /r/a/f") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    /// Between two polls, the kernel says nothing of the file.
    @Test func `A file that was read in a polled directory is told to be gone`() {
        let world = ScriptedWorld(watchLimit: 2)
        #expect(world.act(.createDirectory, "/out/d"))
        _ = world.present("/r", .directory)
        _ = world.settle()
        let file = world.present("/out/d/x", .file)
        world.look()
        #expect(world.act(.create, "/out/d/x"))
        #expect(world.turn(after: 60).contains("\(file) listening"))
        #expect(world.act(.remove, "/out/d/x"))
        var told = world.turn(after: 3000)
        told += world.settle()
        #expect(told.contains("\(file) deleted /out/d/x"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test func `So is one in a directory that was read there, and a neighbour is not`() {
        let world = ScriptedWorld(watchLimit: 2)
        #expect(world.act(.createDirectory, "/out/d"))
        _ = world.present("/r", .directory)
        _ = world.settle()
        let file = world.present("/out/d/x/y", .file)
        world.look()
        #expect(world.act(.createDirectory, "/out/d/x"))
        #expect(world.act(.create, "/out/d/x/y"))
        #expect(world.turn(after: 60).contains("\(file) listening"))
        #expect(world.act(.remove, "/out/d/x/y"))
        #expect(world.act(.remove, "/out/d/x"))
        var told = world.turn(after: 3000)
        told += world.settle()
        #expect(told.contains("\(file) deleted /out/d/x/y"), "\(told)")
        // From now on, the presenter has read nothing that it was not told of.
        told = world.turn(after: 3000) + world.settle()
        #expect(world.act(.create, "/out/d/z"))
        told += world.turn(after: 3000)
        told += world.settle()
        #expect(told == [])
        #expect(world.complaint() == nil)
    }

    /// The watcher may end a watch that it has just added for another node of the same item.
    @Test func `A watch is added again if the notification of its end was lost`() {
        let world = ScriptedWorld()
        let directory = world.present("/r", .directory)
        _ = world.settle()
        world.endWatches()
        world.overflow()
        #expect(world.settle() == ["\(directory) whole: overflow"])
        #expect(world.act(.write(5), "/r/a/f"))
        #expect(world.settle() == ["\(directory) changed /r/a/f"])
        #expect(world.complaint() == nil)
    }

    /// The watch was added for a file's presenter, and its order for the directory's presenter
    /// comes too late.
    @Test func `A directory that was moved between two orders of its watch is watched in full`() {
        let world = ScriptedWorld()
        #expect(world.act(.create, "/s/g"))
        _ = world.present("/r", .directory)
        _ = world.settle()
        _ = world.present("/s/f", .file)
        world.look(1)
        let directory = world.present("/s", .directory)
        world.look(1)
        #expect(world.act(.move(to: "/r/t"), "/s"))
        _ = world.settle()
        #expect(world.act(.chmod(0o600), "/r/t/g"))
        let told = world.settle()
        #expect(told.contains { $0.hasSuffix("attributes /r/t/g") }, "\(directory): \(told)")
        #expect(world.complaint() == nil)
    }
}
