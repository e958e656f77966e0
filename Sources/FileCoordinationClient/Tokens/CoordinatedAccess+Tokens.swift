// SPDX-License-Identifier: Apache-2.0
//
// Compares the items of a granted claim with what the caller has seen of them, and looks at those
// whose state the accessor wants to know (Rule 18.16). Both happen under the claim, when presenters
// have saved and before the accessor reads or writes the first byte.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

extension CoordinatedAccess {
    /// How long the server may take to say who has written an item last.
    private static let authorPatience = Duration.milliseconds(100)

    /// Compares and looks at the items, as the call demands.
    ///
    /// - Throws: `stale` if an item is not as the caller has seen it.
    func lookAtItems() throws(AccessFailure) {
        guard plan.usesTokens else { return }
        let items = state.withLock { $0.items }
        for (index, item) in items.enumerated() {
            guard let difference = try difference(from: item, index) else { continue }
            throw .stale(staleness(at: item.place.path, difference), item: index)
        }
        for (index, item) in items.enumerated() {
            guard let token = try token(of: item, index) else { continue }
            state.withLock { $0.items[index].token = token }
        }
    }

    /// Returns what differs between an item and what the caller has seen of it; nil if nothing
    /// does, or the caller demands nothing.
    private func difference(
        from item: AccessedItem, _ index: Int
    ) throws(AccessFailure) -> ItemDifference? {
        do throws(SystemError) {
            return try item.request.terms?.onlyIf?.difference(fromItemAt: item.place.path.bytes)
        } catch {
            throw .unexamined(error, item: index)
        }
    }

    /// Returns the state of an item; nil if the caller does not want to know it.
    private func token(of item: AccessedItem, _ index: Int) throws(AccessFailure) -> ItemToken? {
        guard let terms = item.request.terms, terms.isWanted else { return nil }
        do throws(SystemError) {
            return try ItemToken.take(at: item.place.path.bytes, withDigest: terms.withDigest)
        } catch {
            throw .unexamined(error, item: index)
        }
    }

    private func staleness(at path: ItemPath, _ difference: ItemDifference) -> Staleness {
        let left = FileStatus.find(at: path.bytes).map { ItemProperties($0) }
        let author = session.lastWriter(
            claim, path, leaving: left, until: MonotonicClock.after(Self.authorPatience))
        return Staleness(difference: difference, writer: author)
    }
}
