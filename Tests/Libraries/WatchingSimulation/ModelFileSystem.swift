// SPDX-License-Identifier: Apache-2.0
//
// A file system in memory, with the notifications that Linux makes. Inode numbers are used again,
// so that only birth and handle tell files apart. Every change has its own instant.

import CoordinationCheckers
import FileCoordinationArbiter
import FileCoordinationWatching

/// A file or directory of the model.
struct ModelItem {
    let handle: UInt64
    let number: UInt64
    let isDirectory: Bool
    let born: Int64
    var names: [String: UInt64] = [:]
    var size: UInt64 = 0
    var modified: Int64
    var changed: Int64
    var mode: UInt32
    var linkCount: UInt64 = 1
    /// A file that ever had two names may change through one that is not watched.
    var wasLinked = false

    var observed: ObservedFile {
        ObservedFile(
            identity: FileIdentity(
                device: 1, inode: number, born: born, handle: handle),
            isDirectory: isDirectory,
            stamp: FileStamp(size: size, modified: modified, changed: changed, mode: mode),
            linkCount: linkCount)
    }
}

/// The model: items by handle, and the kernel's queue.
struct ModelFileSystem {
    private(set) var items: [UInt64: ModelItem] = [:]
    private var nextHandle: UInt64 = 1
    private var freeNumbers: [UInt64] = []
    private var clock: Int64 = 1
    var kernel = ModelKernel()
    let root: UInt64
    /// What was done, for the checker.
    var facts: [WatchingFact] = []
    /// The claim under which it is done.
    var author: ClaimKey?

    init() {
        root = 1
        items[1] = ModelItem(
            handle: 1, number: 1, isDirectory: true, born: 0, modified: 0, changed: 0, mode: 0o40755
        )
        nextHandle = 2
    }

    subscript(handle: UInt64) -> ModelItem {
        get {
            guard let item = items[handle] else { preconditionFailure("No item \(handle)") }
            return item
        }
        set { items[handle] = newValue }
    }

    // MARK: Paths

    /// The item at a path.
    func find(_ path: [String]) -> UInt64? {
        var next = root
        for name in path {
            guard let item = items[next], item.isDirectory, let child = item.names[name] else {
                return nil
            }
            next = child
        }
        return next
    }

    func observed(at path: [String]) -> ObservedFile? { find(path).flatMap { items[$0]?.observed } }

    /// The paths of everything below a directory, itself included, parents first.
    func tree(at path: [String]) -> [([String], UInt64)] {
        guard let top = find(path) else { return [] }
        var result = [(path, top)]
        var next = 0
        while next < result.count {
            let (path, handle) = result[next]
            next += 1
            for (name, child) in self[handle].names.sorted(by: { $0.key < $1.key }) {
                result.append((path + [name], child))
            }
        }
        return result
    }

    /// Whether an item has, or ever had, two names; true also of one that is gone.
    func wasLinked(_ handle: UInt64) -> Bool { items[handle]?.wasLinked ?? true }

    /// Lets time pass: what changes has stamps from then on.
    mutating func advance(to now: UInt64) { clock = max(clock, Int64(now)) }

    private mutating func tick() -> Int64 {
        clock += 1
        return clock
    }

    // MARK: Operations; each returns whether it was possible

    mutating func create(_ path: [String], directory: Bool = false) -> Bool {
        guard let name = path.last, let parent = find(Array(path.dropLast())),
            self[parent].isDirectory, self[parent].names[name] == nil
        else { return false }
        let now = tick()
        let number = freeNumbers.popLast() ?? nextHandle
        let handle = nextHandle
        nextHandle += 1
        items[handle] = ModelItem(
            handle: handle, number: number, isDirectory: directory, born: now, modified: now,
            changed: now, mode: directory ? 0o40755 : 0o100644)
        setName(name, of: parent, to: handle)
        kernel.notify(parent, .created, name)
        facts.append(.created(place(path), item: handle, isDirectory: directory, by: author))
        return true
    }

    private func place(_ path: [String]) -> String { "/" + path.joined(separator: "/") }

