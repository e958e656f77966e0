// SPDX-License-Identifier: Apache-2.0
//
// Faults that need a kernel which delivers events in parts, refuses a call, or reports nothing. The
// tests run the reconciler alone and make the kernel's answers themselves. Each reads from top to
// bottom: what happens, then what presenters are told.

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

/// A reconciler, and a table of what is where.
struct HandMadeKernel {
    var reconciler: WatchReconciler
    /// What is at each path; a directory's handle is its inode number.
    var there: [String: ObservedFile] = [:]
    /// The watch that each path has got.
    private(set) var watches: [String: Int32] = [:]
    /// How watches of these paths end.
    var outcomes: [String: WatchOutcome] = [:]
    /// The mode of each watch: that of the last order.
    private(set) var modes: [Int32: WatchOrder.Mode] = [:]
    /// Directories that refuse to be listed.
    var unreadable: Set<String> = []
    /// Directories in which no name may be looked at.
    var forbidden: Set<String> = []
    var now = Instant.distantPast + .milliseconds(1)
    /// Whether all files were changed so recently that another change may not show.
    var areTimesRecent = false
    private(set) var looks = 0
    /// The most orders that were taken at once.
    private(set) var mostOrders = 0

    init(_ limits: WatchLimits = WatchLimits()) {
        reconciler = WatchReconciler(root: Self.directory(1), limits: limits)
        there["/"] = Self.directory(1)
    }

    static func directory(_ inode: UInt64) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: inode), isDirectory: true,
            stamp: FileStamp(size: 0, modified: 0, changed: 0, mode: 0o40755))
    }

    static func file(_ inode: UInt64, _ instant: Int64 = 0) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: inode),
            stamp: FileStamp(size: 1, modified: instant, changed: instant))
    }

    /// Carries out all orders, and those that follow.
    mutating func carryOut() {
        // Bounded, so that orders without end fail.
        var rounds = 0
        while reconciler.hasOrders, rounds < 10_000 {
            rounds += 1
            let orders = reconciler.takeOrders()
            mostOrders = max(mostOrders, orders.count)
            for order in orders { carryOut(order) }
        }
    }

    private mutating func carryOut(_ order: WatchOrder) {
        switch order {
        case .unwatch: break
        case .watch(let node, let path, _, let mode):
            let number = watches[path.description] ?? Int32(watches.count + 1)
            let outcome = outcomes[path.description] ?? .watching(number)
            if outcome == .watching(number) { watches[path.description] = number }
            if case .watching(let watch) = outcome { modes[watch] = mode }
            reconciler.handle(.watched(node, outcome, mode), at: now)
        case .list(let node, let path, _):
            let head = path.description == "/" ? "/" : path.description + "/"
            let names = there.keys.filter { $0.hasPrefix(head) && $0 != "/" }
                .map { $0.dropFirst(head.count) }.filter { !$0.contains("/") }.sorted()
            let found: Found<[[UInt8]]> =
                unreadable.contains(path.description)
                ? .refused : .seen(names.map { Array($0.utf8) })
            reconciler.handle(.listed(node, found), at: now)
        case .check(let node, let name, let path, _):
            looks += 1
            let text = String(decoding: name, as: UTF8.self)
            let full = path.description == "/" ? "/" + text : "\(path)/\(text)"
            let found: Found<ObservedFile?> =
                forbidden.contains(path.description) ? .refused : .seen(there[full])
            reconciler.handle(
                .checked(node, found, isRecent: areTimesRecent), at: now)
        }
    }

    mutating func present(_ id: UInt64, _ path: String, _ kind: PresentedKind) throws {
        let item = try #require(ItemPath(path))
        reconciler.handle(.presented(id, item, kind, since: nil), at: now)
        carryOut()
        let news = reconciler.endTurn(at: now)
        #expect(news.contains(WatchNews(presenter: id, body: .listening)))
    }

    /// The kernel notifies of a name in a directory.
    mutating func notify(
        _ directory: String, _ what: KernelEvent.What, _ name: String, cookie: UInt32 = 0
    ) {
        guard let watch = watches[directory] else { return }
        reconciler.handle(
            .notified(
                KernelEvent(watch: watch, what: what, cookie: cookie, name: Array(name.utf8))),
            at: now)
    }

    /// Ends a turn after some milliseconds; what presenters are told.
    mutating func turn(after milliseconds: UInt64 = 60) -> [String] {
        now = now + .milliseconds(milliseconds)
        carryOut()
        var lines = reconciler.endTurn(at: now)
        carryOut()
        lines += reconciler.endTurn(at: now)
        return lines.flatMap { news -> [String] in
            switch news.body {
            case .listening: ["\(news.presenter) listening"]
            case .degraded(let trouble): ["\(news.presenter) degraded: \(trouble)"]
            case .healed: ["\(news.presenter) healed"]
            case .wholeMayHaveChanged(let reason): ["\(news.presenter) whole: \(reason)"]
            case .changes(let changes):
                changes.map { change in
                    let what =
                        switch change.what {
                        case .appeared: "appeared"
                        case .changed(let difference): "\(difference)"
                        case .deleted: "deleted"
                        case .moved(let former): "moved from \(former)"
                        }
                    return "\(news.presenter) \(change.path) \(what)"
                }
            }
        }
    }
}

