// SPDX-License-Identifier: Apache-2.0
//
// Stage 2: presenters are asked to yield, and answer (Rules 2.19, 6.10 to 6.13). In this order: the
// questions and answers, who is asked what, how long an answer may take, and what a move changes.

import MonotonicTime

extension Arbiter {
    /// Asks a presenter to yield to a claim, or postpones or omits the question.
    mutating func put(
        _ steps: YieldSteps, to presenter: PresenterID, for id: ClaimID,
        _ reevaluations: inout ReevaluationQueue
    ) {
        // Another presenter may have made the claim fail.
        guard records[id] != nil else { return }
        // A presenter that did not answer in time is not asked until it answers (Rule 18.3).
        if unresponsive.contains(presenter) {
            return goOn(without: presenter, for: id, &reevaluations)
        }
        // The record must not be referenced elsewhere while it is changed, or it would be copied.
        guard let isEarly = registry[presenter].map({ mustPostpone(steps, to: $0, for: id) })
        else { return }
        if isEarly {
            // The claim now waits for these readers. Claims of a reader's purpose need not wait for
            // it (Rule 2.17).
            for reader in readersToOutlast(presenter, steps, for: id) {
                guard let purpose = records[reader]?.claim.purpose else { continue }
                reconsider(purposeIndex.waiting(purpose), &reevaluations)
            }
            return awaitAnswer(presenter, .postponed(steps), for: id, &reevaluations)
        }

        var remaining = steps
        if !steps.relinquish.isEmpty {
            records[id]?.relinquished.insertOnce(presenter)
            remaining.relinquish =
                registry[presenter]?.relinquish(steps.relinquish, for: id) ?? []
        }
        if remaining.accommodateDeletion { records[id]?.accommodated.insertOnce(presenter) }
        if remaining.isEmpty {
            stopAwaiting(presenter, for: id, &reevaluations)
        } else {
            awaitAnswer(presenter, .put(remaining), for: id, &reevaluations)
            reevaluations.emit(.askToYield(presenter, for: id, remaining))
        }
    }

    /// Asks a presenter the postponed questions that are possible now.
    mutating func putPostponedQuestions(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        for id in registry[presenter]?.postponedFor ?? [] {
            switch records[id]?.asking?.awaited[presenter]?.question {
            case .postponed(let steps): put(steps, to: presenter, for: id, &reevaluations)
            case .put, nil: continue
            }
        }
    }

    /// Handles the answer of a presenter.
    mutating func answer(
        _ presenter: PresenterID, _ id: ClaimID, _ failure: PresenterFailure?,
        _ reevaluations: inout ReevaluationQueue
    ) {
        markResponsive(presenter, &reevaluations)
        // The answer is recorded even if the claim that asked is over: other claims may wait until
        // the presenter has relinquished.
        registry[presenter]?.answered(id, now: now)
        discardLateCall(of: presenter, for: id)
        reevaluations.resume(presenter)
        switch records[id]?.asking?.awaited[presenter]?.question {
        case .put: break
        // The answer is for a claim that is over or has continued without it, or for a question
        // that was never asked.
        case .postponed, nil: return
        }
        if let failure {
            // Rules 9.1, 9.3: the first error decides. The other presenters' questions are not
            // withdrawn.
            reevaluations.emit(.fail(id, failure))
            finish(id, &reevaluations)
        } else {
            stopAwaiting(presenter, for: id, &reevaluations)
        }
    }

    // MARK: Missing answers

    private mutating func awaitAnswer(
        _ presenter: PresenterID, _ question: AwaitedAnswer.Question, for id: ClaimID,
        _ reevaluations: inout ReevaluationQueue
    ) {
        guard
            let (purpose, deadline) = registry[presenter].map({ record in
                (record.registration.purpose, self.deadline(of: record, question))
            })
        else { return }
        // The claim waits for this answer, and claims of the presenter's purpose need not wait for
        // the claim (Rule 2.16).
        reevaluations.markNewWaits()
        let answer = AwaitedAnswer(presenter: presenter, question: question, deadline: deadline)
        records[id]?.updateAsking { $0.awaited.insert(answer) }
        let wasPostponed = isPostponed(presenter, for: id)
        if registry[presenter]?.addAwaitingClaim(by: id, question) == true {
            purposeIndex.beginAwaiting(purpose, of: presenter)
        }
        purposeIndex.addPostponed(
            (isPostponed(presenter, for: id) ? 1 : 0) - (wasPostponed ? 1 : 0))
        lowerDeadline(to: deadline)
    }