    /// Changes what a name in a directory leads to, and with it the directory.
    private mutating func setName(_ name: String, of parent: UInt64, to handle: UInt64?) {
        self[parent].names[name] = handle
        self[parent].modified = clock
        self[parent].changed = clock
    }

    mutating func write(_ path: [String], size: UInt64) -> Bool {
        guard let handle = find(path), !self[handle].isDirectory else { return false }
        let now = tick()
        self[handle].size = size
        self[handle].modified = now
        self[handle].changed = now
        notifyChange(path, handle)
        return true
    }

    mutating func change(mode: UInt32, of path: [String]) -> Bool {
        guard let handle = find(path), !path.isEmpty else { return false }
        let former = self[handle].mode
        self[handle].mode = (self[handle].mode & 0o170000) | mode
        // Only the rights of a directory are compared.
        if self[handle].isDirectory, self[handle].mode == former { return false }
        self[handle].changed = tick()
        notifyChange(path, handle)
        return true
    }

    private mutating func notifyChange(_ path: [String], _ handle: UInt64) {
        facts.append(.changed(place(path), by: author))
        if let name = path.last, let parent = find(Array(path.dropLast())) {
            kernel.notify(parent, .changed, name)
        }
        kernel.notifyItself(handle, .changed)
    }

    mutating func remove(_ path: [String]) -> Bool {
        guard let name = path.last, let parent = find(Array(path.dropLast())),
            let handle = self[parent].names[name], self[handle].names.isEmpty
        else { return false }
        facts.append(.removed(place(path), by: author))
        unlink(handle)
        setName(name, of: parent, to: nil)
        kernel.notify(parent, .removed, name)
        return true
    }

    private mutating func unlink(_ handle: UInt64) {
        self[handle].linkCount -= 1
        self[handle].changed = tick()
        guard self[handle].linkCount == 0 else {
            kernel.notifyItself(handle, .changed)
            return
        }
        freeNumbers.append(self[handle].number)
        items[handle] = nil
        kernel.end(handle)
    }

    mutating func link(_ from: [String], _ to: [String]) -> Bool {
        guard let handle = find(from), !self[handle].isDirectory, let name = to.last,
            let parent = find(Array(to.dropLast())), self[parent].isDirectory,
            self[parent].names[name] == nil
        else { return false }
        self[handle].linkCount += 1
        self[handle].wasLinked = true
        self[handle].changed = tick()
        setName(name, of: parent, to: handle)
        facts.append(.linked(place(from), as: place(to), by: author))
        kernel.notifyItself(handle, .changed)
        kernel.notify(parent, .created, name)
        return true
    }

    mutating func rename(_ from: [String], _ to: [String], exchange: Bool = false) -> Bool {
        guard let fromName = from.last, let toName = to.last,
            let fromParent = find(Array(from.dropLast())),
            let toParent = find(Array(to.dropLast())),
            self[toParent].isDirectory, let moved = self[fromParent].names[fromName],
            !to.starts(with: from), !from.starts(with: to)
        else { return false }
        let target = self[toParent].names[toName]
        if target == moved { return false }
        let isPaired = kernel.pairs(fromParent, toParent)
        if exchange {
            guard let target else { return false }
            facts.append(
                .exchanged(place(from), with: place(to), isPaired: isPaired, by: author))
            self[moved].changed = tick()
            self[target].changed = tick()
            setName(fromName, of: fromParent, to: target)
            setName(toName, of: toParent, to: moved)
            kernel.notifyMove(fromParent, fromName, toParent, toName, moved)
            kernel.notifyMove(toParent, toName, fromParent, fromName, target)
            return true
        }
        if let target {
            guard self[target].isDirectory == self[moved].isDirectory, self[target].names.isEmpty
            else { return false }
        }
        facts.append(.moved(place(from), to: place(to), isPaired: isPaired, by: author))
        self[moved].changed = tick()
        setName(fromName, of: fromParent, to: nil)
        setName(toName, of: toParent, to: moved)
        kernel.notifyMove(fromParent, fromName, toParent, toName, moved)
        if let target { unlink(target) }
        return true
    }
}

