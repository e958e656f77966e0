// SPDX-License-Identifier: Apache-2.0
//
// Who made a change: the accounts of coordinated writes are compared with what presenters were told
// and what is there now.

import FileCoordinationArbiter

extension ChangeAttribution {
    /// Returns who made the change from `told` to `now` at a path; two origins if a coordinated
    /// writer and another program have both changed it.
    ///
    /// `isToldKnown` is false if presenters may have read another state than `told`, which is then
    /// ignored.
    func origins(
        at place: ClaimedPath, told: ObservedFile?, now: ObservedFile?, isToldKnown: Bool = true
    ) -> [ChangeOrigin] {
        let other = origin(besideClaimsAt: place.path)
        if let account = accounts[place.claimed] {
            guard !account.isUnknown else { return [.either] }
            // The watcher has not seen the claims' changes yet, so this change is an earlier one.
            if account.isAhead(of: now) { return [other] }
            let isPlain =
                account.isPlain || !account.isLast(now) && !account.hasPassed(now)
                || isToldKnown && !account.isFound && !account.explains(told)
            if isPlain, account.isCoordinated { return [other, .coordinated] }
            return account.isCoordinated ? [.coordinated] : [other]
        }
        return [other]
    }

    /// Returns `origins` for a presenter that knows its item by a path.
    ///
    /// If claims name the item by another path, because the directory was moved, what they announce
    /// does not reach the presenter: the server looks for claims at the presenter's own path.
    func origins(_ origins: [ChangeOrigin], knownAs place: ClaimedPath) -> [ChangeOrigin] {
        guard place.claimed != place.path else { return origins }
        return origins.map { $0 == .coordinated ? .either : $0 }
    }

    /// Whether claims have announced that the item which presenters were told left its path.
    func announceDeparture(of told: ObservedFile, from place: ClaimedPath) -> Bool {
        guard let account = accounts[place.claimed], account.isCoordinated,
            !account.isUnknown
        else { return false }
        return account.beganWith(told) && account.last?.isSameItem(as: told) != true
    }

    /// Who moved away the item that presenters were told is at a path.
    ///
    /// Another item may be there by now: `taker`. If claims have followed each other from the told
    /// item on, one of them has moved it.
    func originsOfDeparture(
        from place: ClaimedPath, told: ObservedFile, taker: ObservedFile?
    ) -> [ChangeOrigin] {
        let account = accounts[place.claimed]
        if announceDeparture(of: told, from: place), account?.isPlain == false {
            return [.coordinated]
        }
        if account?.haveReplaced(told, by: taker) == true, account?.beganWithArrival == false,
            origins(at: place, told: told, now: taker) == [.coordinated]
        {
            return [.coordinated]
        }
        return origins(at: place, told: told, now: nil)
    }

    /// Who changed an item that was also moved, from `told` at its former path to `now`.
    ///
    /// A claim on both paths says what the item was when its accessor began, and what it was when
    /// the accessor returned. A claim on the former path alone says what the item was at last.
    func originsOfDifference(
        movedFrom former: ClaimedPath, to place: ClaimedPath, told: ObservedFile, now: ObservedFile?
    ) -> [ChangeOrigin] {
        guard let left = accounts[former.claimed], !left.isUnknown, left.isCoordinated,
            let first = left.stateFound(of: told)
        else { return origins(at: place, told: told, now: now) }
        guard let arrived = accounts[place.claimed] else {
            return originsOfDifference(from: told, to: now, at: place.path, left)
        }
        guard !arrived.isUnknown, left.last?.isSameItem(as: told) != true,
            // The item may have been there before, and have left in between.
            arrived.first.map({ told.mayBeLaterState(of: $0) }) != true
                || arrived.between.contains(where: { $0 == nil }),
            arrived.last?.isSameItem(as: told) == true
        else { return origins(at: place, told: told, now: now) }
        let isPlain =
            left.isPlain || arrived.isPlain || !now.isSameVersion(as: arrived.last)
            || !left.isFound && !left.explains(told)
        guard isPlain else { return [.coordinated] }
        let other = origin(besideClaimsAt: place.path)
        let isWritten = arrived.last?.differenceBesidesMove(from: first) != nil
        return isWritten ? [other, .coordinated] : [other]
    }

    /// Who changed an item that has left the path of an account, if no claim says anything of the
    /// path at which it is now.
    private func originsOfDifference(
        from told: ObservedFile, to now: ObservedFile?, at path: ItemPath, _ left: Account
    ) -> [ChangeOrigin] {
        let other = origin(besideClaimsAt: path)
        guard let now, let first = left.stateFound(of: told), let last = left.lastState(of: now)
        else { return [other] }
        let isPlain =
            left.isPlain || now.differenceBesidesMove(from: last) != nil
            || !left.isFound && !left.explains(told)
        guard isPlain else { return [.coordinated] }
        let isWritten = last.differenceBesidesMove(from: first) != nil
        return isWritten ? [other, .coordinated] : [other]
    }

    /// Whether claims have moved an item away from a path at which they had announced it, and
    /// nothing else has changed it since then.
    func haveCarriedOff(_ item: ObservedFile) -> Bool {
        accounts.values.contains { account in
            guard account.isCoordinated, !account.isUnknown, !account.isPlain,
                account.last?.isSameItem(as: item) != true, let last = account.lastState(of: item)
            else { return false }
            return item.differenceBesidesMove(from: last) == nil
        }
    }
}