    /// Records that the claim does not need an answer of this presenter, or no longer.
    mutating func stopAwaiting(
        _ presenter: PresenterID, for id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        // Of an answer that is not awaited any more, a late call may be known: it stays.
        if records[id]?.asking?.awaited[presenter] != nil { block(presenter, for: id, by: nil) }
        records[id]?.updateAsking { $0.awaited.remove(presenter) }
        reevaluations.reconsiderGrant(id)
        if isPostponed(presenter, for: id) { purposeIndex.addPostponed(-1) }
        guard registry[presenter]?.removeAwaitingClaim(by: id) == true,
            let purpose = registry[presenter]?.registration.purpose
        else { return }
        purposeIndex.endAwaiting(purpose, of: presenter)
        // Claims of this purpose may now wait for what they could pass (Rule 2.16), and others may
        // pass them because of that (Rule 2.17).
        if !purposeIndex.waiting(purpose).isEmpty { reevaluations.markNewWaits() }
    }

    // MARK: Postponed questions

    private func isPostponed(_ presenter: PresenterID, for id: ClaimID) -> Bool {
        registry[presenter]?.postponedFor.contains(id) ?? false
    }

    /// Whether the presenter cannot be asked for this claim now.
    private func mustPostpone(
        _ steps: YieldSteps, to record: PresenterRecord, for id: ClaimID
    ) -> Bool {
        for kind in steps.relinquish {
            switch record[kind] {
            case .kept, .relinquished: continue
            case .relinquishing(let asker): if asker != id { return true }
            }
        }
        let readers = readersToOutlast(record.registration.id, steps, for: id)
        // The question is not postponed for a reader that itself waits for this claim, because that
        // wait would never end.
        return !readers.isEmpty
            && !readers.contains { records[$0].map { waits($0, for: id) } ?? false }
    }

    /// Returns the readers that must end, so that the presenter gets its item back, before it is
    /// asked to relinquish for this claim (Rule 6.11).
    ///
    /// Usually there are none.
    func readersToOutlast(
        _ presenter: PresenterID, _ steps: YieldSteps, for id: ClaimID
    ) -> OrderedIDs<ClaimID> {
        guard steps.relinquish.contains(.reader), let record = registry[presenter] else {
            return []
        }
        switch record.toReaders {
        case .kept, .relinquishing:
            return []
        case .relinquished(let readers, let since):
            guard now >= since + Limits.readerChain else { return [] }
            return readers.contains { mustJoin(id, $0, since: since) } ? [] : readers
        }
    }

    /// Whether a claim must not wait for the end of a reader for which a presenter has been
    /// relinquished for too long.
    private func mustJoin(_ id: ClaimID, _ reader: ClaimID, since: Instant) -> Bool {
        guard let claim = records[id]?.claim, let other = records[reader] else { return false }
        // A read made inside that read must not wait for it, because that wait would never end.
        if claim.isInside(reader) { return true }
        // Rule 2.10, but as in Rule 2.17 only for readers that were filed soon after the
        // presenter relinquished. Otherwise overlapping reads of one purpose could keep the
        // presenter from its item forever.
        return claim.purpose == other.claim.purpose
            && other.filedAt < since + Limits.readerChain
    }
}

// The table of the rule book's section 6: which presenters a claim concerns, and what each must do
// before the grant.

