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
    private struct Claim {
        let number: UInt64
        let paths: [ItemPath]
        let isFound: Bool
        /// The other paths to which it has moved its items.
        var arrivals: Set<ItemPath> = []
        /// Whether the write is over.
        ///
        /// Notifications of it may still be in the kernel's queue.
        var isOver = false
        /// Whether the kernel's queue has been empty since the write ended.
        var isDrained = false
    }

    private var claims: [Claim] = []
    private(set) var accounts: [ItemPath: Account] = [:]
    /// See ``beginReports()``.
    private var leftAtActivePaths: [InodeKey: [(path: ItemPath, item: ObservedFile)]] = [:]
    /// The directories that these writes have moved.
    private(set) var directories = MovedDirectories()

    var isEmpty: Bool { claims.isEmpty && accounts.isEmpty }
    /// Whether claims that are over have not been discarded.
    var hasEnded: Bool { claims.contains { $0.isOver } }

    mutating func began(_ number: UInt64, _ paths: [ItemPath], isFound: Bool = false) {
        claims.append(Claim(number: number, paths: paths, isFound: isFound))
    }

    /// Records that a write moves items of its claim.
    mutating func extended(_ number: UInt64, by moves: [ItemMove]) {
        guard let index = claims.firstIndex(where: { $0.number == number && !$0.isOver })
        else { return }
        for move in moves { claims[index].arrivals.remove(move.old) }
        for move in moves where !claims[index].paths.contains(move.new) {
            claims[index].arrivals.insert(move.new)
        }
    }

    /// Records the end of a write, and returns the paths whose items must be checked.
    mutating func ended(_ number: UInt64, _ changes: [ClaimedChange]) -> [ItemPath] {
        let index = claims.firstIndex { $0.number == number && !$0.isOver }
        let paths = index.map { claims[$0].paths } ?? []
        let arrivals = index.map { claims[$0].arrivals } ?? []
        if let index { claims[index].isOver = true }
        let isFound = index.map { claims[$0].isFound } ?? false
        carryAccounts(along: changes)
        for change in changes { enter(change, isFound: isFound) }
        let known = changes.map(\.path)
        for path in paths where !known.contains(path) {
            accounts[path, default: .unknown].isUnknown = true
        }
        let others = paths + arrivals.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        return known + others.filter { !known.contains($0) }
    }

    /// Gives the accounts of items inside directories that a write has moved their present paths.
    ///
    /// While a claim moves a directory, no other claim has an item inside. So all these accounts
    /// are of earlier writes.
    private mutating func carryAccounts(along changes: [ClaimedChange]) {
        let moves = directories.enter(changes)
        guard !moves.isEmpty else { return }
        carryAccounts(inside: moves.map { ($0.from, $0.to) })
    }

    /// Records that presenters were told that another program has moved a directory, from where
    /// claims had left it.
    ///
    /// They carry along what claims have announced of the items inside. A claim may have moved
    /// another directory to its former path since then. And what has changed later than this
    /// directory, which its move has changed, was written in another one at its former path.
    mutating func carry(_ directory: ObservedFile, from former: ItemPath, to path: ItemPath) {
        let isReplaced = directories.hasOther(than: directory, at: former)
        directories.carry(directory, from: former, to: path)
        guard !accounts.isEmpty else { return }
        let moved = directory.stamp.changed
        carryAccounts(inside: [(former, path)], ofFormerItem: isReplaced) { account in
            account.last.map { $0.stamp.changed > moved } ?? false
        }
    }

    /// Gives accounts other paths: those of the items in the directory that has moved, or of those
    /// that were at the same paths in the directory before it.
    private mutating func carryAccounts(
        inside new: [(from: ItemPath, to: ItemPath)], ofFormerItem isFormer: Bool = false,
        unless stays: (Account) -> Bool = { _ in false }
    ) {
        var carried: [ItemPath: Account] = [:]
        for path in accounts.keys {
            guard let move = new.first(where: { $0.from.contains(path) }),
                let account = accounts[path], account.isOfFormerItem == isFormer,
                !stays(account)
            else { continue }
            carried[path.replacingPrefix(depth: move.from.depth, by: move.to)] =
                accounts.removeValue(forKey: path)
        }
        for path in accounts.keys where new.contains(where: { $0.to.contains(path) }) {
            accounts[path]?.isOfFormerItem = true
        }
        for (path, account) in carried {
            var account = account
            account.isOfFormerItem = false
            if let earlier = accounts[path] { account.precede(with: earlier) }
            accounts[path] = account
        }
    }

    private mutating func enter(_ change: ClaimedChange, isFound: Bool) {
        var change = change
        // What was there before the item arrived is as presenters know it.
        if change.isArrival { change.before = accounts[change.path]?.last }
        let changes = !change.after.isSameVersion(as: change.before)
        guard var account = accounts[change.path] else {
            // A write that has changed nothing explains nothing.
            guard changes else { return }
            accounts[change.path] = Account(change, isFound: isFound)
            return
        }
        account.append(change, isFound: isFound)
        accounts[change.path] = account
    }

    /// Whether a coordinated write to this very item is under way, which will report what it
    /// changes.
    func isActive(at path: ItemPath?) -> Bool {
        guard let path else { return false }
        return claims.contains {
            !$0.isOver && ($0.paths.contains(path) || $0.arrivals.contains(path))
        }
    }

    /// Finds the items that claims have left at paths of writes that are under way.
    ///
    /// Call it before the reports of a turn are made.
    mutating func beginReports() {
        leftAtActivePaths = [:]
        for claim in claims where !claim.isOver {
            for path in claim.paths + claim.arrivals {
                guard let item = itemLeft(at: path) else { continue }
                leftAtActivePaths[InodeKey(item.identity), default: []].append((path, item))
            }
        }
    }

    /// The paths where claims have left an item, and where a write is under way.
    ///
    /// If the item is elsewhere now, the end of that write tells whether it has moved the item.
    func activePlaces(whereClaimsLeft item: ObservedFile) -> [ItemPath] {
        guard let left = leftAtActivePaths[InodeKey(item.identity)] else { return [] }
        return left.filter { item.mayBeLaterState(of: $0.item) }.map(\.path)
    }

    /// The origin of a change at a path that no claim on the path itself explains.
    func origin(besideClaimsAt path: ItemPath) -> ChangeOrigin {
        let isInside = claims.contains { claim in
            claim.paths.contains { $0.contains(path) }
                || claim.arrivals.contains { $0.contains(path) }
        }
        return isInside ? .either : .uncoordinated
    }

    /// Records that presenters were told where a directory is that claims have moved.
    ///
    /// If claims have moved it on from there, the watcher will see that, and has not yet.
    mutating func told(_ directory: ObservedFile, at place: ClaimedPath) {
        guard let left = directories.place(of: directory) else { return }
        let isMovedOn =
            left != place.claimed && itemLeft(at: left)?.isSameItem(as: directory) == true
        if !isMovedOn { directories.discard(directory) }
    }

    /// Discards the reports about a path, because presenters were told that `now` is there, unless
    /// more changes of these writes are to come.
    mutating func told(_ place: ClaimedPath, _ now: ObservedFile?) {
        let path = place.claimed
        guard let account = accounts[path], account.isAhead(of: now) || account.hasPassed(now)
        else { return accounts[path] = nil }
        accounts[path]?.lastTold = now
    }

    /// Discards the reports about a path, because presenters were told that an item has left it.
    ///
    /// If a write has found or put another item there since then, only what led to the departure is
    /// discarded. `taker` is what is there now, if the item no longer is.
    mutating func toldDeparture(
        of item: ObservedFile?, from place: ClaimedPath, taker: ObservedFile? = nil
    ) {
        guard let item, let account = accounts[place.claimed],
            account.haveReplaced(item, by: taker) || account.hasItem(after: item)
        else { return told(place, nil) }
        if account.first?.isSameItem(as: item) == true { accounts[place.claimed]?.first = nil }
    }

    /// The one of several paths at which claims have found or left the item that presenters were
    /// told.
    ///
    /// If another program has moved a directory, claims may still name the item by a path of before
    /// that. If no claim has found it, the first of the paths that has an account counts, or the
    /// first one.
    func place(of told: ObservedFile, among places: [ClaimedPath]) -> ClaimedPath {
        let all = places + places.map { ClaimedPath($0.path) }
        return all.first { accounts[$0.claimed]?.stateFound(of: told) != nil }
            ?? places.first(where: hasAccount) ?? places[0]
    }

    /// Whether writes have reported anything about a path since presenters were last told about it.
    func hasAccount(of place: ClaimedPath) -> Bool { accounts[place.claimed] != nil }

    /// The item that a write has put at a path, which is as claims name it, as the write left it;
    /// nil if none has.
    func itemLeft(at path: ItemPath?) -> ObservedFile? {
        guard let path, let account = accounts[path], !account.isUnknown else { return nil }
        return account.itemLeft
    }

    /// The paths at which claims have left an item, in order.
    ///
    /// An account has the state in which a claim left the item.
    func places(ofItem item: ObservedFile) -> [ItemPath] {
        accounts.filter { $0.value.itemLeft.map(item.mayBeLaterState) ?? false }
            .keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Discards the reports about a path, because presenters were told that the item which a claim
    /// had left there was moved on.
    mutating func forget(_ path: ItemPath) { accounts[path] = nil }

    /// Records that the kernel's queue is empty, so that no notification of a finished write will
    /// follow.
    mutating func drained() {
        for index in claims.indices where claims[index].isOver { claims[index].isDrained = true }
    }

    /// The paths with reports that presenters were not told about, each of them once.
    ///
    /// When the claim ended, the watcher may have known another directory at the path, or none.
    /// Where the kernel notifies nothing, only a check finds what the writer has done there.
    mutating func takeUnchecked() -> [ItemPath] {
        let paths = accounts.filter { !$0.value.isCheckedAgain }.keys
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for path in paths { accounts[path]?.isCheckedAgain = true }
        return paths
    }

    /// Discards finished writes, because presenters were told of all changes that the kernel
    /// notified.
    mutating func settled() {
        claims.removeAll { $0.isOver && $0.isDrained }
        guard claims.isEmpty else { return }
        accounts = [:]
        directories = MovedDirectories()
    }
}

extension WatchReconciler {
    mutating func claimEnded(_ claim: UInt64, _ changes: [ClaimedChange]) {
        for path in claims.ended(claim, changes) { checkAgain(at: path) }
    }

    /// Orders a check of the path, or of its deepest ancestor that has a node.
    mutating func checkAgain(at path: ItemPath) {
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
