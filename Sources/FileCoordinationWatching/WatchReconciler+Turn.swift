// SPDX-License-Identifier: Apache-2.0
//
// The end of a turn: presenters are told every difference from what they were last told. The report
// about a node waits while a check of it is pending, while a directory above may have been moved,
// while a coordinated write to it is under way, or while its directory has not been reported.
// `ChangeOrder` puts the changes of one message in order.

import FileCoordinationArbiter

extension WatchReconciler {
    /// Ends a turn.
    ///
    /// Call it after each batch of facts, and at ``nextDeadline``.
    ///
    /// Before it, pass in the facts about coordinated writes that came while names were checked.
    ///
    /// - Returns: at most one message of changes for each presenter, in the order of presenters.
    public mutating func endTurn(at now: UInt64) -> [WatchNews] {
        pace.now = max(pace.now, now)
        expire()
        runTimers()
        startPresenters()
        rememberReaders()
        rereadAfterMoves()
        tellTroubles()
        let isHurried = hurryPresenters()
        if isDueNow(hurried: isHurried) {
            let knowsWhatWasRead = knowsWhatWasRead
            tellChanges()
            if knowsWhatWasRead { forgetReaders() }
        }
        answerQuestions()
        tellFoundPaths()
        rememberReaders()
        pace.isBehind = false
        defer { news = [] }
        return news
    }

    /// Whether a message is held back that the end of a claim may release.
    public var awaitsClaims: Bool {
        !changed.isEmpty || !presenters.unsettled.isEmpty || !missing.isEmpty
    }

    /// The time by which the next turn must end, or nil if only new facts can cause one.
    public var nextDeadline: UInt64? {
        var times = [polled.next, pace.nextBarrier, pace.rescanUntil]
        if hasOrders || !questions.isEmpty { times.append(pace.now) }
        // The next turn may find that all moves are known whose results presenters may have read.
        // Without it, a move that comes later would make them read again.
        if pace.isUnsure, !presenters.readAhead.isEmpty { times.append(pace.now) }
        let isWaiting =
            !changed.isEmpty || !presenters.unsettled.isEmpty || !presenters.postponed.isEmpty
        if pace.isToBeContinued { times.append(max(pace.now, pace.lastTold ?? 0) + limits.pause) }
        if isWaiting, let last = pace.lastTold, last + limits.pause > pace.now {
            times.append(last + limits.pause)
        }
        // Until a claim that is over is discarded, it may seem to have made a later change.
        if claims.hasEnded, changed.isEmpty, presenters.unsettled.isEmpty, isQuiet {
            times.append(max(pace.now, (pace.lastTold ?? 0) + limits.pause))
        }
        for node in missing where nodes.contains(node) {
            if case .missing(let until) = nodes[node].place { times.append(until) }
        }
        times += hints.targets.compactMap { nodes.existing($0).map { nodes[$0].keptUntil } }
        times += presenters.unsettled.map { presenters[$0].detachment.settleAt }.filter {
            $0 > pace.now
        }
        if presenters.ids.isEmpty { return hasOrders || !questions.isEmpty ? pace.now : nil }
        return times.compactMap { $0 }.min()
    }

    /// Whether presenters may be told something now.
    private mutating func isDueNow(hurried: Bool) -> Bool {
        if let until = pace.rescanUntil {
            guard isQuiet || until <= pace.now else { return false }
            pace.lastTold = nil
        }
        if hurried { return true }
        guard let last = pace.lastTold else { return true }
        return last + limits.pause <= pace.now
    }

    /// Tells presenters that changes are reported from now on, once all their items have been
    /// checked.
    private mutating func startPresenters() {
        guard pace.baselines == 0 else { return }
        for id in presenters.unsettled where presenters[id].isStarting {
            let place = presenters[id].place
            guard isSeen(place) else { continue }
            presenters[id].isStarting = false
            presenters[id].object = nodes[place].now == nil ? nil : place
            presenters[id].read.seen = nodes[place].known == nil ? nodes[place].now : nil
            news.append(WatchNews(presenter: id, body: .listening))
            let now = nodes[place].now
            if let missed = presenters[id].missed,
                missed.existed && now == nil || isChanged(place, after: missed.after)
            {
                presenters[id].whole = presenters[id].whole ?? .late
            }
            guard let since = presenters[id].since, !now.isSameVersion(as: since) else {
                continue
            }
            let what: WatchedChange.What =
                now.map { .changed($0.difference(from: since) ?? .content) } ?? .deleted
            presenters[id].early = WatchedChange(
                what: what, path: presenters[id].path, origin: .uncoordinated, observed: now)
        }
    }

    /// Whether the item, or a known item inside, was changed after the given real time.
    ///
    /// The removal of an item is found, too, because it changes the directory.
    private func isChanged(_ place: WatchNodeID, after time: Int64) -> Bool {
        let all = nodes.isCovered(place) ? nodes.subtree(of: place) : [place]
        return all.contains { node in nodes[node].now.map { $0.stamp.changed > time } ?? false }
    }