extension Arbiter {
    /// Returns the presenters to ask for a claim, ascending, and the steps for each (Rules 6.1 to
    /// 6.10).
    ///
    /// Computed when the claim enters stage 2, because presenters are added and removed while it
    /// waits.
    func concernedPresenters(of claim: FiledClaim) -> [(PresenterID, YieldSteps)] {
        var needs = Needs()
        for located in tree.ownLocatedItems(of: claim) {
            switch (claim.kind, located.item.access) {
            case (.access, .reading(let options)): addNeeds(ofReading: located, options, to: &needs)
            case (.access, .writing(let options)): addNeeds(ofWriting: located, options, to: &needs)
            case (.preparation, _): addNeeds(ofPreparing: located, to: &needs)
            case (.upkeep, .writing(let options)):
                guard options.isDeletion else { continue }
                needs.add(presentersToEvict(located)) { $0.accommodateEviction = true }
            case (.upkeep, .reading): continue
            }
            guard !tree.providers.isEmpty, needsContents(of: located.item, claim),
                let provider = provider(of: located.item.path)
            else { continue }
            needs.add([provider]) { $0.provideContents = [located.item.path] }
        }
        return needs.presenters.compactMap { id in
            // Rules 4.5 and 5.3: presenters of the claim's purpose are not asked, and others only
            // for what they implement.
            guard let presenter = registry[id]?.registration, presenter.purpose != claim.purpose,
                let steps = needs.steps[id]?.limited(to: presenter.methods), !steps.isEmpty
            else { return nil }
            return (id, steps)
        }
    }

    private func addNeeds(
        ofReading located: PlaceTree.LocatedItem, _ options: ReadingOptions, to needs: inout Needs
    ) {
        let save = !options.contains(.withoutChanges)
        needs.add(tree.presenters(at: located)) {
            $0.relinquish = [.reader]
            $0.save = save
        }
        needs.add(presentersOfPackages(containing: located)) {
            $0.relinquish = [.reader]
            $0.save = save
        }
        if options.contains(.includingContents) {
            // Rule 2.23: each presenter is asked as for its own item.
            needs.add(tree.presenters(below: located.node)) {
                $0.relinquish = [.reader]
                $0.save = save
            }
        }
        needs.add(presentersBesides(located)) { $0.relinquish = [.reader] }
    }

    private func addNeeds(
        ofWriting located: PlaceTree.LocatedItem, _ options: WritingOptions, to needs: inout Needs
    ) {
        // Rule 2.8b: the union of what the options require.
        let save = options.asksToSave
        let deletes = options.isDeletion
        needs.add(tree.presenters(at: located)) {
            $0.relinquish = [.writer]
            $0.save = save
            $0.accommodateDeletion = deletes
        }
        needs.add(presentersOfPackages(containing: located)) {
            $0.relinquish = [.writer]
            $0.save = save
            // Rule 6.3: a deleted item inside a package is a subitem of the package.
            $0.accommodateSubitemDeletions = deletes ? [located.item.path] : []
        }
        if located.item.isDomain {
            needs.add(tree.presenters(below: located.node)) {
                $0.relinquish = [.writer]
                // Rule 2.23
                $0.save = save && options.contains(.includingContents)
                $0.accommodateDeletion = deletes
            }
        }
        needs.add(presentersBesides(located)) { $0.relinquish = [.writer] }
    }

    /// A batch asks all presenters in and around its items once for what its calls would ask: to
    /// save and to accommodate deletion, but not to relinquish (Rules 14.1, 14.2).
    private func addNeeds(ofPreparing located: PlaceTree.LocatedItem, to needs: inout Needs) {
        let save: Bool
        let deletes: Bool
        switch located.item.access {
        case .reading(let options): (save, deletes) = (!options.contains(.withoutChanges), false)
        case .writing(let options):
            (save, deletes) = (options.asksToSave, options.isDeletion)
        }
        guard save || deletes else { return }
        needs.add(tree.presenters(at: located) + tree.presenters(below: located.node)) {
            $0.save = save
            $0.accommodateDeletion = deletes
        }
        needs.add(presentersOfPackages(containing: located)) {
            $0.save = save
            $0.accommodateSubitemDeletions = deletes ? [located.item.path] : []
        }
    }

    /// Returns the presenters of every package that contains the item, without the item itself
    /// (Rules 1.12, 6.2).
    func presentersOfPackages(containing located: PlaceTree.LocatedItem) -> [PresenterID] {
        guard located.item.packageDepths.contains(where: { $0 < located.item.path.depth }) else {
            return []
        }
        return tree.presenters(above: located)
            .filter { located.item.packageDepths.contains($0.depth) }
            .flatMap(\.presenters)
    }

