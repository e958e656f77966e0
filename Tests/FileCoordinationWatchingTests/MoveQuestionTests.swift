// SPDX-License-Identifier: Apache-2.0
//
// The server asks whether all moves before a claim were told (Rule 1.15). An answer means that
// every presenter whose item has come to the claim's paths was told so before it.

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

@Suite struct MoveQuestionTests {
    private func start() throws -> HandMadeKernel {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        kernel.there["/b"] = HandMadeKernel.directory(3)
        kernel.there["/a/f"] = HandMadeKernel.file(4)
        try kernel.present(1, "/a/f", .file)
        _ = kernel.turn()
        return kernel
    }

    private func ask(_ kernel: inout HandMadeKernel, _ number: UInt64, _ path: String) throws {
        let item = try #require(ItemPath(path))
        kernel.reconciler.handle(.asked(number, [item]), at: kernel.now)
    }

    private func drain(_ kernel: inout HandMadeKernel) {
        kernel.reconciler.handle(.drained, at: kernel.now)
    }

    private func move(_ kernel: inout HandMadeKernel, _ old: String, _ new: String) {
        kernel.there["/a/" + new] = kernel.there.removeValue(forKey: "/a/" + old)
        kernel.notify("/a", .movedFrom, old, cookie: 7)
        kernel.notify("/a", .movedTo, new, cookie: 7)
    }

    @Test func `A question is answered when the kernel's queue has been empty since`() throws {
        var kernel = try start()
        drain(&kernel)
        try ask(&kernel, 5, "/a/g")
        #expect(kernel.reconciler.nextDeadline == kernel.now)
        _ = kernel.turn(after: 0)
        #expect(kernel.reconciler.lastAnswered == 0)
        drain(&kernel)
        _ = kernel.turn(after: 0)
        #expect(kernel.reconciler.lastAnswered == 5)
        #expect(kernel.reconciler.hasToldAllMoves)
    }

    @Test func `An item that has come to the claim's path is followed at once`() throws {
        var kernel = try start()
        move(&kernel, "f", "g")
        #expect(kernel.turn(after: 0).isEmpty)
        #expect(!kernel.reconciler.hasToldAllMoves)
        try ask(&kernel, 1, "/a/g")
        drain(&kernel)
        #expect(kernel.turn(after: 0) == ["1 /a/g moved from /a/f"])
        #expect(kernel.reconciler.lastAnswered == 1)
        #expect(kernel.reconciler.hasToldAllMoves)
    }

    @Test func `So is one whose directory was moved to around the claim's path`() throws {
        var kernel = try start()
        kernel.there["/c"] = kernel.there.removeValue(forKey: "/a")
        kernel.there["/c/f"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.notify("/", .movedFrom, "a", cookie: 7)
        kernel.notify("/", .movedTo, "c", cookie: 7)
        try ask(&kernel, 1, "/c/f")
        drain(&kernel)
        #expect(kernel.turn(after: 0) == ["1 /c/f moved from /a/f"])
        #expect(kernel.reconciler.lastAnswered == 1)
    }

    @Test func `The pause between messages does not hold up the answer`() throws {
        var kernel = try start()
        kernel.there["/a/f"] = HandMadeKernel.file(4, 5)
        kernel.notify("/a", .changed, "f")
        #expect(kernel.turn(after: 100) == ["1 /a/f content"])
        move(&kernel, "f", "g")
        try ask(&kernel, 1, "/a/g")
        drain(&kernel)
        #expect(kernel.turn(after: 0) == ["1 /a/g moved from /a/f"])
    }

    @Test func `An item that went elsewhere waits for its former path to be taken, as ever`() throws
    {
        var kernel = try start()
        move(&kernel, "f", "g")
        try ask(&kernel, 1, "/a/h")
        drain(&kernel)
        #expect(kernel.turn(after: 0).isEmpty)
        #expect(kernel.reconciler.lastAnswered == 1)
        kernel.there["/a/f"] = HandMadeKernel.file(9)
        kernel.notify("/a", .created, "f")
        #expect(kernel.turn() == ["1 /a/f content"])
    }

    @Test func `An item that left for a place that is not watched is found by its identity`() throws
    {
        var kernel = try start()
        kernel.there["/b/g"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        try ask(&kernel, 1, "/b/g")
        drain(&kernel)
        var told = kernel.turn(after: 0)
        while kernel.reconciler.lastAnswered == 0 { told += kernel.turn(after: 0) }
        #expect(told == ["1 /b/g moved from /a/f"])
    }

    @Test func `Where changes are polled, the claim's own path is looked at`() throws {
        var kernel = HandMadeKernel()
        kernel.there["/n"] = HandMadeKernel.directory(2)
        kernel.there["/n/f"] = HandMadeKernel.file(4)
        kernel.outcomes["/n"] = .watchingLocalChanges(99)
        try kernel.present(1, "/n/f", .file)
        _ = kernel.turn()
        #expect(!kernel.reconciler.hasToldAllMoves)
        kernel.there["/n/g"] = kernel.there.removeValue(forKey: "/n/f")
        try ask(&kernel, 1, "/n/g")
        drain(&kernel)
        var told = kernel.turn(after: 0)
        while kernel.reconciler.lastAnswered == 0 { told += kernel.turn(after: 0) }
        #expect(told == ["1 /n/g moved from /n/f"])
    }

    @Test func `What was looked at for a question is forgotten after it`() throws {
        var kernel = try start()
        let nodes = kernel.reconciler.nodeCount
        kernel.there["/a/f"] = nil
        kernel.there["/b/c"] = HandMadeKernel.directory(5)
        kernel.there["/b/c/d"] = HandMadeKernel.file(6)
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        try ask(&kernel, 1, "/b/c/d")
        drain(&kernel)
        for _ in 0..<4 { _ = kernel.turn(after: 0) }
        #expect(kernel.reconciler.lastAnswered == 1)
        _ = kernel.turn(after: 60)
        _ = kernel.turn(after: 60)
        #expect(kernel.reconciler.nodeCount <= nodes)
    }

    @Test func `A write to the item does not keep the answer back`() throws {
        var kernel = try start()
        let path = try #require(ItemPath("/a/f"))
        kernel.reconciler.handle(.claimBegan(1, [path]), at: kernel.now)
        move(&kernel, "f", "g")
        try ask(&kernel, 1, "/a/g")
        drain(&kernel)
        for _ in 0..<4 { #expect(kernel.turn(after: 0).isEmpty) }
        #expect(kernel.reconciler.lastAnswered == 1)
    }
}
