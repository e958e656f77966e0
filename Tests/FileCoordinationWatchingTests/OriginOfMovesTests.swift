// SPDX-License-Identifier: Apache-2.0
//
// Who made changes beside moves by claims that cover the former path alone (Rules 7.14 and 11.9).

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

extension OriginTests {
    /// A kernel with directories of these inode numbers.
    private func withDirectories(_ inodes: [String: UInt64]) -> HandMadeKernel {
        var kernel = HandMadeKernel()
        kernel.there = inodes.mapValues(HandMadeKernel.directory)
        return kernel
    }

    /// Moves `/a/f` to `/a/g`, with a claim on the former path alone or without one.
    private func move(
        _ kernel: inout HandMadeKernel, _ before: ObservedFile, isCoordinated: Bool = true
    ) {
        if isCoordinated { begin(&kernel) }
        var moved = before
        moved.stamp.changed += 1
        kernel.there["/a/f"] = nil
        kernel.there["/a/g"] = moved
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        kernel.notify("/a", .movedTo, "g", cookie: 7)
        if isCoordinated { end(&kernel, before, nil) }
    }

    @Test(arguments: [true, false])
    func `What a claim wrote before the item was moved is not a program's change`(
        isMoveCoordinated: Bool
    ) throws {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 2)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        move(&kernel, HandMadeKernel.file(4, 2), isCoordinated: isMoveCoordinated)
        let told = kernel.turn() + kernel.turn()
        let origin = isMoveCoordinated ? ", coordinated" : ""
        #expect(told.contains("1 /a/g moved from /a/f\(origin)"), "\(told)")
        #expect(told.contains("1 /a/g content, coordinated"), "\(told)")
        #expect(!told.contains { $0.hasSuffix(" content") }, "\(told)")
    }

    @Test func `A program's change between a claim's and a move is told`() throws {
        var kernel = try start()
        begin(&kernel)
        write(&kernel, 2)
        end(&kernel, HandMadeKernel.file(4, 1), HandMadeKernel.file(4, 2))
        write(&kernel, 3)
        move(&kernel, HandMadeKernel.file(4, 3))
        let told = kernel.turn() + kernel.turn()
        #expect(told.contains("1 /a/g content"), "\(told)")
    }

    @Test(arguments: [false, true])
    func `An item that claims made and moved before that was told has not come by itself`(
        isChanged: Bool
    ) throws {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        try kernel.present(1, "/a", .directory)
        _ = kernel.turn()
        begin(&kernel)
        write(&kernel, 2)
        end(&kernel, nil, HandMadeKernel.file(4, 2))
        move(&kernel, HandMadeKernel.file(4, 2))
        if isChanged { kernel.there["/a/g"] = HandMadeKernel.file(4, 5) }
        let told = kernel.turn() + kernel.turn()
        let appeared = isChanged ? "1 /a/g appeared" : "1 /a/g appeared, either"
        #expect(told == [appeared, "1 /a/f deleted, coordinated"])
    }

    @Test func `A claim on the former path says what has arrived at the new one`() throws {
        var kernel = withDirectories(["/a": 2, "/b": 3])
        kernel.there["/b/f"] = HandMadeKernel.file(4, 1)
        try kernel.present(1, "/a", .directory)
        _ = kernel.turn()
        let (former, place) = (try #require(ItemPath("/b/f")), try #require(ItemPath("/a/f")))
        kernel.reconciler.handle(.claimBegan(1, [former]), at: kernel.now)
        kernel.there["/a/f"] = kernel.there.removeValue(forKey: "/b/f")
        kernel.notify("/a", .movedTo, "f", cookie: 7)
        let move = ItemMove(from: former, to: place)
        kernel.reconciler.handle(.claimExtended(1, [move]), at: kernel.now)
        #expect(kernel.turn().isEmpty)
        let item = HandMadeKernel.file(4, 1)
        let left = ClaimedChange(path: former, before: item, after: nil)
        let arrival = ClaimedChange(arrivalAt: place, of: item)
        kernel.reconciler.handle(.claimEnded(1, [left, arrival]), at: kernel.now)
        #expect(kernel.turn() == ["1 /a/f appeared, coordinated"])
        #expect(kernel.turn().isEmpty)
    }

    @Test func `What came with a directory that a claim has moved may be its own`() throws {
        var kernel = withDirectories(["/a": 2, "/b": 3, "/b/d": 5])
        kernel.there["/b/d/f"] = HandMadeKernel.file(4, 1)
        try kernel.present(1, "/a", .directory)
        _ = kernel.turn()
        let (former, place) = (try #require(ItemPath("/b/d")), try #require(ItemPath("/a/d")))
        kernel.reconciler.handle(.claimBegan(1, [former]), at: kernel.now)
        let move = ItemMove(from: former, to: place)
        kernel.reconciler.handle(.claimExtended(1, [move]), at: kernel.now)
        kernel.there["/a/d"] = kernel.there.removeValue(forKey: "/b/d")
        kernel.there["/a/d/f"] = kernel.there.removeValue(forKey: "/b/d/f")
        kernel.notify("/a", .movedTo, "d", cookie: 7)
        let directory = HandMadeKernel.directory(5)
        let changes = [
            ClaimedChange(path: former, before: directory, after: nil),
            ClaimedChange(arrivalAt: place, of: directory),
        ]
        kernel.reconciler.handle(.claimEnded(1, changes), at: kernel.now)
        let told = kernel.turn() + kernel.turn()
        #expect(told.contains("1 /a/d appeared, coordinated"), "\(told)")
        #expect(told.contains("1 /a/d/f appeared, either"), "\(told)")
    }

    @Test func `What a program moved away before a claim's item came is its move`() throws {
        var kernel = try start()
        kernel.there["/b"] = HandMadeKernel.directory(3)
        kernel.there["/b/x"] = HandMadeKernel.file(6, 1)
        let former = try #require(ItemPath("/b/x"))
        kernel.reconciler.handle(.claimBegan(1, [former]), at: kernel.now)
        kernel.reconciler.handle(
            .claimExtended(1, [ItemMove(from: former, to: path)]), at: kernel.now)
        kernel.there["/a/g"] = kernel.there["/a/f"]
        kernel.there["/a/f"] = kernel.there.removeValue(forKey: "/b/x")
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        kernel.notify("/a", .movedTo, "g", cookie: 7)
        kernel.notify("/a", .movedTo, "f", cookie: 8)
        let item = HandMadeKernel.file(6, 1)
        let changes = [
            ClaimedChange(path: former, before: item, after: nil),
            ClaimedChange(arrivalAt: path, of: item),
        ]
        kernel.reconciler.handle(.claimEnded(1, changes), at: kernel.now)
        let told = kernel.turn() + kernel.turn()
        #expect(told.contains("1 /a/g moved from /a/f"), "\(told)")
    }

    @Test func `What a claim may be moving is not told before the claim ends`() throws {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        try kernel.present(1, "/a", .directory)
        _ = kernel.turn()
        begin(&kernel)
        write(&kernel, 2)
        end(&kernel, nil, HandMadeKernel.file(4, 2))
        begin(&kernel)
        move(&kernel, HandMadeKernel.file(4, 2), isCoordinated: false)
        #expect(kernel.turn().isEmpty)
        end(&kernel, HandMadeKernel.file(4, 2), nil)
        #expect(kernel.turn() == ["1 /a/g appeared, either", "1 /a/f deleted, coordinated"])
    }
}