    /// Returns the presenters of other items inside the outermost package (Rule 6.4), except for
    /// those of plain directories that contain the item (Rule 6.2).
    ///
    /// The rule mentions plain reads and writes. A D/M/R write inside a package changes the package
    /// at least as much, so it asks the same presenters.
    private func presentersBesides(_ located: PlaceTree.LocatedItem) -> [PresenterID] {
        guard !located.item.packageDepths.isEmpty else { return [] }
        return tree.presenters(
            below: located.exclusionNode, except: tree.plainDirectories(between: located))
    }
}

/// The steps for each presenter: the union over the items of a claim (Rule 6.10).
private struct Needs {
    private(set) var presenters: OrderedIDs<PresenterID> = []
    private(set) var steps: [PresenterID: YieldSteps] = [:]
    /// The subitem deletions in `steps`; used for lookup only.
    private var deletions: [PresenterID: Set<ItemPath>] = [:]

    mutating func add(
        _ concerned: some Sequence<PresenterID>, _ describe: (inout YieldSteps) -> Void
    ) {
        var added = YieldSteps()
        describe(&added)
        for presenter in concerned {
            presenters.insertOnce(presenter)
            steps[presenter, default: YieldSteps()].formUnion(added)
            for path in added.accommodateSubitemDeletions
            where deletions[presenter, default: []].insert(path).inserted {
                steps[presenter]?.accommodateSubitemDeletions.append(path)
            }
        }
    }
}

extension YieldSteps {
    /// Adds other steps, except those for subitems.
    fileprivate mutating func formUnion(_ other: YieldSteps) {
        relinquish.formUnion(other.relinquish)
        save = save || other.save
        accommodateDeletion = accommodateDeletion || other.accommodateDeletion
        accommodateEviction = accommodateEviction || other.accommodateEviction
        for path in other.provideContents where !provideContents.contains(path) {
            provideContents.append(path)
        }
    }

    /// Returns only the steps for which the presenter implements a method (Rules 5.3, 6.6).
    fileprivate func limited(to methods: PresenterMethods) -> YieldSteps {
        var relinquish = relinquish
        if !methods.contains(.relinquishToReader) { relinquish.remove(.reader) }
        if !methods.contains(.relinquishToWriter) { relinquish.remove(.writer) }
        return YieldSteps(
            relinquish: relinquish,
            save: save && methods.contains(.save),
            accommodateDeletion: accommodateDeletion && methods.contains(.accommodateDeletion),
            accommodateSubitemDeletions: methods.contains(.accommodateSubitemDeletion)
                ? accommodateSubitemDeletions : [],
            accommodateEviction: accommodateEviction && methods.contains(.accommodateEviction),
            provideContents: methods.contains(.provideContents) ? provideContents : [])
    }
}

// Deadlines for the answers of presenters (Rule 18.3). A presenter can delay one claim until its
// deadline. Then the claim continues without the answer, and the presenter is not asked any more
// until it answers. When it does, it is told to look at its item, which may have changed. A
// coordinated access of the presenter's own purpose extends the deadline: the presenter is busy,
// for example saving.

extension Arbiter {
    /// Returns the time until which the arbiter waits for an answer, or nil if there is no limit.
    func deadline(of record: PresenterRecord, _ question: AwaitedAnswer.Question) -> Instant? {
        switch question {
        // This presenter waits for other claims and has not been asked yet.
        case .postponed(let steps) where !isBehindPassedOver(record, steps): nil
        case .put, .postponed:
            .earlier(
                record.registration.answerTimeout.map { now + $0 }, stoppedDeadline(of: record))
        }
    }

    /// Whether a question is postponed until the presenter answers a claim that has continued
    /// without it.
    ///
    /// That earlier answer has no deadline any more, so this question needs one.
    private func isBehindPassedOver(_ record: PresenterRecord, _ steps: YieldSteps) -> Bool {
        steps.relinquish.contains { kind in
            switch record[kind] {
            case .kept, .relinquished: false
            case .relinquishing(let asker): !record.awaitedBy.contains(asker)
            }
        }
    }

