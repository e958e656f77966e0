// SPDX-License-Identifier: Apache-2.0
//
// What coordinated writes did at one path, since presenters were last told what is there: the state
// that the first write found, the one that the last write left, and some of those in between.

import FileCoordinationArbiter

extension ChangeAttribution {
    /// What coordinated writes reported about one path since presenters were last told about it.
    struct Account {
        /// What was at the path before the first write.
        var first: ObservedFile?
        /// What was at the path after the last write.
        var last: ObservedFile?
        /// What was at the path after the last write that has changed something, as presenters
        /// know from its claim.
        private(set) var announced: ObservedFile?
        /// The latest states that claims found or left there in between.
        private(set) var between: [ObservedFile?] = []
        /// The state that presenters were told last, if one of these claims found or left it.
        var lastTold: ObservedFile??
        /// Whether a claim found another state than the claim before it had left, so that another
        /// program made a change in between.
        var isPlain = false
        /// Whether a write changed something.
        var isCoordinated = false
        /// Whether a write ended without reporting what it did.
        var isUnknown = false
        /// Whether the first write was already under way when the watcher learned of it.
        ///
        /// Presenters may already have been told about a part of that write. So a difference from
        /// what they were told does not show that another program made a change.
        var isFound = false
        /// The items that the first writes found or left, up to the first one of which the watcher
        /// learned before it began.
        private var found: [ObservedFile] = []
        private var isFoundThroughout = false
        /// Whether the first write has moved an item here, without a claim on this path.
        ///
        /// Then it is not known what was here before, and whether a write has moved that.
        var beganWithArrival = false
        /// Whether a write has moved a directory with another item inside to this path since then.
        var isOfFormerItem = false
        /// Whether the path was checked once more before the account was to be discarded.
        var isCheckedAgain = false

        /// The item that a write has put at the path or changed there, as the last write left it.
        ///
        /// Another item that the last write found and has not changed was not announced.
        var itemLeft: ObservedFile? {
            guard isCoordinated, let last, announced?.isSameItem(as: last) == true else {
                return nil
            }
            return last
        }

        /// Whether presenters were last told about a state that some claim found or left.
        func explains(_ told: ObservedFile?) -> Bool {
            if told.isSameVersion(as: first) { return true }
            if let lastTold, told.isSameVersion(as: lastTold) { return true }
            // A rename changes the change time. If a coordinated writer moved the item here, its
            // claim was for the former path, and another claim has written the item since then,
            // this difference is not another program's. If a program did rename or link the item,
            // presenters are told of the write in the same turn.
            if let told, let first, told.differsInChangeTimeAlone(from: first) { return true }
            return between.contains { told.isSameVersion(as: $0) }
        }

        /// The state in which these writes found the item that presenters were told; nil if they
        /// found another item, or none.
        ///
        /// Presenters may have been told a state that one of these writes left.
        func stateFound(of told: ObservedFile) -> ObservedFile? {
            if let first, first.isSameItem(as: told) { return first }
            return explains(told) || isPartOfFoundWrite(told) ? told : nil
        }

        /// Whether presenters may have been told about a part of a write of which the watcher did
        /// not know then.
        private func isPartOfFoundWrite(_ told: ObservedFile) -> Bool {
            found.contains { $0.isSameItem(as: told) }
        }

        /// The last state in which a claim found or left an item that is elsewhere now; nil if none
        /// has.
        func lastState(of item: ObservedFile) -> ObservedFile? {
            ([first] + between + [last]).compactMap { $0 }.last { item.mayBeLaterState(of: $0) }
        }

        /// Whether the first write found the item that presenters were told, or has put it there.
        ///
        /// If the watcher learned late of several writes, this holds for each of them.
        func beganWith(_ told: ObservedFile) -> Bool {
            explains(told) || isPartOfFoundWrite(told)
        }

