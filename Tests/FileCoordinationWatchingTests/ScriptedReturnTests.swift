// SPDX-License-Identifier: Apache-2.0
//
// Directories and files that are elsewhere for a while and come back before presenters are told
// (Rules 7.7 and 7.14): nothing differs from what was told last, but what happened meanwhile must
// neither be missed nor count as another program's.

import FileCoordinationWatching
import Testing
import WatchingSimulation

@Suite struct ScriptedReturnTests {
    //  writers                    watcher
    //  a to c, c to a             sees a where it was
    //  e to c                     tells that e is c now
    //  c to k, k/x to y           tells of both
    //
    /// Claims name what was in `c` by its path in `k`, and not by one in `a`.
    @Test func `A directory that writers took away and back does not carry another one along`() {
        let world = ScriptedWorld()
        let directory = world.present("/r", .directory)
        #expect(world.act(.createDirectory, "/r/e"))
        #expect(world.act(.create, "/r/e/x"))
        _ = world.settle()
        // While a claim is under way, the watcher keeps what others have announced.
        let other = world.beginClaim("/s/f")
        var told: [String] = []
        func tell() {
            world.read()
            world.look()
            told += world.turn(after: 60)
        }
        world.coordinate(.move(to: "/r/c"), "/r/a")
        world.coordinate(.move(to: "/r/a"), "/r/c")
        tell()
        world.coordinate(.move(to: "/r/c"), "/r/e")
        tell()
        world.coordinate(.move(to: "/r/k"), "/r/c")
        world.coordinate(.move(to: "/r/y"), "/r/k/x")
        tell()
        world.endClaim(other)
        told += world.settle()
        #expect(plain(told) == [], "\(told)")
        #expect(told.contains("\(directory) moved /r/k/x to /r/y (coordinated)"), "\(told)")
        #expect(world.complaint() == nil)
    }

    /// Presenters of the new place have not seen the inner directory, which is elsewhere when the
    /// outer one is told, and back where it was when it is told itself.
    @Test func `What is elsewhere when the directory around it is told as new is not missed`() {
        let world = ScriptedWorld()
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        #expect(world.act(.createDirectory, "/r/a/b/x"))
        _ = world.settle()
        #expect(world.act(.move(to: "/s/b"), "/r/a/b"))
        world.read()
        world.look()
        #expect(world.act(.move(to: "/s/b/y"), "/s/b/x"))
        world.read()
        world.look()
        // It is to be looked at again, so it is not told yet.
        #expect(world.act(.chmod(0o755), "/s/b/y"))
        world.read()
        #expect(world.turn().contains { $0.contains("appeared /s/b") })
        #expect(world.act(.move(to: "/s/b/x"), "/s/b/y"))
        _ = world.settle()
        #expect(world.complaint() == nil)
    }

    @Test func `A directory that was away when presenters read everything is read again`() {
        let world = ScriptedWorld()
        let directory = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.move(to: "/out/x"), "/r/a"))
        world.overflow()
        world.read()
        world.look()
        #expect(world.turn() == ["\(directory) whole: overflow"])
        #expect(world.act(.move(to: "/r/a"), "/out/x"))
        #expect(world.settle() == ["\(directory) whole: late"])
        #expect(world.complaint() == nil)
    }

    /// The claim on the file's former path does not reach the presenter of the path to which
    /// another program has moved it.
    @Test func `What a program moves over a presented file is told, though a writer wrote it`() {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        _ = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.write(7), "/r/a/f")
        #expect(world.act(.move(to: "/r/f"), "/r/a/f"))
        let told = world.settle()
        #expect(plain(told).contains { $0.hasPrefix("\(file) changed /r/f") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    // MARK: Directories that claims have moved, and programs after them

    /// The directory arrives as a new one, because its way outside is not known.
    @Test func `A directory that comes back by another way is named by its new path`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        let other = world.beginClaim("/s/f")
        world.coordinate(.move(to: "/r/k"), "/r/a")
        #expect(world.act(.move(to: "/out/k"), "/r/k"))
        _ = world.settle()
        #expect(world.act(.move(to: "/r/w"), "/out/k"))
        _ = world.settle()
        world.coordinate(.write(7), "/r/w/f")
        let told = world.settle()
        world.endClaim(other)
        #expect(plain(told) == [], "\(told)")
        #expect(told.contains { $0.contains("changed /r/w/f") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    /// A program moves a directory on from where a claim has left it, before presenters are told of
    /// the claim's move or after that.
    @Test(arguments: [false, true])
    func `What a program has moved on is named by its path there`(_ isTold: Bool) {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        let other = world.beginClaim("/s/f")
        world.coordinate(.move(to: "/r/k"), "/r/a")
        if isTold { _ = world.settle() }
        #expect(world.act(.move(to: "/r/m"), "/r/k"))
        _ = world.settle()
        world.coordinate(.write(7), "/r/m/f")
        let told = world.settle()
        world.endClaim(other)
        #expect(plain(told) == [], "\(told)")
        #expect(told.contains { $0.contains("changed /r/m/f") }, "\(told)")
        #expect(world.complaint() == nil)
    }

    /// The account of the write keeps the path that the claim has named.
    @Test func `What a claim wrote before a program moved the directory is the claim's`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.write(7), "/r/a/f")
        #expect(world.act(.move(to: "/r/b"), "/r/a"))
        world.coordinate(.move(to: "/r/c"), "/r/b")
        let told = world.settle().filter { $0.contains("changed") }
        #expect(told.allSatisfy { $0.hasSuffix("changed /r/c/f (coordinated)") }, "\(told)")
        #expect(told.count == 1)
        #expect(world.complaint() == nil)
    }

    /// What is below an inner directory that has moved is told as a change, and not as everything.
    @Test func `What is in a directory that was moved inside another one is told by itself`() {
        let world = ScriptedWorld()
        for path in ["/r", "/s"] { _ = world.present(path, .directory) }
        #expect(world.act(.createDirectory, "/r/a/b/x"))
        #expect(world.act(.create, "/r/a/b/x/f"))
        _ = world.settle()
        #expect(world.act(.move(to: "/s/b"), "/r/a/b"))
        #expect(world.act(.move(to: "/s/b/y"), "/s/b/x"))
        _ = world.settle()
        #expect(world.act(.write(7), "/s/b/y/f"))
        #expect(world.settle() == ["2 changed /s/b/y/f"])
        #expect(world.complaint() == nil)
    }
}
