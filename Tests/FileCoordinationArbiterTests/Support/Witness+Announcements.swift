// SPDX-License-Identifier: Apache-2.0
//
// Computes the effects of an announcement from the rules (``ExpectedMoves``) before the arbiter
// handles it, and compares them with the arbiter's effects: each must occur exactly once, and no
// other.

import FileCoordinationArbiter

extension Witness {
    /// The effects that the event must have, as far as the witness computes them in advance.
    struct Expectation {
        /// The new paths of presenters: those of a moved item before those of its contents.
        var relocations: [Effect] = []
        /// Which move takes a presenter along, and whether it presents the moved item itself.
        var ranks: [PresenterID: (move: String, isItem: Bool)] = [:]
        /// The notices; nil if the witness does not compute them for this event.
        var notices: Set<Effect>?
        var retargets: [Effect] = []
    }

    /// What an event must lead to; call this before the event is recorded.
    func expectation(of event: Event) -> Expectation {
        var result = Expectation()
        switch event {
        case .claimFiled(let claim):
            guard rules.claim(claim.id) == nil else { break }
            let items = redirected(claim)
            if items != claim.items { result.retargets = [.retarget(claim.id, items)] }
        case .claimAnnounced(let id, let announcement):
            result.notices = []
            guard let speaker = rules.claim(id), speaker.isGranted else { break }
            switch announcement {
            case .moved(let moves):
                expectMoves(ExpectedMoves(moves), by: speaker, &result)
            case .versionChanged(let item, let news):
                result.notices = versionNotices(item.description, path: item, news)
            case .ubiquityAttributesChanged(let item, let names):
                let concerned = registered.filter {
                    $0.path == item && $0.purpose != speaker.filed.purpose && !names.isEmpty
                        && $0.methods.contains(.itemDidChangeUbiquityAttributes)
                }
                result.notices = Set(concerned.map { .notify($0.id, .ubiquityAttributes(names)) })
            }
        case .claimRecovered, .claimReminded, .claimEnded, .claimCancelled, .presenterAdded,
            .presenterRelocated, .presenterMoved, .presenterRemoved, .presenterAnswered,
            .presenterAnsweredLate, .presenterBlocked, .presenterDismissed,
            .clientStopped,
            .clientContinued, .grantWithdrawn, .clientDied, .clockAdvanced, .recoveryFinished,
            .delegationRecalled, .queueOpened, .queueClosed:
            break
        }
        return result
    }

    private var registered: [RegisteredPresenter] { presenters.map(\.registered) }

    private func expectMoves(
        _ book: ExpectedMoves, by mover: SeenClaim, _ result: inout Expectation
    ) {
        let purpose = mover.filed.purpose
        result.relocations = book.relocations(registered, purpose: purpose)
        for presenter in registered {
            guard let place = presenter.path?.description else { continue }
            result.ranks[presenter.id] = book.rank(of: place)
            if presenter.purpose == purpose { continue }
            let hasAccommodated = accommodated[mover.id]?.contains(presenter.id) == true
            result.notices?.formUnion(book.notices(presenter, hasAccommodated: hasAccommodated))
        }
        for claim in rules.claims where !claim.isGranted && claim.filed.kind == .access {
            let items = book.moved(claim.filed.items)
            if items != claim.filed.items { result.retargets.append(.retarget(claim.id, items)) }
        }
    }

    /// Rule 10.1, and 10.3: all presenters, the speaker's own too.
    private func versionNotices(
        _ place: String, path: ItemPath, _ news: VersionNews
    ) -> Set<Effect> {
        let methods: (item: PresenterMethods, subitem: PresenterMethods) =
            switch news.fate {
            case .gained: (.itemDidGainVersion, .subitemDidGainVersion)
            case .lost: (.itemDidLoseVersion, .subitemDidLoseVersion)
            case .resolved: (.itemDidResolveConflict, .subitemDidResolveVersion)
            }
        var result: Set<Effect> = []
        for presenter in registered {
            guard let own = presenter.path?.description else { continue }
            if own == place && presenter.methods.contains(methods.item) {
                result.insert(.notify(presenter.id, .itemVersion(path, news)))
            }
            if ExpectedMoves.contains(own, place) && presenter.methods.contains(methods.subitem) {
                result.insert(.notify(presenter.id, .subitemVersion(path, news)))
            }
        }
        return result
    }