    private func isSeen(_ node: WatchNodeID) -> Bool {
        var next: WatchNodeID? = node
        while let node = next {
            if nodes[node].isPending { return false }
            if case .ordered = nodes[node].watch { return false }
            next = nodes[node].parent
        }
        return true
    }

    private mutating func tellChanges() {
        if pace.rescanUntil != nil { pace.rescanUntil = nil }
        var outbox = TurnOutbox(limit: limits.changesPerMessage)
        let (reports, told) = collectReports()
        for report in reports {
            distribute(report, into: &outbox)
            rememberDeparture(report)
        }
        for node in told { remember(node) }
        settlePresenters(into: &outbox)
        send(outbox)
        for report in reports { discardAccounts(of: report) }
        for node in told where nodes.contains(node) { discardMove(of: node) }
        for node in told where nodes.contains(node) {
            if nodes[node].place == .gone { drop(node) } else { tidyTold(node) }
        }
        // Nodes that waited for these reports may be reported in the next turn.
        pace.isToBeContinued = !told.isEmpty && !changed.isEmpty
        if changed.isEmpty, isQuiet, presenters.unsettled.isEmpty { settleClaims() }
    }

    /// Discards what finished writes have reported, after a last check of its items.
    private mutating func settleClaims() {
        for path in claims.takeUnchecked() { checkAgain(at: path) }
        if isQuiet { claims.settled() }
    }

