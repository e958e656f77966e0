// SPDX-License-Identifier: Apache-2.0
//
// Whose change was it? A claim compares its item before and after. What lies between the two is the
// writer's, and its claim reports it; everything else is a plain program's. The kernel does not
// name the process that made a change, so a plain change between the two stamps counts as the
// writer's, and a change inside a directory that is being written counts as either's.

import FileCoordinationArbiter

/// Coordinated writes that may explain what was seen.
struct ClaimBook {
    /// What claims said about one path since presenters were told about it last.
    struct Account {
        /// What the first claim found there.
        var first: FileSight?
        /// What the last claim left there.
        var last: FileSight?
        /// What claims found or left there in between, the latest of it.
        private(set) var between: [FileSight?] = []
        /// A claim found something else than the one before it had left.
        var isPlain = false
        /// A claim changed something.
        var isCoordinated = false
        /// A claim ended without saying what it did.
        var isUnknown = false
        /// The first claim was found when presenters may have been told of what it did in part, so
        /// what they were told says nothing of other programs.
        var isFound = false

        /// Whether presenters were told what some claim found or left.
        func explains(_ told: FileSight?) -> Bool {
            told.isSameVersion(as: first) || between.contains { told.isSameVersion(as: $0) }
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
        func isAhead(of now: FileSight?) -> Bool {
            now.isSameVersion(as: first) && !now.isSameVersion(as: last)
        }
    }

    private struct Claim {
        let number: UInt64
        let paths: [ItemPath]
        let isFound: Bool
        /// Whether it is over, and what it notified of may still be in the kernel's queue.
        var isOver = false
        /// Whether that queue was empty since.
        var isDrained = false
    }

    private var claims: [Claim] = []
    private var accounts: [ItemPath: Account] = [:]

    var isEmpty: Bool { claims.isEmpty && accounts.isEmpty }

    mutating func began(_ number: UInt64, _ paths: [ItemPath], isFound: Bool = false) {
        claims.append(Claim(number: number, paths: paths, isFound: isFound))
    }

    /// A claim is over; returns the paths whose items must be looked at.
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

    /// Whether a coordinated write to this very item is under way: its claim will tell.
    func isActive(at path: ItemPath?) -> Bool {
        guard let path else { return false }
        return claims.contains { !$0.isOver && $0.paths.contains(path) }
    }

    /// Who made the change from `told` to `now` at a path; both, if it was more than one change.
    ///
    /// `told` says nothing if presenters may have read something else.
    func origins(
        at path: ItemPath, told: FileSight?, now: FileSight?, isToldKnown: Bool = true
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
    mutating func told(_ path: ItemPath, _ now: FileSight?) {
        if accounts[path]?.isAhead(of: now) != true { accounts[path] = nil }
    }

    /// The kernel's queue is empty: nothing of a claim that is over will follow.
    mutating func drained() {
        for index in claims.indices where claims[index].isOver { claims[index].isDrained = true }
    }

    /// Everything that was notified has been told.
    mutating func settled() {
        claims.removeAll { $0.isOver && $0.isDrained }
        guard claims.isEmpty else { return }
        accounts = [:]
    }
}

extension WatchReconciler {
    mutating func claimEnded(_ claim: UInt64, _ changes: [ClaimedChange]) {
        for path in claims.ended(claim, changes) { lookAgain(at: path) }
    }

    /// Has the deepest known name of a path looked at.
    private mutating func lookAgain(at path: ItemPath) {
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
