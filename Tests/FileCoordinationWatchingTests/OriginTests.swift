// SPDX-License-Identifier: Apache-2.0
//
// Whose change was it? What a coordinated writer did is told once, as its own; what plain programs
// did before, after and beside is told as theirs (Rules 7.7, 7.9 and 7.14).

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

@Suite struct OriginTests {
    private let path: ItemPath

    init() throws { path = try #require(ItemPath("/a/f")) }

    private func start() throws -> HandMadeKernel {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        kernel.there["/a/f"] = HandMadeKernel.file(4, 1)
        try kernel.present(1, "/a", .directory)
        try kernel.present(2, "/a/f", .file)
        _ = kernel.turn()
        return kernel
    }

    private func begin(_ kernel: inout HandMadeKernel) {
        kernel.reconciler.handle(.claimBegan(1, [path]), at: kernel.now)
    }

    private func end(_ kernel: inout HandMadeKernel, _ before: FileSight?, _ after: FileSight?) {
        let change = ClaimedChange(path: path, before: before, after: after)
        kernel.reconciler.handle(.claimEnded(1, [change]), at: kernel.now)
    }

    private func write(_ kernel: inout HandMadeKernel, _ instant: Int64) {
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
        // One that reads everything now may see what is not notified of yet.
        try kernel.present(3, "/a", .directory)
        kernel.notify("/a", .changed, "#4711")
        #expect(kernel.turn().isEmpty)
    }
}