    /// Returns the reports of this turn, and the nodes that they are about.
    private mutating func collectReports() -> ([TurnReport], [WatchNodeID]) {
        let waiting = changed.filter { nodes.contains($0) && nodes[$0].flags.contains(.changed) }
        let ordered = waiting.map { (depth: nodes.isInTree($0) ? nodes.depth($0) : .max, node: $0) }
            .enumerated().sorted { ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset) }
            .map(\.element.node)
        changed = []
        claims.beginReports()
        var reports: [TurnReport] = []
        var told: [WatchNodeID] = []
        var isTold: Set<WatchNodeID> = []
        for node in ordered {
            if mustWait(node, isTold) {
                changed.append(node)
                continue
            }
            let new = report(node, isTold)
            reports += new
            told.append(node)
            isTold.insert(node)
            nodes[node].flags.remove(.changed)
        }
        return (reports, told)
    }

    private func mustWait(_ node: WatchNodeID, _ isTold: Set<WatchNodeID>) -> Bool {
        switch nodes[node].place {
        case .missing: return true
        case .gone:
            // If the directory is gone, too, its deletion covers this one. It may even be inside
            // this item, which was moved out of it before.
            if let parent = nodes.existing(nodes[node].known?.parent), !nodes.isInTree(parent),
                !isGoneAbove(parent)
            {
                return true
            }
            // The deletion is told with a path by which presenters know the directory then.
            if let parent = nodes.existing(nodes[node].known?.parent), nodes.isInTree(parent),
                isMoveUntold(parent, isTold)
            {
                return true
            }
            // Another item may have the name now. That must be known first, because then this
            // is not reported as a deletion.
            if let told = nodes[node].known, let parent = nodes.existing(told.parent),
                nodes.isInTree(parent), let taker = nodes[parent].children[told.name],
                nodes[taker].isPending
            {
                return true
            }
        case .attached:
            // A presenter that reads the item at once does not find it if a directory above has
            // left its name.
            guard nodes.isInTree(node), !nodes[node].isPending, !isLeavingAbove(node) else {
                return true
            }
            // What leaves a directory before it is watched would be told to no presenter that has
            // read the directory because of this report.
            if case .ordered = nodes[node].watch { return true }
            if isBelowUntold(node, isTold) { return true }
            // Presenters still have another item at this path. They are told about that first.
            if nodes[node].now == nil,
                displacedFrom(node) != nil || isCarried(node) || isBelowUntoldAbsence(node)
            {
                return true
            }
            if isAwaitedElsewhere(node, isTold) { return true }
            if isBeingWritten(node) { return true }
        }
        return !claims.isEmpty && claims.isActive(at: nodes.toldPath(node))
    }

    /// Whether a directory above has left its name, as the kernel says, and that was not checked.
    private func isLeavingAbove(_ node: WatchNodeID) -> Bool {
        var next = nodes[node].parent
        while let above = next {
            if nodes[above].flags.contains(.leaving), nodes[above].isPending { return true }
            next = nodes[above].parent
        }
        return false
    }

    /// Whether a claim is under way that may have put an item where it is.
    private func isBeingWritten(_ node: WatchNodeID) -> Bool {
        guard !claims.isEmpty else { return false }
        if claims.isActive(at: nodes.path(node)) { return true }
        guard let now = nodes[node].now else { return false }
        return claims.activePlaces(whereClaimsLeft: now).contains { place in
            // If the item is there, too, it has hard links.
            nodes.node(at: place).flatMap { nodes[$0].now }?.isSameItem(as: now) != true
        }
    }

    /// Whether a directory above is at a path that presenters were not told yet.
    func isBelowUntold(_ node: WatchNodeID, _ isTold: Set<WatchNodeID> = []) -> Bool {
        if let parent = nodes[node].parent, nodes[parent].known == nil, !isTold.contains(parent),
            // A directory that does not exist is not reported, so it need not be waited for.
            nodes[parent].now != nil || nodes.isPendingAbove(parent)
        {
            return true
        }
        var next = nodes[node].parent
        while let above = next {
            next = nodes[above].parent
            guard nodes[above].flags.contains(.changed), !isTold.contains(above) else { continue }
            if !nodes.isToldInPlace(above) { return true }
        }
        return false
    }

    /// Whether a directory, or one above it, has been moved and presenters were not told, or may
    /// have been.
    private func isMoveUntold(_ directory: WatchNodeID, _ isTold: Set<WatchNodeID>) -> Bool {
        var next: WatchNodeID? = directory
        while let node = next, node != nodes.root {
            if nodes[node].isPending { return true }
            if nodes[node].known != nil, !nodes.isToldInPlace(node), !isTold.contains(node) {
                return true
            }
            next = nodes[node].parent
        }
        return false
    }

    /// Whether presenters know a directory above by another path.
    private func isCarried(_ node: WatchNodeID) -> Bool {
        var next = nodes[node].parent
        while let above = next, above != nodes.root {
            if nodes[above].now != nil, !nodes.isToldInPlace(above) { return true }
            next = nodes[above].parent
        }
        return false
    }

    /// Whether a directory above is absent, too, and presenters were not told, or a claim that may
    /// have moved it is under way.
    private func isBelowUntoldAbsence(_ node: WatchNodeID) -> Bool {
        var next = nodes[node].parent
        while let above = next, nodes[above].now == nil {
            if displacedFrom(above) != nil || claims.isActive(at: nodes.path(above)) { return true }
            next = nodes[above].parent
        }
        return false
    }

    /// Stores what presenters now know about the node.
    private mutating func remember(_ node: WatchNodeID) {
        if let slot = ToldSlot(nodes[node].told), displaced[slot] == node { displaced[slot] = nil }
        guard nodes[node].isAttached, let parent = nodes[node].parent,
            let now = nodes[node].now
        else {
            nodes[node].flags.subtract([.unsure, .toldAbove, .succeeded])
            return
        }
        let slot = ToldSlot(parent: parent, name: nodes[node].name)
        // Presenters know now that the item which they were told is here is elsewhere.
        if let prior = nodes.existing(displaced[slot]), ToldSlot(nodes[prior].told) == slot {
            nodes[prior].flags.insert(.overtaken)
        }
        displaced[slot] = nil
        if let former = nodes[node].known { markLeft(former, by: slot) }
        let wasUnsure = nodes[node].flags.contains(.unsure)
        nodes[node].flags.subtract([
            .unsure, .overtaken, .unread, .passedOver, .toldAbove, .succeeded,
        ])
        nodes[node].told = WatchNode.LastReport(parent: parent, name: slot.name, observed: now)
        guard wasUnsure, now.isDirectory else { return }
        // The items inside have moved along, so their paths are what presenters were told.
        for below in nodes.subtree(of: node) where nodes.isToldInPlace(below) {
            nodes[below].flags.remove(.unsure)
        }
    }

    /// Records that presenters know that nothing is at the former path of an item.
    ///
    /// A presenter that has read everything may have seen the item there.
    private mutating func markLeft(_ former: WatchNode.LastReport, by slot: ToldSlot) {
        guard ToldSlot(former) != slot, let parent = nodes.existing(former.parent),
            let place = nodes[parent].children[former.name], nodes[place].now == nil,
            !nodes[place].flags.contains(.succeeded)
        else { return }
        nodes[place].flags.remove(.unsure)
    }

    private mutating func discardAccounts(of report: TurnReport) {
        if report.what == .deleted {
            let node = nodes.existing(report.node)
            claims.toldDeparture(
                of: node.flatMap { nodes[$0].told?.observed }, from: report.place,
                taker: node.flatMap(taker))
        } else {
            claims.told(report.place, report.observed)
        }
        if case .moved = report.what, let former = report.formerPlace {
            claims.toldDeparture(of: report.observed, from: former)
            // A claim that has announced the move has carried them along itself.
            if let directory = report.observed, directory.isDirectory,
                let place = report.ends?.leftAt
                    ?? (report.origins == [.coordinated] ? nil : former.claimed)
            {
                claims.carry(directory, from: place, to: report.place.claimed)
            }
        }
        for place in [report.ends?.leftAt, report.announcedAt].compactMap({ $0 }) {
            claims.forget(place)
        }
    }

    /// Discards where claims have left a directory, because presenters know now where it is.
    private mutating func discardMove(of node: WatchNodeID) {
        guard !claims.directories.isEmpty, let item = nodes[node].now, item.isDirectory,
            nodes.isToldInPlace(node), let path = nodes.path(node)
        else { return }
        claims.told(item, at: seenPlace(of: node, at: path))
    }

    /// Removes a node that was moved to a place where nothing is presented.
    private mutating func tidyTold(_ node: WatchNodeID) {
        guard nodes[node].below == 0 || !nodes.isCovered(node) else { return }
        tidy(node)
        if let node = nodes.existing(node), nodes[node].isDirectory { shrink(node) }
    }
}