    /// The items of a claim, redirected if its presenter has not been told yet of its move (11.7).
    func redirected(_ claim: FiledClaim) -> [AccessItem] {
        guard let standpoint = claim.standpoint, let seen = seen(standpoint.presenter),
            let place = seen.registered.path,
            seen.registered.formerPlaces.contains(standpoint.place)
        else { return claim.items }
        let move = ItemMove(
            from: standpoint.place, to: place,
            newPackageDepths: packages[standpoint.presenter] ?? [])
        let book = ExpectedMoves([move])
        return claim.items.map { book.moved($0) }
    }

    /// Records a move: who is where, and who waits for whom because of it.
    mutating func follow(_ book: ExpectedMoves, by id: ClaimID) {
        guard let mover = rules.claim(id), mover.isGranted else { return }
        let before = registered
        for presenter in registered {
            guard let old = presenter.path else { continue }
            let asItem = AccessItem(
                path: old, access: .reading([]), packageDepths: packages[presenter.id] ?? [])
            let new = book.moved(asItem)
            if new == asItem { continue }
            change(presenter.id) {
                $0.registered.path = new.path
                $0.registered.formerPlaces.append(old)
            }
            packages[presenter.id] = new.packageDepths
        }
        var travellers: [ClaimID] = []
        let holders = holders(id)
        remind(book, of: holders)
        for index in rules.claims.indices {
            let claim = rules.claims[index]
            if !claim.isGranted && claim.filed.kind == .access {
                let items = book.moved(claim.filed.items)
                if items == claim.filed.items { continue }
                rules.claims[index].retarget(items)
                guard claim.isAsking else { continue }
                travellers.append(claim.id)
                let needs =
                    neededBefore[claim.id] ?? RequiredStepTable.needs(of: claim.filed, before)
                neededBefore[claim.id] = needs.mapValues { renamed($0, by: book) }
            }
        }
        // Claims may have let the mover past only because of a path that its items have left.
        for claim in rules.claims.map(\.id) { leaveBehind(claim, travellers + holders) }
        for holder in holders { letPast(holder) }
        // Claims that already hold a place go first; of two that arrive, the older one.
        for traveller in travellers.reversed() { giveWay(traveller) }
    }

    /// Steps with the present names of subitems.
    private func renamed(_ steps: YieldSteps, by book: ExpectedMoves) -> YieldSteps {
        var result = steps
        result.accommodateSubitemDeletions = steps.accommodateSubitemDeletions.map {
            book.moved(AccessItem(path: $0, access: .reading([]))).path
        }
        return result
    }

    /// Whose items stay held where a mover has moved them (2.20): its own, and those of the
    /// accessors that it runs inside.
    private func holders(_ id: ClaimID) -> [ClaimID] {
        let inside = rules.claim(id)?.filed.enclosing ?? []
        return [id] + inside.filter { rules.claim($0)?.isGranted == true }
    }

    /// Records where the items are that a mover holds.
    mutating func remind(_ book: ExpectedMoves, of holders: [ClaimID]) {
        for index in rules.claims.indices where holders.contains(rules.claims[index].id) {
            let claim = rules.claims[index]
            rules.claims[index].itemsMovedOut = itemsMovedOut(of: claim, book)
            for (number, item) in claim.filed.items.enumerated() {
                let known = claim.moved[number] ?? item
                let stays = item.isReplaced && !item.isMoved
                let new = stays ? known : book.moved(known)
                if new != known { rules.claims[index].moved[number] = new }
            }
        }
    }