    /// Lowers the next deadline to this one.
    mutating func lowerDeadline(to deadline: Instant?) {
        guard let deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Advances the clock and passes over presenters whose deadlines have expired.
    mutating func advanceClock(to time: Instant, _ reevaluations: inout ReevaluationQueue) {
        now = max(now, time)
        // A claim whose question to a presenter is postponed may now have to wait for readers that
        // have lasted too long (Rule 6.11). Time begins no other wait.
        if purposeIndex.postponedCount > 0 { reevaluations.markNewWaits() }
        guard let next = nextDeadline, next <= now else { return }
        nextDeadline = nil
        var silent: OrderedIDs<PresenterID> = []
        for id in purposeIndex.asking {
            for answer in records[id]?.asking?.awaited ?? [] {
                guard let deadline = answer.deadline else { continue }
                if deadline <= now {
                    silent.insertOnce(answer.presenter)
                } else {
                    lowerDeadline(to: deadline)
                }
            }
        }
        for presenter in silent { passOver(presenter, &reevaluations) }
        failWithoutProvider(&reevaluations)
    }

    /// Lets a claim continue without a presenter's answer; lets it fail if what the presenter may
    /// not have saved counts (Rule 18.16), or if it provides contents that are not here (Rule
    /// 15.4).
    private mutating func goOn(
        without presenter: PresenterID, for id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        if tree.providers.contains(presenter), records[id].map({ lacksContents($0.claim) }) ?? false
        {
            reevaluations.emit(.fail(id, .noProvider))
            return finish(id, &reevaluations)
        }
        let isConditional =
            records[id]?.claim.items.contains {
                $0.access.writingOptions?.contains(.conditional) ?? false
            } ?? false
        guard isConditional else {
            return stopAwaiting(presenter, for: id, &reevaluations)
        }
        reevaluations.emit(.fail(id, .noAnswer))
        finish(id, &reevaluations)
    }

    /// Lets all claims continue without the presenter's answers, if any claim waits for one.
    mutating func passOver(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let record = registry[presenter], !record.awaitedBy.isEmpty else { return }
        unresponsive.insertOnce(presenter)
        purposeIndex.enterUnresponsive(record.registration)
        for claim in record.awaitedBy {
            let call = records[claim]?.asking?.awaited[presenter]?.blockedBy
            goOn(without: presenter, for: claim, &reevaluations)
            if call != nil { block(presenter, for: claim, by: call) }
        }
        reevaluations.resume(presenter)
    }

    /// Handles a sign of life of a presenter that did not answer in time.
    mutating func markResponsive(_ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue)
    {
        guard unresponsive.remove(presenter), let record = registry[presenter] else { return }
        purposeIndex.leaveUnresponsive(record.registration)
        let registration = record.registration
        if let notice = registration.methods.noticeOfAnyChange(at: registration.path) {
            reevaluations.emit(.notify(presenter, notice))
        }
    }

    /// Handles an answer to a question that is not open any more.
    ///
    /// A claim may have continued without the presenter, and still be asking others. It is unknown
    /// whether the presenter has relinquished for that claim, because its client discards questions
    /// when it loses its connection. So the presenter gets its item back, and can be asked again.
    /// An access of its own purpose may have shown before that it is alive.
    mutating func handleLateAnswer(
        of presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        markResponsive(presenter, &reevaluations)
        discardLateCalls(of: presenter)
        for kind in Relinquishment.allCases {
            guard let record = registry[presenter], case .relinquishing(let claim) = record[kind],
                record.isLate(for: claim)
            else { continue }
            for back in registry[presenter]?.release(claim) ?? [] {
                reevaluations.emit(.reacquire(presenter, back))
            }
            records[claim]?.relinquished.remove(presenter)
        }
        reevaluations.resume(presenter)
    }

    /// Handles the beginning or end of an access: the presenters of its purpose are alive, and
    /// those of its items are busy with it.
    mutating func extendAnswerDeadlines(
        with claim: FiledClaim, _ reevaluations: inout ReevaluationQueue
    ) {
        let purpose = claim.purpose
        if !unresponsive.isEmpty {
            for id in purposeIndex.unresponsive(purpose) { markResponsive(id, &reevaluations) }
        }
        guard purposeIndex.isAwaited(purpose) else { return }
        var busy: OrderedIDs<PresenterID> = []
        for id in OrderedIDs(unique: purposeIndex.awaited(purpose)) where isBusy(id, with: claim) {
            busy.insert(id)
        }
        renewDeadlines(busy)
    }

    /// Whether an access concerns the item of a presenter, its contents or a directory around it.
    ///
    /// An access elsewhere does not show that the presenter is about to answer.
    private func isBusy(_ presenter: PresenterID, with claim: FiledClaim) -> Bool {
        guard let place = registry[presenter]?.registration.path else { return true }
        return claim.items.contains { item in
            item.path == place || item.path.contains(place) || place.contains(item.path)
        }
    }

    /// Restarts the deadlines for the answers of these presenters.
    mutating func renewDeadlines(_ presenters: OrderedIDs<PresenterID>) {
        for presenter in presenters {
            guard let record = registry[presenter] else { continue }
            for claim in record.awaitedBy {
                guard var answer = records[claim]?.asking?.awaited[presenter] else { continue }
                answer.deadline = deadline(of: record, answer.question)
                records[claim]?.updateAsking { $0.awaited.insert(answer) }
                lowerDeadline(to: answer.deadline)
            }
        }
    }
}

// Claims that ask presenters while their items move (Rule 11.6). The presenters of the new paths
// are asked as for a claim that moves along in the queue: when no claim that holds the new paths is
// left to wait for. The mover, for example, runs until then, and its presenters have relinquished
// for it. What was asked before the move is not asked again. A presenter that the claim has passed
// over while it was to relinquish is not asked again either: its claim has waited for it once, and
// an answer to another question would seem to say that it has relinquished (Rule 18.3).

extension Arbiter {
    /// Returns what a claim in stage 2 requires of presenters, before its items move; nil for other
    /// claims, and if it has yet to ask the presenters of the present paths.
    func requirementsBeforeMove(of id: ClaimID) -> [PresenterID: YieldSteps]? {
        guard let record = records[id], record.asking != nil else { return nil }
        if let asked = record.askedBeforeMove { return asked }
        return Dictionary(uniqueKeysWithValues: concernedPresenters(of: record.claim))
    }

