// SPDX-License-Identifier: Apache-2.0
//
// Computes where items are after moves (Rules 11.2 to 11.5), by the prefixes of their paths.

extension [Move] {
    /// The move that takes a place along: that of the nearest of what moves; of two moves of one
    /// item the first.
    private func taking(_ place: String) -> Move? {
        var result: Move?
        for move in self where move.old != move.new && move.old != "/" && move.new != "/" {
            guard place == move.old || Item.contains(move.old, place) else { continue }
            // What would have a path longer than any can be stays.
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

    /// An item after the moves: packages above it are those of its new place, those further down
    /// have come along (Rule 2.0).
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

    /// What is no longer in a tree that its mover covers: as if it had been named, it is held where
    /// it is (Rule 2.23).
    func itemsMovedOut(from items: [Item]) -> [Item] {
        items.flatMap { tree -> [Item] in
            let follows = !tree.use.ends.contains(.replacing) || tree.use.ends.contains(.moving)
            guard tree.use.ends.contains(.contents), follows else { return [] }
            return indices.filter { number in
                let move = self[number]
                guard !prefix(number).contains(where: { $0.old == move.old }) else { return false }
                return move.old != "/" && move.new != "/" && Item.contains(tree.place, move.old)
                    && tree.place != move.new && !Item.contains(tree.place, move.new)
            }.map { Item(tree.use, self[$0].new, packages: self[$0].packages) }
        }
    }

    /// The items of a claim after the moves; one that it replaces means its place (Rule 11.5), but
    /// is somewhere else if its own accessor has moved it, as it said that it would (Rule 2.8b).
    func destination(of items: [Item], isOwn: Bool = false) -> [Item] {
        items.map { item in
            let follows = isOwn && item.use.ends.contains(.moving)
            let stays = item.use.ends.contains(.replacing) && !follows
            return stays ? item : destination(of: item)
        }
    }
}
