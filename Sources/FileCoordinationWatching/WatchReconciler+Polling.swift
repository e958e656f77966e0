// SPDX-License-Identifier: Apache-2.0
//
// What the kernel does not notify is looked at every `WatchLimits.polling`, a bounded number of
// nodes at a time, each in its turn. A failed watch is tried again ever more rarely, at once when a
// watch was given back. The ways to what is presented are looked at every `WatchLimits.barrier` in
// any case: a mount over a directory makes no notification.

/// The nodes that are polled.
struct PolledNodes {
    /// In the order in which they are polled; may hold nodes that are not polled any more.
    var nodes: [WatchNodeID] = []
    var next: UInt64?
    /// When failed watches are tried again.
    var retryAt: UInt64 = 0
    private var retryPause: UInt64 = 2_000_000_000
    /// Whether who is polled has changed since presenters were told.
    var isChanged = false
    /// No notification arrives at all.
    var isSilent = false

    /// A watch was given back.
    mutating func room() { (retryAt, retryPause) = (0, 2_000_000_000) }

    /// Failed watches are tried now.
    mutating func tried(at now: UInt64) {
        retryAt = now + retryPause
        retryPause = min(retryPause * 2, 64_000_000_000)
    }
}

extension WatchReconciler {
    /// Polls a node from now on.
    mutating func poll(_ node: WatchNodeID, because trouble: WatchTrouble) {
        polled.next = polled.next ?? pace.now + limits.polling
        guard !nodes[node].flags.contains(.polled) else { return }
        nodes[node].flags.insert(.polled)
        polled.nodes.append(node)
        polled.isChanged = true
        if polled.retryAt == 0 { polled.tried(at: pace.now) }
    }

    /// Whether the watcher's own test event arrived.
    mutating func hearing(_ hears: Bool) {
        guard polled.isSilent == hears else { return }
        polled.isSilent = !hears
        polled.isChanged = true
        for node in nodes.all { rescan(node) }
        if !hears { polled.next = polled.next ?? pace.now + limits.polling }
    }

    /// Does what time asks for.
    mutating func runTimers() {
        if let next = polled.next, next <= pace.now { pollSome() }
        let barrier = pace.nextBarrier ?? pace.now + limits.barrier
        pace.nextBarrier = barrier
        guard barrier <= pace.now else { return }
        pace.nextBarrier = pace.now + limits.barrier
        for id in presenters.ids {
            var next: WatchNodeID? = presenters[id].place
            while let node = next {
                markDirty(node)
                next = nodes[node].parent
            }
        }
    }

    private mutating func pollSome() {
        let retries = polled.retryAt <= pace.now
        if retries { polled.tried(at: pace.now) }
        var rest = limits.polledAtOnce
        if polled.isSilent {
            for node in nodes.all { rescan(node) }
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
            later.append(node)
            if retries, case .failed(_, let mode) = nodes[node].watch,
                let path = nodes.path(node), let sight = nodes[node].now
            {
                nodes[node].watch = .ordered(mode)
                queue.orders.append(.watch(node, path, expected: sight.identity, mode))
            } else {
                rescan(node)
            }
        }
        polled.nodes += later
        polled.next =
            polled.nodes.isEmpty && !polled.isSilent ? nil : pace.now + limits.polling
    }

    /// Why a presenter's changes are polled; nil if they are notified.
    private func trouble(of presenter: Presenter, _ above: [WatchNodeID: WatchTrouble])
        -> WatchTrouble?
    {
        if polled.isSilent { return .silent }
        if presenter.kind.isTree, let trouble = above[presenter.place] { return trouble }
        var next: WatchNodeID? = presenter.place
        while let node = next {
            if let trouble = ownTrouble(node) { return trouble }
            next = nodes[node].parent
        }
        return nil
    }

    private func ownTrouble(_ node: WatchNodeID) -> WatchTrouble? {
        if case .failed(let trouble, _) = nodes[node].watch { return trouble }
        guard nodes[node].flags.contains(.polled) else { return nil }
        return nodes[node].flags.contains(.deaf) ? .remote : .permission
    }

    /// Tells presenters whose changes are polled from now on, or not any more.
    mutating func tellTroubles() {
        guard polled.isChanged else { return }
        polled.isChanged = false
        // Every node above a polled one, with the first reason found.
        var above: [WatchNodeID: WatchTrouble] = [:]
        for node in polled.nodes where nodes.contains(node) && nodes.isInTree(node) {
            guard let trouble = ownTrouble(node) else { continue }
            var next: WatchNodeID? = node
            while let node = next, above[node] == nil {
                above[node] = trouble
                next = nodes[node].parent
            }
        }
        for id in presenters.ids {
            let trouble = trouble(of: presenters[id], above)
            guard trouble != presenters[id].trouble else { continue }
            presenters[id].trouble = trouble
            news.append(
                WatchNews(presenter: id, body: trouble.map { .degraded($0) } ?? .healed))
        }
    }

    /// Why each degraded presenter's changes are polled, for status.
    public var troubles: [(presenter: UInt64, trouble: WatchTrouble)] {
        presenters.ids.compactMap { id in presenters[id].trouble.map { (id, $0) } }
    }
}
