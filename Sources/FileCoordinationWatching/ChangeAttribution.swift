// SPDX-License-Identifier: Apache-2.0
//
// Decides who made a change that the watcher has seen: a coordinated writer or a program that does
// not coordinate. Each coordinated write reports what its item looked like before and after. The
// difference between the two was made by the writer; every other difference was made by another
// program.
//
// The kernel does not name the process that made a change. So a change that another program makes
// during the write counts as the writer's, and a change inside a directory that is being written
// may be either's. The reconciler calls this type on the watcher's thread.

import FileCoordinationArbiter

/// The coordinated writes that may explain the changes which the watcher saw.
struct ChangeAttribution {
    /// What coordinated writes reported about one path since presenters were last told about it.
    struct Account {
        /// What was at the path before the first write.
        var first: ObservedFile?
        /// What was at the path after the last write.
        var last: ObservedFile?
        /// What claims found or left there in between, the latest of it.
        private(set) var between: [ObservedFile?] = []
        /// A claim found something else than the one before it had left.
        var isPlain = false
        /// Whether a write changed something.
        var isCoordinated = false
        /// Whether a write ended without reporting what it did.
        var isUnknown = false
        /// Whether the first write was already under way when the watcher learned of it.
        ///
        /// Presenters may have been told of a part of it, so a difference from what they were told
        /// does not show that another program made a change.
        var isFound = false

        /// Whether presenters were told what some claim found or left.
        func explains(_ told: ObservedFile?) -> Bool {
            if told.isSameVersion(as: first) { return true }
            // A rename changes the change time. If a coordinated writer moved the item here, its
            // claim was for the former path, and another claim has written the item since then,
            // this difference is not another program's. If a program did rename or link the item,
            // presenters are told of the write in the same turn.
            if let told, let first, told.differsInChangeTimeAlone(from: first) { return true }
            return between.contains { told.isSameVersion(as: $0) }
        }

        /// Takes in what one more claim did.
        mutating func append(_ change: ClaimedChange) {
            let changes = !change.after.isSameVersion(as: change.before)
            if !change.before.isSameVersion(as: last) { isPlain = true }
            isCoordinated = isCoordinated || changes
            between.append(change.before)
            if between.count > 8 { between.removeFirst() }
            last = change.after
        }

        /// Whether this is what the first claim found, and not what the last one has left.
        func isAhead(of now: ObservedFile?) -> Bool {
            now.isSameVersion(as: first) && !now.isSameVersion(as: last)
        }
    }

    private struct Claim {
        let number: UInt64
        let paths: [ItemPath]
        let isFound: Bool
        /// Whether the write is over.
        ///
        /// Notifications of it may still be in the kernel's queue.
        var isOver = false
        /// Whether the kernel's queue has been empty since the write ended.
        var isDrained = false
    }

    private var claims: [Claim] = []
    private var accounts: [ItemPath: Account] = [:]

    var isEmpty: Bool { claims.isEmpty && accounts.isEmpty }

    mutating func began(_ number: UInt64, _ paths: [ItemPath], isFound: Bool = false) {
        claims.append(Claim(number: number, paths: paths, isFound: isFound))
    }

    /// Enters the end of a write, and returns the paths whose items must be looked at.
    mutating func ended(_ number: UInt64, _ changes: [ClaimedChange]) -> [ItemPath] {
        let index = claims.firstIndex { $0.number == number && !$0.isOver }
        let paths = index.map { claims[$0].paths } ?? []
        if let index { claims[index].isOver = true }
        let isFound = index.map { claims[$0].isFound } ?? false
        for change in changes { enter(change, isFound: isFound) }
        let known = changes.map(\.path)
        for path in paths where !known.contains(path) {
            accounts[path, default: Account()].isUnknown = true
        }
        return known + paths.filter { !known.contains($0) }
    }

    private mutating func enter(_ change: ClaimedChange, isFound: Bool) {
        let changes = !change.after.isSameVersion(as: change.before)
        guard var account = accounts[change.path] else {
            accounts[change.path] = Account(
                first: change.before, last: change.after, isCoordinated: changes,
                isFound: isFound && changes)
            return
        }
        account.append(change)
        accounts[change.path] = account
    }

    /// Whether a coordinated write to this very item is under way, which will report what it
    /// changes.
    func isActive(at path: ItemPath?) -> Bool {
        guard let path else { return false }
        return claims.contains { !$0.isOver && $0.paths.contains(path) }
    }

    /// Who made the change from `told` to `now` at a path; both, if it was more than one change.
    ///
    /// `told` says nothing if presenters may have read something else.
    func origins(
        at path: ItemPath, told: ObservedFile?, now: ObservedFile?, isToldKnown: Bool = true
    ) -> [ChangeOrigin] {
        let isInside = claims.contains { $0.paths.contains { $0.contains(path) } }
        let other: ChangeOrigin = isInside ? .either : .uncoordinated
        if let account = accounts[path] {
            guard !account.isUnknown else { return [.either] }
            // What the claims did is still to be told.
            if account.isAhead(of: now) { return [other] }
            let isPlain =
                account.isPlain || !now.isSameVersion(as: account.last)
                || isToldKnown && !account.isFound && !account.explains(told)
            if isPlain, account.isCoordinated { return [other, .coordinated] }
            return account.isCoordinated ? [.coordinated] : [other]
        }
        return [other]
    }

    /// Presenters were told what became of a path: that `now` is there.
    mutating func told(_ path: ItemPath, _ now: ObservedFile?) {
        if accounts[path]?.isAhead(of: now) != true { accounts[path] = nil }
    }

    /// The paths at which claims have left an item, in order.
    func places(ofItem item: ObservedFile) -> [ItemPath] {
        accounts.filter { $0.value.isCoordinated && $0.value.last?.isSameItem(as: item) == true }
            .keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Presenters were told that what a claim had left at a path has gone on from there.
    mutating func forget(_ path: ItemPath) { accounts[path] = nil }

    /// Notes that the kernel's queue is empty: no notification of a finished write will follow.
    mutating func drained() {
        for index in claims.indices where claims[index].isOver { claims[index].isDrained = true }
    }

    /// Forgets finished writes, because all changes that were notified have been told.
    mutating func settled() {
        claims.removeAll { $0.isOver && $0.isDrained }
        guard claims.isEmpty else { return }
        accounts = [:]
    }
}

extension WatchReconciler {
    mutating func claimEnded(_ claim: UInt64, _ changes: [ClaimedChange]) {
        for path in claims.ended(claim, changes) { checkAgain(at: path) }
    }

    /// Orders a check of the path, or of its deepest ancestor that has a node.
    private mutating func checkAgain(at path: ItemPath) {
        var node = nodes.root
        for name in path.components {
            if let child = nodes[node].children[name] {
                node = child
                continue
            }
            guard nodes[node].isDirectory, nodes.isCovered(node) else { return }
            markDirty(makeChild(of: node, named: name))
            return
        }
        markDirty(node)
    }
}
