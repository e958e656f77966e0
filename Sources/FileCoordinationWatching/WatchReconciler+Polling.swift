// SPDX-License-Identifier: Apache-2.0
//
// Polls what the kernel does not report: every ``WatchLimits/polling``, a bounded number of nodes
// in turn. A failed watch is tried again, after ever longer pauses, or at once when another watch
// was removed. The ancestors of presented items, and the mounts inside, are looked at every
// ``WatchLimits/barrier`` in any case, because a mount over a directory causes no event.

import MonotonicTime

/// The nodes that are polled.
struct PolledNodes {
    /// The nodes in the order in which they are polled.
    ///
    /// Some may no longer need polling.
    var nodes: [WatchNodeID] = []
    /// The directories that are on another device than the one that contains them.
    ///
    /// Some may be gone.
    var mounts: [WatchNodeID] = []
    var next: Instant?
    /// The time of the next attempt to add the failed watches.
    var retryAt = Instant.distantPast
    private var retryPause = firstRetryPause
    /// Failed watches are tried again after this, and then after twice the last pause.
    private static let firstRetryPause: Duration = .seconds(2)
    /// Whether the polled nodes have changed since presenters were told.
    var isChanged = false
    /// Whether no events arrive at all.
    var isSilent = false
    /// Then all watched nodes are polled in turn; this is the last one that was.
    var lastRescanned: WatchNodeID?

    /// Lets the failed watches be tried again at once, because a watch was removed.
    mutating func room() { (retryAt, retryPause) = (.distantPast, Self.firstRetryPause) }

    /// Records an attempt to add the failed watches, and doubles the pause before the next one.
    mutating func tried(at now: Instant) {
        retryAt = now + retryPause
        retryPause = min(retryPause * 2, Duration.seconds(64))
    }
}

extension WatchReconciler {
    /// Adds a node to those that are polled.
    mutating func poll(_ node: WatchNodeID, because trouble: WatchTrouble) {
        polled.next = polled.next ?? pace.now + limits.polling
        guard !nodes[node].flags.contains(.polled) else { return }
        nodes[node].flags.insert(.polled)
        polled.nodes.append(node)
        polled.isChanged = true
        if polled.retryAt == .distantPast { polled.tried(at: pace.now) }
    }

    /// Polls a directory that could not be listed, or in which a name could not be examined.
    ///
    /// The kernel may still report that something changed there, but not what. So the directory is
    /// polled until everything in it can be examined.
    mutating func refused(at node: WatchNodeID) {
        nodes[node].flags.insert(.refused)
        poll(node, because: .permission)
    }

    /// Lists a directory again whose mode or owner has changed, because it may have become readable
    /// or unreadable.
    mutating func rightsChanged(at node: WatchNodeID) {
        polled.room()
        rescan(node)
    }

    /// Remembers a directory at which another file system may be mounted.
    mutating func rememberMount(at node: WatchNodeID, _ observed: ObservedFile) {
        guard observed.isDirectory, let parent = nodes[node].parent,
            let above = nodes[parent].now, above.identity.device != observed.identity.device,
            !polled.mounts.contains(node)
        else { return }
        polled.mounts.append(node)
    }

    /// Handles the result of the watcher's test whether the kernel's events arrive.
    mutating func eventsArrive(_ arrive: Bool) {
        guard polled.isSilent == arrive else { return }
        polled.isSilent = !arrive
        polled.isChanged = true
        for node in nodes.all { rescan(node) }
        if !arrive { polled.next = polled.next ?? pace.now + limits.polling }
    }

    /// Does everything whose time has come.
    mutating func runTimers() {
        if let next = polled.next, next <= pace.now { pollSome() }
        let barrier = pace.nextBarrier ?? pace.now + limits.barrier
        pace.nextBarrier = barrier
        guard barrier <= pace.now else { return }
        pace.nextBarrier = pace.now + limits.barrier
        for id in presenters.ids {
            for node in nodes.ancestry(of: presenters[id].place) { markDirty(node) }
        }
        // A lazy unmount, while a program uses the file system, causes no event either.
        polled.mounts = polled.mounts.filter { nodes.contains($0) && nodes[$0].now != nil }
        for node in polled.mounts { markDirty(node) }
    }

