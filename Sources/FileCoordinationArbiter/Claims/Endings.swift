// SPDX-License-Identifier: Apache-2.0
//
// The ends of claims and presenters. However a claim ends (return, cancellation, failure, death of
// its process), the same steps follow in the same order: notices to presenters, then reacquisition
// (Rules 7.2, 8.3, 8.4), then reevaluation of the claims that waited for it. What a dead writer was
// writing counts as changed; its own presenters are removed first. Below are the notices, and what
// a running accessor announces.

extension Arbiter {
    /// Handles the return of an accessor.
    mutating func end(
        _ id: ClaimID, _ outcomes: [ItemOutcome], _ reevaluations: inout ReevaluationQueue
    ) {
        guard let record = records[id] else { return }
        finish(id, notices: notices(after: record, outcomes), &reevaluations)
        enqueueCandidate(after: record, &reevaluations)
        // The end of a granted claim, for which no claim waits any more, enables no new bypass.
        // Only claims of the same purpose have bypassed others because of it.
        if record.grant == nil || !purposeIndex.waiting(record.claim.purpose).isEmpty {
            reevaluations.markNewWaits()
        }
    }

    /// Handles the death of a client process (Rule 15.8).
    mutating func removeClient(_ client: ClientID, _ reevaluations: inout ReevaluationQueue) {
        for id in delegations.delegations(of: client) { delegations.remove(id) }
        handovers.remove(client)
        guard let left = clientStates[client] else { return }
        // The client's presenters are removed first, so that no message is sent to them.
        for presenter in left.presenters { remove(presenter, &reevaluations) }
        // A writer that died may have changed its item, so a change is reported (Rule 7.8). This is
        // done for all claims before any presenter gets its item back (Rule 7.2).
        for id in left.claims {
            guard let record = records[id] else { continue }
            for notice in notices(after: record, []) { reevaluations.emit(notice) }
        }
        for id in left.claims { finish(id, &reevaluations) }
    }

    /// Removes a claim in any stage and performs what follows.
    mutating func finish(
        _ id: ClaimID, notices: [Effect] = [], _ reevaluations: inout ReevaluationQueue
    ) {
        unblockQuestions(for: id)
        guard let record = records[id] else { return }
        discard(record)
        extendAnswerDeadlines(with: record.territory, &reevaluations)
        for notice in notices { reevaluations.emit(notice) }
        letGo(record, &reevaluations)
    }

    /// Frees what waited for a claim that gives up its position, in stage 2 or in the queue.
    mutating func letGo(_ record: ClaimState, _ reevaluations: inout ReevaluationQueue) {
        let id = record.claim.id
        for presenter in record.relinquished {
            let back = registry[presenter]?.release(id) ?? []
            discardLateCall(of: presenter, for: id)
            for kind in back {
                reevaluations.emit(.reacquire(presenter, kind))
            }
            // Questions are postponed until the presenter has its item back, not until one of many
            // readers is over (Rule 6.11).
            if !back.isEmpty { reevaluations.resume(presenter) }
        }
        switch record.state {
        case .filed, .skipped, .granted:
            break
        case .waiting(let other):
            records[other]?.watchers.remove(id)
        case .asking(let asking):
            for answer in asking.awaited { stopAwaiting(answer.presenter, for: id, &reevaluations) }
            for bypasser in asking.bypassers { records[bypasser]?.passed.remove(id) }
        }
        for other in record.passed {
            records[other]?.updateAsking { $0.bypassers.remove(id) }
            reevaluations.reconsiderGrant(other)
        }
        reconsider(record.watchers, &reevaluations)
    }

    // MARK: Presenters

    /// Adds a presenter.
    ///
    /// It concerns every claim that is granted later (Rule 5.4), but is not asked for claims that
    /// already hold their position (Rule 6.12).
    mutating func add(_ presenter: RegisteredPresenter, _ reevaluations: inout ReevaluationQueue) {
        guard registry[presenter.id] == nil else { return }
        registry[presenter.id] = PresenterRecord(presenter, now: now)
        clientStates[presenter.client, default: ClientState()].presenters.insert(presenter.id)
        if let path = presenter.path { tree.insert(presenter.id, at: path) }
        if presenter.methods.contains(.provideContents) { tree.providers.insert(presenter.id) }
        switch mode {
        case .recovering:
            break
        case .serving:
            askNewProvider(presenter, &reevaluations)
            guard !presenter.relinquished.isEmpty else { return }
            adoptRelinquishments(of: presenter.id)
            returnUnclaimed(presenter.id, &reevaluations)
        }
    }