    /// Remembers what a claim in stage 2, whose items have moved, required before.
    mutating func rememberRequirements(
        _ asked: [PresenterID: YieldSteps]?, of id: ClaimID, _ moves: [ItemMove]
    ) {
        records[id]?.askedBeforeMove = asked?.mapValues { steps in
            var renamed = steps
            renamed.accommodateSubitemDeletions = steps.accommodateSubitemDeletions.map { path in
                moves.destination(of: path) ?? path
            }
            renamed.provideContents = steps.provideContents.map { path in
                moves.destination(of: path) ?? path
            }
            return renamed
        }
    }

    /// Asks presenters of the new paths of a claim that could be granted otherwise, if its items
    /// have moved since it asked.
    mutating func askAtNewPaths(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = records[id], let asked = record.askedBeforeMove else { return }
        records[id]?.askedBeforeMove = nil
        for (presenter, steps) in concernedPresenters(of: record.claim) {
            let rest = asked[presenter].map { steps.without($0) } ?? steps
            if rest.isEmpty || registry[presenter]?.isLate(for: id) == true { continue }
            put(rest, to: presenter, for: id, &reevaluations)
        }
        // Claims of these presenters need not wait for this one any more (Rule 2.16).
        if records[id]?.asking?.awaited.isEmpty == false { reevaluations.markProgress() }
    }
}

extension YieldSteps {
    /// Returns these steps without those that were required before.
    fileprivate func without(_ former: YieldSteps) -> YieldSteps {
        let known = Set(former.accommodateSubitemDeletions)
        let provided = Set(former.provideContents)
        return YieldSteps(
            relinquish: Relinquishments(relinquish.filter { !former.relinquish.contains($0) }),
            save: save && !former.save,
            accommodateDeletion: accommodateDeletion && !former.accommodateDeletion,
            accommodateSubitemDeletions: accommodateSubitemDeletions.filter { !known.contains($0) },
            accommodateEviction: accommodateEviction && !former.accommodateEviction,
            provideContents: provideContents.filter { !provided.contains($0) })
    }
}