    private mutating func pollSome() {
        let retries = polled.retryAt <= pace.now
        if retries { polled.tried(at: pace.now) }
        var rest = limits.polledAtOnce
        if polled.isSilent {
            rescanSome(rest)
            rest = 0
        }
        var later: [WatchNodeID] = []
        let turn = polled.nodes
        polled.nodes = []
        for node in turn where nodes.contains(node) && nodes[node].flags.contains(.polled) {
            guard rest > 0 else {
                polled.nodes.append(node)
                continue
            }
            rest -= 1
            if isReadableAgain(node) {
                nodes[node].flags.remove(.polled)
                polled.isChanged = true
                continue
            }
            nodes[node].flags.remove(.refused)
            later.append(node)
            if retries, case .failed(_, let mode) = nodes[node].watch,
                let path = nodes.path(node), let observed = nodes[node].now
            {
                nodes[node].watch = .ordered(mode, active: nil)
                queue.orders.append(.watch(node, path, expected: observed.identity, mode))
            } else {
                rescan(node)
            }
        }
        polled.nodes += later
        polled.next =
            polled.nodes.isEmpty && !polled.isSilent ? nil : pace.now + limits.polling
    }

    /// Orders checks of so many watched nodes: those behind the ones of the last time.
    private mutating func rescanSome(_ most: Int) {
        let watched = nodes.all.filter { nodes[$0].watch != .none }
        let first = polled.lastRescanned.flatMap { last in watched.firstIndex { $0 > last } } ?? 0
        let turn = (watched[first...] + watched[..<first]).prefix(most)
        for node in turn { rescan(node) }
        polled.lastRescanned = turn.last
    }

    /// Whether a watched directory was polled only because something in it could not be examined,
    /// and everything could since the last poll.
    private func isReadableAgain(_ node: WatchNodeID) -> Bool {
        guard case .on = nodes[node].watch else { return false }
        return nodes[node].flags.isDisjoint(with: [.refused, .listing, .localChangesOnly])
    }

    /// Has the presenters of a polled directory, and of those above, look at everything again if
    /// its names have changed: an item may have come and gone between two polls.
    mutating func comparePolled(
        _ node: WatchNodeID, from old: ObservedFile, to new: ObservedFile
    ) {
        guard new.isDirectory, nodes[node].flags.contains(.polled) || polled.isSilent,
            new.stamp.modified != old.stamp.modified
        else { return }
        for child in nodes[node].children.values
        where nodes[child].now == nil && nodes[child].below > 0 {
            nodes[child].flags.insert(.came)
            markDirty(child)
        }
        for above in nodes.ancestry(of: node) {
            for id in nodes[above].anchors
            where presenters[id].kind == .directory && isTold(of: above)(id) {
                presenters.owe(id, .late)
            }
        }
    }

    /// Returns why a presenter's changes are polled, or nil if the kernel reports them.
    private func trouble(of presenter: Presenter, _ above: [WatchNodeID: WatchTrouble])
        -> WatchTrouble?
    {
        if polled.isSilent { return .silent }
        if presenter.kind == .directory, let trouble = above[presenter.place] { return trouble }
        return nodes.ancestry(of: presenter.place).lazy.compactMap(ownTrouble).first
    }

    private func ownTrouble(_ node: WatchNodeID) -> WatchTrouble? {
        if case .failed(let trouble, _) = nodes[node].watch { return trouble }
        guard nodes[node].flags.contains(.polled) else { return nil }
        return nodes[node].flags.contains(.localChangesOnly) ? .remote : .permission
    }

    /// Tells presenters that their changes are now polled, or no longer.
    mutating func tellTroubles() {
        guard polled.isChanged else { return }
        polled.isChanged = false
        // Maps every ancestor of a polled node to the first reason found.
        var above: [WatchNodeID: WatchTrouble] = [:]
        for node in polled.nodes where nodes.contains(node) && nodes.isInTree(node) {
            guard let trouble = ownTrouble(node) else { continue }
            for node in nodes.ancestry(of: node) { above[node] = above[node] ?? trouble }
        }
        for id in presenters.ids {
            let trouble = trouble(of: presenters[id], above)
            guard trouble != presenters[id].trouble else { continue }
            presenters[id].trouble = trouble
            news.append(
                WatchNews(presenter: id, body: trouble.map { .degraded($0) } ?? .healed))
        }
    }

    /// The reason for each presenter whose changes are polled, for status reports.
    public var troubles: [(presenter: UInt64, trouble: WatchTrouble)] {
        presenters.troubled.sorted().compactMap { id in presenters[id].trouble.map { (id, $0) } }
    }
}