    /// Sets the path of a presenter, which its own process has reported (Rule 5.5).
    mutating func place(_ presenter: PresenterID, at path: ItemPath?) {
        guard let record = registry[presenter] else { return }
        if let old = record.registration.path { tree.remove(presenter, at: old) }
        if let path { tree.insert(presenter, at: path) }
        registry[presenter]?.registration.path = path
        // The package depths of the former path do not apply to the new one.
        registry[presenter]?.packageDepths = []
    }

    /// Removes a presenter: no claim waits for its answer any more, and it gets nothing back (Rule
    /// 5.7).
    mutating func remove(_ id: PresenterID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = registry[id] else { return }
        let isProvider = tree.providers.remove(id)
        if isProvider { awaitNextProvider(after: record) }
        for claim in record.awaitedBy { stopAwaiting(id, for: claim, &reevaluations) }
        discardLateCalls(of: id)
        for kind in Relinquishment.allCases {
            switch record[kind] {
            case .kept:
                break
            case .relinquishing(let claim):
                records[claim]?.relinquished.remove(id)
            case .relinquished(let claims, _):
                for claim in claims { records[claim]?.relinquished.remove(id) }
            }
        }
        if let path = record.registration.path { tree.remove(id, at: path) }
        registry[id] = nil
        if unresponsive.remove(id) { purposeIndex.leaveUnresponsive(record.registration) }
        let client = record.registration.client
        clientStates[client]?.presenters.remove(id)
        discardIfEmpty(client)
        guard isProvider else { return }
        // The next one may have been started before the death of this one was noticed.
        for next in tree.providers {
            if let next = registry[next]?.registration { askNewProvider(next, &reevaluations) }
        }
    }
}

// The notices to presenters after a write (the rule book's section 7).

extension Arbiter {
    /// Returns the notices after a claim.
    ///
    /// Call this before the claim is removed.
    ///
    /// If an item has no outcome, it is unknown whether it changed. It counts as changed if the
    /// accessor may have run (Rule 7.8).
    func notices(after record: ClaimState, _ outcomes: [ItemOutcome]) -> [Effect] {
        var noticeBuffer = NoticeBuffer()
        switch record.claim.kind {
        case .access: break
        // A batch asks presenters but does not write (Rule 14.3). What a provider does is no edit.
        case .preparation, .upkeep: return []
        }
        for (index, located) in tree.ownLocatedItems(of: record.claim).enumerated() {
            // Rule 7.11
            guard located.item.access.isWriting else { continue }
            let untold: ItemOutcome = record.grant == nil ? .unchanged : .changed
            let outcome = index < outcomes.count ? outcomes[index] : untold
            guard outcome != .unchanged else { continue }
            let moved = record.movedItems[index]
            let scene = scene(of: located, movedTo: moved)
            notifyPresenters(of: scene, outcome, after: record, &noticeBuffer)
            notifyDirectories(of: scene, outcome, after: record, &noticeBuffer)
            if located.item.access.coversContents {
                notifyContents(of: scene.item.path, outcome, after: record, &noticeBuffer)
            }
            // Rule 2.8b: an item that was moved away and also replaced has changed at both paths.
            guard moved != nil, located.item.staysInPlace || record.isMovedByOthers else {
                continue
            }
            let former = self.scene(of: located, movedTo: nil)
            notifyPresenters(of: former, .changed, after: record, &noticeBuffer)
            notifyDirectories(of: former, .changed, after: record, &noticeBuffer)
        }
        return noticeBuffer.effects
    }

    /// An item that changed, and the presenters that are concerned with it.
    private struct Scene {
        let item: AccessItem
        let presenters: OrderedIDs<PresenterID>
        let containing: [(depth: Int, presenters: OrderedIDs<PresenterID>)]
    }

    /// Returns the scene of an item; if the accessor has moved it, at its new path.
    private func scene(of located: PlaceTree.LocatedItem, movedTo item: AccessItem?) -> Scene {
        guard let item else {
            return Scene(
                item: located.item, presenters: tree.presenters(at: located),
                containing: tree.presenters(above: located))
        }
        return Scene(
            item: item, presenters: tree.presenters(at: item.path),
            containing: tree.presenters(containing: item.path))
    }

