// SPDX-License-Identifier: Apache-2.0
//
// Computes where items are after moves (Rules 11.2 to 11.5), by the prefixes of their paths.

extension Move {
    /// Whether a path changes; the root directory cannot move.
    fileprivate var isMove: Bool { old != new && old != "/" && new != "/" }
}

extension [Move] {
    /// The move that takes a place along: that of the nearest item above the place.
    ///
    /// Of two moves of one item, the first counts.
    private func taking(_ place: String) -> Move? {
        var result: Move?
        for move in self where move.isMove {
            guard place == move.old || Item.contains(move.old, place) else { continue }
            // An item stays if its new path would be longer than any path can be.
            guard move.new.utf8.count + place.utf8.count - move.old.utf8.count < 4096 else {
                continue
            }
            if let found = result, found.old.utf8.count >= move.old.utf8.count { continue }
            result = move
        }
        return result
    }

    private static func carried(_ place: String, by move: Move) -> String {
        move.new + String(decoding: place.utf8.dropFirst(move.old.utf8.count), as: UTF8.self)
    }

    /// Where a place is after the moves.
    func destination(of place: String) -> String {
        taking(place).map { Self.carried(place, by: $0) } ?? place
    }

    /// An item after the moves: the packages above the moved item are those of the new place, and
    /// the packages further down have moved along (Rule 2.0).
    func destination(of item: Item) -> Item {
        guard let move = taking(item.place) else { return item }
        var result = item
        result.place = Self.carried(item.place, by: move)
        result.packages = move.packages
        for package in item.packages where Item.contains(move.old, package) {
            result.packages.append(Self.carried(package, by: move))
        }
        return result
    }

    /// The items that were moved out of a tree that the mover's claim covers: the claim holds each
    /// where it is now, as if the claim had named it (Rule 2.23).
    func itemsMovedOut(from items: [Item]) -> [Item] {
        items.flatMap { tree -> [Item] in
            let follows = !tree.use.ends.contains(.replacing) || tree.use.ends.contains(.moving)
            guard tree.use.ends.contains(.contents), follows else { return [] }
            return indices.filter { number in
                let move = self[number]
                guard move.isMove,
                    !prefix(number).contains(where: { $0.isMove && $0.old == move.old })
                else { return false }
                return Item.contains(tree.place, move.old) && tree.place != move.new
                    && !Item.contains(tree.place, move.new)
            }.map { Item(tree.use, self[$0].new, packages: self[$0].packages) }
        }
    }

    /// The items of a claim after the moves.
    ///
    /// An item to replace stays at its path (Rule 11.5), unless the claim's own accessor has moved
    /// it, as the claim's options announced (Rule 2.8b).
    func destination(of items: [Item], isOwn: Bool = false) -> [Item] {
        items.map { item in
            let follows = isOwn && item.use.ends.contains(.moving)
            let stays = item.use.ends.contains(.replacing) && !follows
            return stays ? item : destination(of: item)
        }
    }
}