@Suite struct KernelFaultTests {
    private func twoDirectories() throws -> HandMadeKernel {
        var kernel = HandMadeKernel()
        kernel.there["/a"] = HandMadeKernel.directory(2)
        kernel.there["/b"] = HandMadeKernel.directory(3)
        kernel.there["/a/f"] = HandMadeKernel.file(4)
        try kernel.present(1, "/a", .directory)
        try kernel.present(2, "/b", .directory)
        try kernel.present(3, "/a/f", .file)
        _ = kernel.turn()
        return kernel
    }

    @Test func `The halves of a move that are read apart are one move`() throws {
        var kernel = try twoDirectories()
        kernel.there["/b/g"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        #expect(kernel.turn(after: 1).isEmpty)
        kernel.notify("/b", .movedTo, "g", cookie: 7)
        let told = kernel.turn(after: 1) + kernel.turn()
        #expect(Set(told) == ["1 /a/f deleted", "2 /b/g appeared", "3 /b/g moved from /a/f"])
    }

    @Test func `A first half whose second never comes is a deletion, and not before its bound`()
        throws
    {
        var kernel = try twoDirectories()
        kernel.there["/a/f"] = nil
        kernel.notify("/a", .movedFrom, "f", cookie: 7)
        #expect(kernel.turn(after: 10).isEmpty)
        #expect(kernel.turn(after: 10).isEmpty)
        #expect(Set(kernel.turn(after: 60)) == ["1 /a/f deleted", "3 /a/f deleted"])
    }

    @Test func `Identity decides, not time: another file of the same number was not moved`() throws
    {
        var kernel = try twoDirectories()
        var other = HandMadeKernel.file(4, 9)
        other.identity.born = 9
        var own = HandMadeKernel.file(4)
        own.identity.born = 1
        kernel.there["/a/f"] = own
        kernel.notify("/a", .changed, "f")
        _ = kernel.turn()
        kernel.there["/a/f"] = nil
        kernel.there["/b/g"] = other
        kernel.notify("/a", .removed, "f")
        kernel.notify("/b", .created, "g")
        let told = kernel.turn() + kernel.turn()
        #expect(Set(told) == ["1 /a/f deleted", "2 /b/g appeared", "3 /a/f deleted"])
    }

    @Test func `A deletion is never inferred from an incomplete list`() throws {
        var kernel = try twoDirectories()
        kernel.unreadable = ["/a"]
        kernel.reconciler.handle(.overflowed, at: kernel.now)
        let told = kernel.turn() + kernel.turn() + kernel.turn()
        #expect(!told.contains { $0.hasSuffix("deleted") })
        #expect(told.contains("1 degraded: permission"))
    }

    @Test func `A directory in which nothing may be looked at is polled, and heals`() throws {
        var kernel = try twoDirectories()
        kernel.forbidden = ["/a"]
        kernel.there["/a/f"] = HandMadeKernel.file(4, 5)
        kernel.notify("/a", .changed, "f")
        #expect(Set(kernel.turn()) == ["1 degraded: permission", "3 degraded: permission"])
        for _ in 0..<3 { #expect(kernel.turn(after: 2100).isEmpty) }
        kernel.forbidden = []
        let told = kernel.turn(after: 2100) + kernel.turn()
        #expect(Set(told) == ["1 /a/f content", "3 /a/f content"])
        let later = kernel.turn(after: 2100) + kernel.turn(after: 2100)
        #expect(Set(later) == ["1 healed", "3 healed"])
        #expect(kernel.reconciler.troubles.isEmpty)
    }

    @Test func `A directory that its owner closes and opens is looked at each time`() throws {
        var kernel = try twoDirectories()
        let open = HandMadeKernel.directory(2)
        kernel.there["/a"]?.stamp.mode = 0o40000
        kernel.unreadable = ["/a"]
        kernel.notify("/a", .changed, "")
        #expect(kernel.turn().contains("1 degraded: permission"))
        kernel.there["/a"] = open
        kernel.unreadable = []
        // The check after the directory's own change also finds files that came before it.
        kernel.there["/a/g"] = HandMadeKernel.file(5)
        kernel.notify("/a", .changed, "")
        #expect(kernel.turn().contains("1 /a/g appeared"))
        let later = kernel.turn(after: 2100) + kernel.turn(after: 2100)
        #expect(later.contains("1 healed"))
    }

    @Test func `Equal stamps are no news, however often the kernel notifies`() throws {
        var kernel = try twoDirectories()
        for _ in 0..<100 {
            kernel.notify("/a", .changed, "f")
            #expect(kernel.turn().isEmpty)
        }
        // Each notification causes a check, but a check causes no further notification.
        #expect(kernel.looks < 400)
    }

    @Test func `A kernel that says nothing is noticed, and everything is polled`() throws {
        var kernel = try twoDirectories()
        kernel.reconciler.handle(.eventsArrive(false), at: kernel.now)
        #expect(
            Set(kernel.turn()) == [
                "1 degraded: silent", "2 degraded: silent", "3 degraded: silent",
            ])
        kernel.there["/a/f"] = HandMadeKernel.file(4, 5)
        let told = kernel.turn(after: 2100) + kernel.turn()
        #expect(Set(told) == ["1 /a/f content", "3 /a/f content"])
        kernel.reconciler.handle(.eventsArrive(true), at: kernel.now)
        #expect(Set(kernel.turn()) == ["1 healed", "2 healed", "3 healed"])
    }

    @Test func `What is written twice within a tick of the clock is told twice`() throws {
        var kernel = try twoDirectories()
        kernel.areTimesRecent = true
        kernel.there["/a/f"] = HandMadeKernel.file(4, 5)
        kernel.notify("/a", .changed, "f")
        let change = ["1 /a/f content", "3 /a/f content"]
        #expect(Set(kernel.turn()) == Set(change))
        kernel.notify("/a", .changed, "f")
        #expect(Set(kernel.turn()) == Set(change))
        // That the writer closes the file is no change, and neither is a look.
        kernel.notify("/a", .closed, "f")
        #expect(kernel.turn() == [])
        kernel.areTimesRecent = false
        kernel.notify("/a", .closed, "f")
        #expect(kernel.turn() == [])
        // From then on, a change would show in the times.
        kernel.notify("/a", .changed, "f")
        #expect(kernel.turn() == [])
    }

    /// A bind mount: the kernel has one watch of a directory, in the mode of the last order.
    @Test func `A watch that two paths share stays in the mode of the one that needs more`() throws
    {
        var kernel = HandMadeKernel()
        for path in ["/a", "/b"] {
            kernel.there[path] = HandMadeKernel.directory(10)
            kernel.outcomes[path] = .watching(77)
        }
        kernel.there["/a/f"] = HandMadeKernel.file(11)
        kernel.there["/b/f"] = HandMadeKernel.file(11)
        try kernel.present(1, "/a", .directory)
        _ = kernel.turn()
        try kernel.present(2, "/b/f", .file)
        _ = kernel.turn()
        #expect(kernel.modes[77] == .tree)
        #expect(!kernel.reconciler.hasOrders)
        // All are ordered once more, one after the other.
        kernel.reconciler.handle(.overflowed, at: kernel.now)
        _ = kernel.turn()
        _ = kernel.turn()
        #expect(kernel.modes[77] == .tree)
        #expect(!kernel.reconciler.hasOrders)
    }

    @Test func `After lost events, all is looked at in steps of a bounded size`() throws {
        var limits = WatchLimits()
        limits.checksPerTurn = 4
        var kernel = HandMadeKernel(limits)
        for number in 0..<20 {
            kernel.there["/d\(number)"] = HandMadeKernel.directory(10 + UInt64(number))
        }
        try kernel.present(1, "/", .directory)
        _ = kernel.turn()
        for number in 0..<20 {
            kernel.there["/d\(number)/f"] = HandMadeKernel.file(100 + UInt64(number))
        }
        kernel.reconciler.handle(.overflowed, at: kernel.now)
        let told = kernel.turn() + kernel.turn()
        #expect(told == ["1 whole: overflow"])
        #expect(kernel.mostOrders == 4)
        kernel.there["/d7/f"] = HandMadeKernel.file(107, 5)
        kernel.notify("/d7", .changed, "f")
        #expect(kernel.turn() == ["1 /d7/f content"])
    }

    @Test func `Where the kernel says nothing, a bounded number of directories is polled at once`()
        throws
    {
        var limits = WatchLimits()
        limits.polledAtOnce = 4
        var kernel = HandMadeKernel(limits)
        for number in 0..<20 {
            kernel.there["/d\(number)"] = HandMadeKernel.directory(10 + UInt64(number))
            kernel.there["/d\(number)/f"] = HandMadeKernel.file(100 + UInt64(number))
        }
        try kernel.present(1, "/", .directory)
        _ = kernel.turn()
        kernel.reconciler.handle(.eventsArrive(false), at: kernel.now)
        _ = kernel.turn()
        for number in 0..<20 {
            kernel.there["/d\(number)/f"] = HandMadeKernel.file(100 + UInt64(number), 5)
        }
        var told: [String] = []
        var most = 0
        for _ in 0..<6 {
            let looks = kernel.looks
            told += kernel.turn(after: 2100) + kernel.turn()
            most = max(most, kernel.looks - looks)
        }
        #expect(Set(told) == Set((0..<20).map { "1 /d\($0)/f content" }))
        // The root's list has twenty names, and each other directory has one and its own.
        #expect(most <= 20 + 2 * 4)
    }

    @Test func `A file system of the network is polled, and that is said`() throws {
        var kernel = HandMadeKernel()
        kernel.there["/n"] = HandMadeKernel.directory(2)
        kernel.there["/n/f"] = HandMadeKernel.file(4)
        kernel.outcomes["/n"] = .watchingLocalChanges(99)
        try kernel.present(1, "/n", .directory)
        _ = kernel.turn()
        #expect(kernel.reconciler.troubles.map(\.trouble) == [.remote])
        kernel.there["/n/f"] = HandMadeKernel.file(4, 5)
        kernel.there["/n/g"] = HandMadeKernel.file(5)
        let told = kernel.turn(after: 2100) + kernel.turn()
        #expect(Set(told) == ["1 /n/f content", "1 /n/g appeared"])
    }

    @Test func `Retries at the limit of watches grow rare`() throws {
        var kernel = HandMadeKernel()
        kernel.there["/n"] = HandMadeKernel.directory(2)
        kernel.outcomes["/n"] = .failed(.limit)
        try kernel.present(1, "/n", .directory)
        _ = kernel.turn()
        #expect(kernel.reconciler.troubles.map(\.trouble) == [.limit])
        // The trouble ends at the next retry after the cause has ended.
        kernel.outcomes["/n"] = nil
        var told: [String] = []
        for _ in 0..<70 { told += kernel.turn(after: 2000) }
        #expect(told == ["1 healed"])
    }

    @Test func `A question is answered when all that was done before it has been told`() throws {
        var kernel = try twoDirectories()
        kernel.there["/a/f"] = HandMadeKernel.file(4, 5)
        kernel.notify("/a", .changed, "f")
        _ = kernel.turn()
        // The pause after the last message does not hold up the answer.
        kernel.there["/a/f"] = HandMadeKernel.file(4, 6)
        kernel.notify("/a", .changed, "f")
        kernel.reconciler.handle(.asked(7), at: kernel.now)
        #expect(kernel.turn(after: 1).isEmpty)
        #expect(kernel.reconciler.lastAnswered == 0, "the kernel may have more")
        kernel.reconciler.handle(.drained, at: kernel.now)
        #expect(Set(kernel.turn(after: 1)) == ["1 /a/f content", "3 /a/f content"])
        #expect(kernel.reconciler.lastAnswered == 7)
    }

    @Test func `Rule 7.14: what came and went before it was looked at is told as gone`() throws {
        var kernel = try twoDirectories()
        kernel.notify("/a", .created, "t")
        kernel.notify("/a", .removed, "t")
        #expect(kernel.turn() == ["1 /a/t deleted"])
        #expect(kernel.turn() == [])
    }

    @Test func `Rule 7.14: a presenter whose item is away stays if another takes the path`() throws
    {
        var kernel = try twoDirectories()
        kernel.there["/a/old"] = kernel.there["/a/f"]
        kernel.there["/a/f"] = HandMadeKernel.file(9, 9)
        kernel.notify("/a", .movedFrom, "f", cookie: 3)
        kernel.notify("/a", .movedTo, "old", cookie: 3)
        kernel.notify("/a", .created, "f")
        let told = kernel.turn(after: 1) + kernel.turn()
        #expect(told.filter { $0.hasPrefix("3") } == ["3 /a/f content"])
        #expect(told.contains("1 /a/old moved from /a/f"))
    }

    @Test func `Rule 7.14: a presenter goes back to its path when its moved item is deleted`()
        throws
    {
        var kernel = try twoDirectories()
        kernel.there["/a/f~"] = kernel.there.removeValue(forKey: "/a/f")
        kernel.notify("/a", .movedFrom, "f", cookie: 3)
        kernel.notify("/a", .movedTo, "f~", cookie: 3)
        let moved = kernel.turn(after: 1) + kernel.turn()
        #expect(moved.contains("3 /a/f~ moved from /a/f"))
        // The editor is slow.
        kernel.there["/a/f"] = HandMadeKernel.file(9, 9)
        kernel.notify("/a", .created, "f")
        _ = kernel.turn(after: 500)
        kernel.there["/a/f~"] = nil
        kernel.notify("/a", .removed, "f~")
        let back = kernel.turn(after: 1) + kernel.turn()
        #expect(back.contains("3 /a/f moved from /a/f~"))
    }
}
