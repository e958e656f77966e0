// SPDX-License-Identifier: Apache-2.0
//
// Who made a change. A coordinated writer's change is reported once, as the writer's; changes by
// plain programs before, after and during the write are reported as theirs (Rules 7.7, 7.9 and
// 7.14).

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

@Suite struct OriginTests {
    let path: ItemPath

    init() throws { path = try #require(ItemPath("/a/f")) }

    func start() throws -> HandMadeKernel {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        kernel.there["/a/f"] = HandMadeKernel.file(4, 1)
        try kernel.present(1, "/a", .directory)
        try kernel.present(2, "/a/f", .file)
        _ = kernel.turn()
        return kernel
    }

    func begin(_ kernel: inout HandMadeKernel) {
        kernel.reconciler.handle(.claimBegan(1, [path]), at: kernel.now)
    }

    func end(
        _ kernel: inout HandMadeKernel, _ before: ObservedFile?, _ after: ObservedFile?
    ) {
        let change = ClaimedChange(path: path, before: before, after: after)
        kernel.reconciler.handle(.claimEnded(1, [change]), at: kernel.now)
    }

    func write(_ kernel: inout HandMadeKernel, _ instant: Int64) {
        kernel.there["/a/f"] = HandMadeKernel.file(4, instant)
        kernel.notify("/a", .changed, "f")
    }

    @Test func `A coordinated write is told once, when its claim has ended, as coordinated`() throws
    {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 2)
        #expect(kernel.turn().isEmpty)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        #expect(
            Set(kernel.turn()) == ["1 /a/f content, coordinated", "2 /a/f content, coordinated"])
        #expect(kernel.turn().isEmpty)
    }

    @Test func `A notification that comes after the claim's end is not another change`() throws {
        var kernel = try start()
        begin(&kernel)
        kernel.there["/a/f"] = HandMadeKernel.file(4, 2)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        #expect(kernel.turn().count == 2)
        kernel.notify("/a", .changed, "f")
        #expect(kernel.turn().isEmpty)
    }

    @Test func `A plain change before a claim is told beside the claim's`() throws {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 3)
        end(&kernel, HandMadeKernel.file(4, 2), HandMadeKernel.file(4, 3))
        #expect(
            Set(kernel.turn().filter { $0.hasPrefix("2") })
                == ["2 /a/f content", "2 /a/f content, coordinated"])
    }

    @Test func `A plain change after a claim is told beside the claim's`() throws {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 3)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        #expect(
            Set(kernel.turn().filter { $0.hasPrefix("2") })
                == ["2 /a/f content", "2 /a/f content, coordinated"])
    }

    @Test func `A claim that found what was never notified brings it to light`() throws {
        var kernel = try start()
        begin(&kernel)
        // Another process wrote, and no notification came; the claim itself changed nothing.
        kernel.there["/a/f"] = HandMadeKernel.file(4, 2)
        end(&kernel, HandMadeKernel.file(4, 2), HandMadeKernel.file(4, 2))
        #expect(Set(kernel.turn()) == ["1 /a/f content", "2 /a/f content"])
    }

    @Test func `Two claims in a row leave no gap for a plain change`() throws {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 2)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        begin(&kernel)
        write(&kernel, 3)
        end(&kernel, HandMadeKernel.file(4, 2), HandMadeKernel.file(4, 3))
        #expect(
            Set(kernel.turn()) == ["1 /a/f content, coordinated", "2 /a/f content, coordinated"])
    }

    @Test func `A coordinated change beside a coordinated move is the claims', not a program's`()
        throws
    {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        kernel.there["/a/f"] = HandMadeKernel.file(4, 1)
        try kernel.present(2, "/a/f", .file)
        try kernel.present(1, "/a", .directory)
        _ = kernel.turn()
        let moved = try #require(ItemPath("/a/g"))
        let (first, last) = (HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        kernel.reconciler.handle(.claimBegan(1, [path]), at: kernel.now)
        kernel.there["/a/g"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        kernel.notify("/a", .movedTo, "g", cookie: 7)
        kernel.reconciler.handle(
            .claimEnded(1, [ClaimedChange(path: path, before: first, after: nil)]),
            at: kernel.now)
        kernel.reconciler.handle(.claimBegan(2, [moved]), at: kernel.now)
        kernel.there["/a/g"] = last
        kernel.notify("/a", .changed, "g")
        kernel.reconciler.handle(
            .claimEnded(2, [ClaimedChange(path: moved, before: first, after: last)]),
            at: kernel.now)
        // The presenter follows its item when its former path has been free for a while.
        var told = kernel.turn()
        told += kernel.turn()
        #expect(told.contains("2 /a/g moved from /a/f, coordinated"), "\(told)")
        #expect(told.contains("2 /a/g content, coordinated"), "\(told)")
        #expect(!told.contains { $0.hasSuffix(" content") }, "\(told)")
        #expect(kernel.turn().isEmpty)
    }

    @Test func `A plain change beside a plain move of a presented file is told`() throws {
        var kernel = try start()
        kernel.there["/a/g"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.there["/a/g"] = HandMadeKernel.file(4, 2)
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        kernel.notify("/a", .movedTo, "g", cookie: 7)
        kernel.notify("/a", .changed, "g")
        let told = kernel.turn() + kernel.turn()
        #expect(told.contains("2 /a/g moved from /a/f"), "\(told)")
        #expect(told.contains("2 /a/g content"), "\(told)")
    }

    // MARK: Two origins of one move

    /// `/b` and `/c`, which are presented, too.
    private func startWithThreeDirectories() throws -> HandMadeKernel {
        var kernel = try start()
        kernel.there["/b"] = HandMadeKernel.directory(3)
        kernel.there["/c"] = HandMadeKernel.directory(5)
        try kernel.present(3, "/b", .directory)
        try kernel.present(4, "/c", .directory)
        _ = kernel.turn()
        kernel.reconciler.handle(.drained, at: kernel.now)
        return kernel
    }

    /// Moves the file to `/b/g` and on to `/c/h` before the watcher looks.
    ///
    /// A claim reports the move between the two `claimed` of these three paths.
    private func moveTwice(_ kernel: inout HandMadeKernel, claimed: [String]) throws {
        let paths = try claimed.map { try #require(ItemPath($0)) }
        kernel.reconciler.handle(.claimBegan(1, paths), at: kernel.now)
        kernel.there["/c/h"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        kernel.notify("/b", .movedTo, "g", cookie: 7)
        kernel.notify("/b", .movedFrom, "g", cookie: 8)
        kernel.notify("/c", .movedTo, "h", cookie: 8)
        let observed = HandMadeKernel.file(4, 1)
        let changes = [
            ClaimedChange(path: paths[0], before: observed, after: nil),
            ClaimedChange(path: paths[1], before: nil, after: observed),
        ]
        kernel.reconciler.handle(.claimEnded(1, changes), at: kernel.now)
    }

    @Test func `What is moved on from where a claim has left it is gone from there`() throws {
        var kernel = try startWithThreeDirectories()
        try moveTwice(&kernel, claimed: ["/a/f", "/b/g"])
        let told = kernel.turn() + kernel.turn()
        #expect(
            Set(told) == [
                "1 /a/f deleted, coordinated", "2 /c/h moved from /a/f, coordinated",
                "3 /b/g deleted", "4 /c/h appeared",
            ])
        #expect(kernel.turn().isEmpty)
    }

    @Test func `What a claim has moved on was taken away by a program before`() throws {
        var kernel = try startWithThreeDirectories()
        try moveTwice(&kernel, claimed: ["/b/g", "/c/h"])
        let told = kernel.turn() + kernel.turn()
        #expect(
            Set(told) == [
                "1 /a/f deleted, either", "2 /c/h moved from /a/f, coordinated",
                "4 /c/h appeared, coordinated",
            ])
    }

    @Test func `Inside one directory the change says where the claim has left its item`() throws {
        var kernel = try start()
        let left = try #require(ItemPath("/a/g"))
        kernel.reconciler.handle(.drained, at: kernel.now)
        kernel.reconciler.handle(.claimBegan(1, [path, left]), at: kernel.now)
        kernel.there["/a/h"] = kernel.there.removeValue(forKey: "/a/f")
        for (names, cookie) in [(["f", "g"], UInt32(7)), (["g", "h"], 8)] {
            kernel.notify("/a", .movedFrom, names[0], cookie: cookie)
            kernel.notify("/a", .movedTo, names[1], cookie: cookie)
        }
        let observed = HandMadeKernel.file(4, 1)
        let changes = [
            ClaimedChange(path: path, before: observed, after: nil),
            ClaimedChange(path: left, before: nil, after: observed),
        ]
        kernel.reconciler.handle(.claimEnded(1, changes), at: kernel.now)
        kernel.carryOut()
        let news = kernel.reconciler.endTurn(at: kernel.now)
        let moves = news.filter { $0.presenter == 1 }.flatMap { message -> [WatchedChange] in
            if case .changes(let changes) = message.body { changes } else { [] }
        }
        #expect(moves.map(\.leftAt) == [left])
        #expect(moves.map(\.origin) == [.coordinated])
    }

    @Test func `A change inside a directory that is being written may be either's`() throws {
        var kernel = try start()
        let directory = try #require(ItemPath("/a"))
        kernel.reconciler.handle(.claimBegan(1, [directory]), at: kernel.now)
        write(&kernel, 2)
        #expect(Set(kernel.turn()) == ["1 /a/f content, either", "2 /a/f content, either"])
    }

    @Test func `What a writer that died did may be either's`() throws {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 2)
        kernel.reconciler.handle(.claimEnded(1, []), at: kernel.now)
        #expect(Set(kernel.turn()) == ["1 /a/f content, either", "2 /a/f content, either"])
    }

    @Test func `A presenter that comes with an old stamp is told what changed since`() throws {
        var kernel = try start()
        let since = HandMadeKernel.file(4, 0)
        kernel.reconciler.handle(.presented(3, path, .file, since: since), at: kernel.now)
        let told = kernel.turn() + kernel.turn()
        #expect(told == ["3 listening", "3 /a/f content"])
    }

    @Test func `A presenter that comes with the present stamp is told nothing`() throws {
        var kernel = try start()
        let since = HandMadeKernel.file(4, 1)
        kernel.reconciler.handle(.presented(3, path, .file, since: since), at: kernel.now)
        #expect(kernel.turn() + kernel.turn() == ["3 listening"])
    }

    /// Rule 7.14: the item was removed between the registration and the first check.
    @Test(arguments: [true, false])
    func `A presenter whose item is gone when it is first checked is told to read`(
        _ existed: Bool
    ) throws {
        var kernel = try start()
        let absent = try #require(ItemPath("/a/none"))
        let missed = MissedChanges(after: .max, existed: existed)
        kernel.reconciler.handle(
            .presented(3, absent, .file, since: nil, missed: missed), at: kernel.now)
        let told = kernel.turn() + kernel.turn()
        #expect(told == ["3 listening"] + (existed ? ["3 whole: late"] : []))
    }

    @Test func `A write that is found late explains what was told of it before`() throws {
        var kernel = try start()
        write(&kernel, 2)
        #expect(kernel.turn().count == 2)
        kernel.reconciler.handle(.claimFound(1, [path]), at: kernel.now)
        write(&kernel, 3)
        #expect(kernel.turn().isEmpty)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 3))
        #expect(
            Set(kernel.turn()) == ["1 /a/f content, coordinated", "2 /a/f content, coordinated"])
    }

    @Test func `What is written into a file without a name is no news`() throws {
        var kernel = try start()
        // A presenter that reads everything now may see changes whose notifications come later.
        try kernel.present(3, "/a", .directory)
        kernel.notify("/a", .changed, "#4711")
        #expect(kernel.turn().isEmpty)
    }
}