    /// Notifies the presenters of the item itself (Rules 7.3, 7.6, 7.7).
    private func notifyPresenters(
        of scene: Scene, _ outcome: ItemOutcome, after record: ClaimState,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        for id in scene.presenters {
            guard let presenter = recipient(id, of: record.claim) else { continue }
            switch outcome {
            case .unchanged:
                continue
            case .deleted:
                // A presenter that accommodated the deletion knows of it (Rule 7.6). Others are
                // told now.
                if record.accommodated.contains(id) { continue }
            case .changed, .created:
                break
            }
            noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }

    /// Notifies the presenters of everything inside a directory that was written, because it is
    /// unknown which items in it changed (Rules 2.23, 7.8).
    private func notifyContents(
        of path: ItemPath, _ outcome: ItemOutcome, after record: ClaimState,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        guard let top = tree.node(of: path) else { return }
        for id in tree.presenters(below: top) {
            guard let presenter = recipient(id, of: record.claim) else { continue }
            if outcome == .deleted, record.accommodated.contains(id) { continue }
            noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }

    /// Notifies the presenters of directories that contain the item (Rules 7.4, 7.5).
    ///
    /// A method for appearances never replaces a notice about changes: only
    /// `presentedSubitemDidChange(at:)` takes the place of a package's own change notice.
    private func notifyDirectories(
        of scene: Scene, _ outcome: ItemOutcome, after record: ClaimState,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        let path = scene.item.path
        for (depth, presenters) in scene.containing {
            let isPackage = scene.item.packageDepths.contains(depth)
            for id in presenters {
                guard let presenter = recipient(id, of: record.claim) else { continue }
                switch outcome {
                case .unchanged: continue
                case .created:
                    noticeBuffer.send(.subitemDidAppear(path), to: presenter, if: .subitemDidAppear)
                case .changed, .deleted: break
                }
                noticeBuffer.send(
                    .subitemDidChange(path), to: presenter, if: .subitemDidChange,
                    isPackage: isPackage)
            }
        }
    }

    /// Returns the presenter if it is told about this claim at all, else nil (Rules 4.5, 7.9).
    func recipient(_ id: PresenterID, of claim: FiledClaim) -> RegisteredPresenter? {
        guard let presenter = registry[id]?.registration, presenter.purpose != claim.purpose else {
            return nil
        }
        return presenter
    }
}

// Handles what accessors announce while they run, and notifies presenters (sections 10 and 11).

extension Arbiter {
    /// Handles an announcement of a running accessor.
    ///
    /// Announcements without a granted claim are ignored (Rule 11.10).
    mutating func receive(
        _ announcement: Announcement, from id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let speaker = records[id], speaker.grant != nil else { return }
        switch announcement {
        case .moved(let moves): follow(moves, by: speaker, &reevaluations)
        case .versionChanged(let path, let news): tellOfVersion(news, of: path, &reevaluations)
        case .ubiquityAttributesChanged(let path, let attributes):
            tellOfAttributes(attributes, of: path, speaker.claim, &reevaluations)
        }
    }

    /// Notifies every presenter of the item and of the directories that contain it (Rule 10.1),
    /// including those of the announcer's own purpose (Rule 10.3).
    private func tellOfVersion(
        _ news: VersionNews, of path: ItemPath, _ reevaluations: inout ReevaluationQueue
    ) {
        var noticeBuffer = NoticeBuffer()
        for id in tree.presenters(at: path) {
            guard let presenter = registry[id]?.registration else { continue }
            noticeBuffer.send(.itemVersion(path, news), to: presenter, if: news.fate.itemMethod)
        }
        for (_, presenters) in tree.presenters(containing: path) {
            for id in presenters {
                guard let presenter = registry[id]?.registration else { continue }
                noticeBuffer.send(
                    .subitemVersion(path, news), to: presenter, if: news.fate.subitemMethod)
            }
        }
        for notice in noticeBuffer.effects { reevaluations.emit(notice) }
    }

    /// Notifies the presenters of the item (Rules 10.4, 10.6), except for those of the announcer's
    /// purpose.
    ///
    /// The process of each presenter filters the attributes that the presenter observes.
    private func tellOfAttributes(
        _ attributes: [[UInt8]], of path: ItemPath, _ speaker: FiledClaim,
        _ reevaluations: inout ReevaluationQueue
    ) {
        guard !attributes.isEmpty else { return }
        var noticeBuffer = NoticeBuffer()
        for id in tree.presenters(at: path) {
            guard let presenter = recipient(id, of: speaker) else { continue }
            noticeBuffer.send(
                .ubiquityAttributes(attributes), to: presenter,
                if: .itemDidChangeUbiquityAttributes)
        }
        for notice in noticeBuffer.effects { reevaluations.emit(notice) }
    }
}

extension VersionFate {
    /// The method that a presenter of the item must implement to be notified.
    fileprivate var itemMethod: PresenterMethods {
        switch self {
        case .gained: .itemDidGainVersion
        case .lost: .itemDidLoseVersion
        case .resolved: .itemDidResolveConflict
        }
    }

    /// The method that a presenter of a containing directory must implement to be notified.
    fileprivate var subitemMethod: PresenterMethods {
        switch self {
        case .gained: .subitemDidGainVersion
        case .lost: .subitemDidLoseVersion
        case .resolved: .subitemDidResolveVersion
        }
    }
}