/// Watches, and the queue of notifications.
struct ModelKernel {
    private(set) var queue: [KernelEvent] = []
    private(set) var hasOverflowed = false
    private var next = 0
    private var watches: [UInt64: (number: Int32, mode: WatchOrder.Mode)] = [:]
    private var nextWatch: Int32 = 1
    private var nextCookie: UInt32 = 1
    var room = 1 << 14
    /// The most watches that there may be.
    var watchLimit = Int.max

    /// The number of watches that there are.
    var watchCount: Int { watches.count }

    var count: Int { queue.count - next }
    var isDrained: Bool { count == 0 && !hasOverflowed }

    mutating func watch(_ handle: UInt64, _ mode: WatchOrder.Mode) -> Int32? {
        if let watch = watches[handle] {
            watches[handle] = (watch.number, mode)
            return watch.number
        }
        guard watches.count < watchLimit else { return nil }
        defer { nextWatch += 1 }
        watches[handle] = (nextWatch, mode)
        return nextWatch
    }

    mutating func unwatch(_ number: Int32) {
        guard let handle = watches.first(where: { $0.value.number == number })?.key else { return }
        watches[handle] = nil
        append(KernelEvent(watch: number, what: .ended))
    }

    /// Ends all watches.
    mutating func endAll() {
        for watch in watches.values.map(\.number).sorted() { unwatch(watch) }
    }

    /// Ends a watch because its item is gone.
    mutating func end(_ handle: UInt64) {
        guard let watch = watches.removeValue(forKey: handle) else { return }
        append(KernelEvent(watch: watch.number, what: .itselfGone))
        append(KernelEvent(watch: watch.number, what: .ended))
    }

    mutating func notify(
        _ directory: UInt64, _ what: KernelEvent.What, _ name: String, cookie: UInt32 = 0
    ) {
        guard let watch = watches[directory], watch.mode != .item,
            watch.mode == .tree || what != .changed
        else { return }
        append(
            KernelEvent(watch: watch.number, what: what, cookie: cookie, name: Array(name.utf8)))
    }

    mutating func notifyItself(_ handle: UInt64, _ what: KernelEvent.What) {
        guard let watch = watches[handle], watch.mode != .names || what != .changed else { return }
        append(KernelEvent(watch: watch.number, what: what))
    }

    mutating func notifyMove(
        _ from: UInt64, _ fromName: String, _ to: UInt64, _ toName: String, _ moved: UInt64
    ) {
        let cookie = nextCookie
        nextCookie += 1
        notify(from, .movedFrom, fromName, cookie: cookie)
        notify(to, .movedTo, toName, cookie: cookie)
        notifyItself(moved, .itselfGone)
    }

    /// Whether both ends of a move between two directories would be notified now.
    func pairs(_ from: UInt64, _ to: UInt64) -> Bool {
        !hasOverflowed && [from, to].allSatisfy { watches[$0].map { $0.mode != .item } ?? false }
    }

    private mutating func append(_ event: KernelEvent) {
        guard !hasOverflowed, queue.last != event || count == 0 else { return }
        guard count < room else {
            hasOverflowed = true
            return
        }
        queue.append(event)
    }

    /// Takes the first notification; an overflow comes last.
    mutating func take() -> WatchInput? {
        if next < queue.count {
            defer {
                next += 1
                if next == queue.count { (queue, next) = ([], 0) }
            }
            return .notified(queue[next])
        }
        guard hasOverflowed else { return nil }
        hasOverflowed = false
        return .overflowed
    }

    /// Drops everything, as if there had been no room.
    mutating func forceOverflow() {
        (queue, next) = ([], 0)
        hasOverflowed = true
    }
}

extension ItemPath {
    /// A path of these names.
    init?(texts: [String]) { self.init(components: texts.map { Array($0.utf8) }) }

    /// The components as text.
    var texts: [String] { components.map { String(decoding: $0, as: UTF8.self) } }
}
