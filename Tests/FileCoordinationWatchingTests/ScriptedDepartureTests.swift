// SPDX-License-Identifier: Apache-2.0
//
// Plain programs move or delete items that claims have announced, before the watcher has told
// presenters about the claims' changes (Rules 7.7, 7.14 and 11.9). Presenters hear of what a
// coordinated writer did from its claim alone. So they must be told everything else.

import FileCoordinationWatching
import Testing
import WatchingSimulation

@Suite struct ScriptedDepartureTests {
    @Test(arguments: Progress.allCases)
    func `A file is moved back to where a writer has moved it from`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/r/g"), "/r/f")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/f"), "/r/g"))
        let told = world.settle()
        #expect(plain(told).contains("\(above) moved /r/g to /r/f"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A directory is moved back to where a writer has moved it from`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/r/c"), "/r/a")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/a"), "/r/c"))
        let told = world.settle()
        #expect(plain(told) == ["\(above) moved /r/c to /r/a"], "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A directory is moved back from where nothing is presented`(_ progress: Progress) {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/s/c"), "/r/a")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/a"), "/s/c"))
        let told = world.settle()
        #expect(world.complaint() == nil, "\(told)")
    }

    @Test(arguments: Progress.allCases)
    func `A file is moved away, and written by a claim where it is now`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/g")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/h"), "/r/g"))
        progress.reach(world)
        world.coordinate(.write(7), "/r/h")
        let told = world.settle()
        let departures = ["\(above) deleted /r/g", "\(above) moved /r/g to /r/h"]
        #expect(plain(told).contains(where: departures.contains), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A file that a writer has replaced is deleted`(_ progress: Progress) {
        let world = ScriptedWorld()
        #expect(world.act(.create, "/out/x"))
        let above = world.present("/r", .directory)
        let file = world.present("/r/f", .file)
        _ = world.settle()
        let claim = world.beginClaim("/r/f")
        #expect(world.act(.move(to: "/r/f"), "/out/x"))
        world.endClaim(claim)
        progress.reach(world)
        #expect(world.act(.remove, "/r/f"))
        let told = world.settle()
        #expect(plain(told).contains("\(above) deleted /r/f"), "\(told)")
        #expect(plain(told).contains("\(file) deleted /r/f"), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A new file of a writer is deleted after its directory was moved`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/a/g")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/c"), "/r/a"))
        progress.reach(world)
        #expect(world.act(.remove, "/r/c/g"))
        let told = world.settle()
        #expect(
            plain(told) == ["\(above) moved /r/a to /r/c", "\(above) deleted /r/c/g"], "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A new file of a writer stays in a directory that is moved`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/a/g")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/c"), "/r/a"))
        let told = world.settle()
        #expect(plain(told) == ["\(above) moved /r/a to /r/c"], "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A file is moved on from a path to which a writer puts another one`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/r/g"), "/r/f")
        progress.reach(world)
        #expect(world.act(.move(to: "/r/h"), "/r/g"))
        progress.reach(world)
        world.coordinate(.create, "/r/g")
        let told = world.settle()
        let arrivals = [
            "\(above) appeared /r/h", "\(above) moved /r/g to /r/h",
            "\(above) moved /r/f to /r/h (coordinated), arrival plain",
        ]
        #expect(told.contains(where: arrivals.contains), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A writer keeps the former version beside its item`(_ progress: Progress) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        let claim = world.beginClaim("/r/f")
        #expect(world.act(.move(to: "/r/f~"), "/r/f"))
        progress.reach(world)
        #expect(world.act(.create, "/r/f"))
        world.endClaim(claim)
        let told = world.settle()
        let arrivals = [
            "\(above) appeared /r/f~", "\(above) moved /r/f to /r/f~ (coordinated), arrival plain",
        ]
        #expect(told.contains(where: arrivals.contains), "\(told)")
        #expect(world.complaint() == nil)
    }

    @Test(arguments: Progress.allCases)
    func `A new file of a writer is in one of two directories that are exchanged`(
        _ progress: Progress
    ) {
        let world = ScriptedWorld()
        let above = world.present("/", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/a/g")
        progress.reach(world)
        #expect(world.act(.exchange(with: "/s"), "/r/a"))
        let told = world.settle()
        #expect(world.complaint() == nil, "\(told), \(above)")
    }

    /// The directory is reported as new, because presenters knew another item by its path.
    ///
    /// That does not say that the file inside has left its former path. Where both directories are
    /// told in one message, the presenter is told to read everything.
    @Test(arguments: Progress.allCases)
    func `A new file of a writer is moved into one of two directories that are exchanged`(
        _ progress: Progress
    ) {
        let world = ScriptedWorld()
        let above = world.present("/", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/g")
        progress.reach(world)
        #expect(world.act(.exchange(with: "/s"), "/r/a"))
        #expect(world.act(.move(to: "/s/g"), "/r/g"))
        let told = world.settle()
        let departures = [
            "\(above) moved /r/g to /s/g", "\(above) deleted /r/g", "\(above) whole: replaced",
        ]
        #expect(plain(told).contains(where: departures.contains), "\(told)")
        #expect(world.complaint() == nil, "\(told)")
    }

    /// As above, but one of the directories is told in an earlier turn than the other one.
    @Test(arguments: 0...12)
    func `The watcher has seen only one of the two directories when a turn ends`(_ checks: Int) {
        let world = ScriptedWorld()
        let above = world.present("/", .directory)
        _ = world.settle()
        world.coordinate(.create, "/r/g")
        #expect(world.act(.exchange(with: "/s"), "/r/a"))
        #expect(world.act(.move(to: "/s/g"), "/r/g"))
        world.read()
        world.look(checks)
        let told = world.turn(after: 60) + world.settle()
        let departures = [
            "\(above) moved /r/g to /s/g", "\(above) deleted /r/g", "\(above) whole: replaced",
        ]
        #expect(plain(told).contains(where: departures.contains), "\(told)")
        #expect(world.complaint() == nil, "\(told)")
    }

    /// The watcher gives the file up when it has heard of the return, and before it looks.
    @Test func `A file that comes back when it is given up is not told as another one`() {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.move(to: "/out/g"), "/r/f"))
        world.read()
        world.look()
        _ = world.turn(after: 10)
        #expect(world.act(.move(to: "/r/f"), "/out/g"))
        world.read()
        let told = world.turn(after: 500) + world.settle()
        #expect(told == ["\(above) attributes /r/f"])
        #expect(world.complaint() == nil)
    }

    /// The writer's claim announces only where the writer has put the item.
    @Test(arguments: Progress.allCases)
    func `What a writer has moved takes the place of a presented directory`(_ progress: Progress) {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        let inside = world.present("/s", .directory)
        _ = world.settle()
        world.coordinate(.move(to: "/r/g"), "/r/f")
        progress.reach(world)
        #expect(world.act(.exchange(with: "/s"), "/r/g"))
        let told = world.settle()
        #expect(told.contains("\(inside) whole: replaced"), "\(told)")
        #expect(world.complaint() == nil)
    }

    /// A presenter looks at a name when it is told that the item there has gone.
    ///
    /// It may see another one, which is gone a moment later.
    @Test(arguments: [false, true])
    func `A name of which a deletion was told is told again if a file was there since`(
        isTold: Bool
    ) {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        func settle() -> [String] {
            world.read()
            world.look()
            return world.turn(after: 60)
        }
        let name = isTold ? "/r/f" : "/r/g"
        if isTold {
            #expect(world.act(.remove, name))
            #expect(settle() == ["\(above) deleted /r/f"])
        }
        for _ in 1...2 {
            #expect(world.act(.create, name))
            #expect(world.act(.remove, name))
            #expect(settle() == (isTold ? ["\(above) deleted /r/f"] : []))
        }
        #expect(world.complaint() == nil)
    }

    @Test func `What was written on a way that is no longer known is told beside the move`() {
        let world = ScriptedWorld()
        let file = world.present("/r/a/f", .file)
        let above = world.present("/r/a", .directory)
        _ = world.settle()
        #expect(world.act(.move(to: "/r/d"), "/r/a"))
        world.read()
        world.look()
        _ = world.turn()
        #expect(world.act(.write(5), "/r/d/f"))
        #expect(world.act(.move(to: "/r/g"), "/r/d/f"))
        world.read()
        world.look()
        // The directory by which the item's presenter knows it is of no interest any more.
        world.unpresent(above)
        #expect(
            world.settle() == ["\(file) moved /r/a/f to /r/g", "\(file) changed /r/g"])
        #expect(world.complaint() == nil)
    }

    /// On a busy machine, the watcher may look at each name after the item has left it.
    @Test func `An item that is moved on while the watcher comes late is not given up`() {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        _ = world.settle()
        #expect(world.act(.move(to: "/r/1"), "/r/f"))
        for number in 1...5 {
            world.read()
            #expect(world.act(.move(to: "/r/\(number + 1)"), "/r/\(number)"))
            world.look()
            #expect(world.turn(after: 60, isBehind: true) == [])
        }
        #expect(world.settle() == ["\(file) moved /r/f to /r/6"])
        #expect(world.complaint() == nil)
    }

    /// If notifications come faster than they are read, presenters are told nevertheless.
    @Test func `An item that is gone is given up after a while, although more can be read`() {
        let world = ScriptedWorld()
        let file = world.present("/r/f", .file)
        _ = world.settle()
        #expect(world.act(.move(to: "/x"), "/r/f"))
        world.read(1)
        world.look()
        var told: [String] = []
        for _ in 0..<30 where told.isEmpty { told = world.turn(after: 60, isBehind: true) }
        #expect(told == ["\(file) deleted /r/f"])
    }

    /// It has read the result of an exchange of which the watcher has not heard.
    @Test(arguments: 0..<6)
    func `What a new presenter has read at an exchanged name is removed`(_ checks: Int) {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        world.look()
        #expect(world.act(.exchange(with: "/r/f"), "/r/a"))
        let listening = world.turn()
        #expect(listening == ["1 listening"])
        world.read(2)
        world.look(checks)
        #expect(world.act(.remove, "/r/a"))
        let told = world.settle()
        #expect(world.complaint() == nil, "\(told)")
    }

    /// The presenter looks for the new item as soon as it is told, and would not find it.
    @Test func `What comes into a directory that is away is told when that is back`() {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.act(.create, "/r/a/g"))
        world.read()
        world.look()
        #expect(world.act(.move(to: "/out/a"), "/r/a"))
        world.read(1)
        #expect(world.turn(after: 60) == [])
        #expect(world.act(.move(to: "/r/a"), "/out/a"))
        let told = world.settle()
        #expect(told.contains("1 appeared /r/a/g"), "\(told)")
        #expect(world.complaint() == nil, "\(told)")
    }

    /// The presenter above still believes that what was inside is there.
    @Test(arguments: [PresentedKind.file, .directory])
    func `A presenter leaves its item in a directory that is away, where it is removed`(
        _ kind: PresentedKind
    ) {
        let world = ScriptedWorld()
        _ = world.present("/r", .directory)
        let path = kind == .file ? "/r/a/b/f" : "/r/a/b"
        let inner = world.present(path, kind)
        #expect(world.act(.create, "/r/a/b/f"))
        _ = world.settle()
        #expect(world.act(.move(to: "/out/a"), "/r/a"))
        world.read(1)
        world.look()
        world.unpresent(inner)
        world.look()
        #expect(world.act(.remove, "/out/a/b/f"))
        #expect(world.act(.move(to: "/r/c"), "/out/a"))
        let told = world.settle()
        #expect(told.contains("1 deleted /r/c/b/f"), "\(told)")
        #expect(world.complaint() == nil, "\(told)")
    }

    /// Without presenters no turn comes that would end the watches later.
    @Test func `The last presenter goes while a directory is away`() {
        let world = ScriptedWorld()
        let above = world.present("/r", .directory)
        _ = world.settle()
        #expect(world.watchCount > 0)
        #expect(world.act(.move(to: "/out/a"), "/r/a"))
        world.read(1)
        world.look()
        world.unpresent(above)
        world.look()
        #expect(world.watchCount == 0)
    }
}