        /// Whether claims have left `item` after the item that presenters were told had left the
        /// path.
        ///
        /// The same item may have come back; and claims report inode numbers, which are used again.
        /// If both have the same number, a claim must have found nothing there in between.
        func haveReplaced(_ told: ObservedFile, by item: ObservedFile?) -> Bool {
            guard let item, let last, item.mayBeLaterState(of: last) else { return false }
            return !last.isSameItem(as: told) || between.contains { $0 == nil }
        }

        /// Whether claims have found or left another item at the path since they last found or left
        /// this one.
        func hasItem(after item: ObservedFile) -> Bool {
            let states = [first] + between + [last]
            let isItem = { (state: ObservedFile?) in state?.isSameItem(as: item) == true }
            let start = states.lastIndex(where: isItem).map { $0 + 1 } ?? 0
            return states[start...].contains { $0 != nil }
        }

        /// Makes the account of the first claim at a path.
        init(_ change: ClaimedChange, isFound: Bool) {
            first = change.before
            last = change.after
            announced = change.after
            isCoordinated = true
            self.isFound = isFound || change.isArrival
            beganWithArrival = change.isArrival
            isFoundThroughout = self.isFound
            if isFoundThroughout { found = [change.before, change.after].compactMap { $0 } }
        }

        private init() { isUnknown = true }

        /// The account of a claim that has not reported what it did.
        static let unknown = Account()

        /// Adds the report of one more claim.
        mutating func append(_ change: ClaimedChange, isFound: Bool) {
            isFoundThroughout = isFoundThroughout && (isFound || change.isArrival)
            if isFoundThroughout, let after = change.after {
                found = (found + [after]).suffix(Watcher.statesOfWrites)
            }
            // That nothing is there in the other directory says nothing of the former item.
            if isOfFormerItem, change.before == nil, change.after == nil { return }
            let changes = !change.after.isSameVersion(as: change.before)
            if !isOfFormerItem, !change.before.isSameVersion(as: last) { isPlain = true }
            isOfFormerItem = false
            isCheckedAgain = false
            isCoordinated = isCoordinated || changes
            if changes { announced = change.after }
            between.append(change.before)
            if between.count > Watcher.statesOfWrites { between.removeFirst() }
            last = change.after
        }

        /// Whether `now` is the state that the first claim found, and not the one that the last
        /// claim left: the watcher has seen none of the claims' changes.
        func isAhead(of now: ObservedFile?) -> Bool {
            now.isSameVersion(as: first) && !now.isSameVersion(as: last)
        }

        /// Whether `now` is the state that the last claim left.
        ///
        /// Claims report inode numbers, which are used again. A directory that was born after that
        /// claim is another one.
        func isLast(_ now: ObservedFile?) -> Bool {
            guard now.isSameVersion(as: last) else { return false }
            guard let born = now?.identity.born, let last else { return true }
            return born <= last.stamp.changed
        }

        /// Whether a claim but the last one left `now`: the watcher has not seen all changes.
        ///
        /// The version of a file does not come back. A directory with the same permissions may have
        /// been changed since, unless the time of its last change is the same, too.
        func hasPassed(_ now: ObservedFile?) -> Bool {
            guard !now.isSameVersion(as: last), let now else { return false }
            return between.contains { former in
                guard let former, now.difference(from: former) == nil else { return false }
                return !now.isDirectory || now.stamp.changed == former.stamp.changed
            }
        }

        /// Puts what writes did at the same path earlier before this account.
        mutating func precede(with earlier: Account) {
            let own = first
            first = earlier.first
            lastTold = earlier.lastTold
            // Presenters know an item that was moved here by its state at its former path.
            between = (earlier.between + [earlier.last, own] + between)
                .suffix(Watcher.statesOfWrites)
            isPlain = isPlain || earlier.isPlain
            isCoordinated = isCoordinated || earlier.isCoordinated
            isUnknown = isUnknown || earlier.isUnknown
            isFound = earlier.isFound
            found = earlier.isFoundThroughout ? earlier.found + found : earlier.found
            found = found.suffix(Watcher.statesOfWrites)
            isFoundThroughout = isFoundThroughout && earlier.isFoundThroughout
            beganWithArrival = earlier.beganWithArrival
        }
    }
}