    /// What has left the trees that a mover covers, as if each item there had been named (2.23).
    private func itemsMovedOut(of mover: SeenClaim, _ book: ExpectedMoves) -> [AccessItem] {
        var result = mover.itemsMovedOut.map { book.moved($0) }
        let trees = mover.filed.items.enumerated().map { mover.moved[$0] ?? $1 }
        for tree in trees + mover.itemsMovedOut
        where tree.isCovered && (!tree.isReplaced || tree.isMoved) {
            let top = tree.path.description
            for move in book.moves
            where ExpectedMoves.contains(top, move.old) && move.new != top
                && !ExpectedMoves.contains(top, move.new)
            {
                var stray = tree
                stray.path = path(move.new)
                stray.packageDepths = move.newPackages.map { path($0).depth }
                stray.isDirectory = move.newPackages.contains(move.new)
                if !result.contains(stray) { result.append(stray) }
            }
        }
        return result
    }

    /// Drops from a claim's bypassers those with which it does not conflict since the move.
    private mutating func leaveBehind(_ id: ClaimID, _ travellers: [ClaimID]) {
        guard let index = rules.claims.firstIndex(where: { $0.id == id }) else { return }
        let claim = rules.claims[index]
        let others = claim.bypassers.compactMap { rules.claim($0) }
        rules.claims[index].bypassers =
            others.filter { other in
                Rulebook.conflict(claim, other)
                    || !(travellers.contains(id) || travellers.contains(other.id))
            }.map(\.id)
    }

    private mutating func giveWay(_ id: ClaimID) {
        for other in rules.claims where other.isAsking || other.isGranted {
            guard let index = rules.claims.firstIndex(where: { $0.id == id }),
                Rulebook.conflict(rules.claims[index], other),
                !rules.claims[index].bypassers.contains(other.id),
                !rules.leads(from: other, to: { $0.id == id })
            else { continue }
            rules.claims[index].bypassers.append(other.id)
            rules.claims[index].bypassers.sort()
        }
    }

    /// Whether each expected effect occurred exactly once, and no other.
    func check(_ expected: Expectation, _ effects: [Effect]) -> String? {
        var relocations: [Effect] = []
        var retargets: [Effect] = []
        var notices: [Effect] = []
        var entered: Set<String> = []
        for effect in effects {
            switch effect {
            case .relocate(let id, _, _):
                if !notices.isEmpty { return "\(id) hears of its move after others (Rule 11.2)" }
                relocations.append(effect)
                if let rank = expected.ranks[id], !rank.isItem { entered.insert(rank.move) }
                if let rank = expected.ranks[id], rank.isItem, entered.contains(rank.move) {
                    return "\(id), of the item, hears after its contents (Rule 11.2)"
                }
            case .notify:
                notices.append(effect)
            case .retarget(let id, _):
                retargets.append(effect)
                let grant = effects.firstIndex(of: .grant(id)) ?? effects.endIndex
                if grant < effects.firstIndex(of: effect) ?? 0 {
                    return "\(id) is granted before it hears where its items are (Rule 11.4)"
                }
            case .grant, .fail, .failInCycle, .askToYield, .withdrawQuestions, .reacquire,
                .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
                continue
            }
        }
        if Set(relocations) != Set(expected.relocations)
            || relocations.count != expected.relocations.count
        {
            return "tied anew: \(relocations), not \(expected.relocations) (Rule 11.4)"
        }
        if Set(retargets) != Set(expected.retargets) || retargets.count != expected.retargets.count
        {
            return "retargeted: \(retargets), not \(expected.retargets) (Rule 11.4)"
        }
        guard let wanted = expected.notices else { return nil }
        if Set(notices) != wanted || notices.count != wanted.count {
            return "told: \(notices), not \(wanted) (Rule 11.2)"
        }
        return nil
    }
}
