// SPDX-License-Identifier: Apache-2.0
//
// Section 11 once more, as naively as possible: places are strings, a move replaces the beginning
// of one, and all presenters are asked whether it concerns them.

import FileCoordinationArbiter

/// Moves that happen at the same time.
struct ExpectedMoves {
    struct Move: Hashable {
        let old: String
        let new: String
        /// The places of the packages on the way to each.
        let oldPackages: [String]
        let newPackages: [String]
    }

    let moves: [Move]

    init(_ announced: [ItemMove]) {
        var result: [Move] = []
        for move in announced {
            let old = move.old.description
            let new = move.new.description
            // Useless: nothing moves, or everything, or it has moved already (Rule 11.1).
            if old == new || old == "/" || new == "/" || result.contains(where: { $0.old == old }) {
                continue
            }
            result.append(
                Move(
                    old: old, new: new,
                    oldPackages: move.oldPackageDepths.map {
                        move.old.prefix(depth: $0).description
                    },
                    newPackages: move.newPackageDepths.map {
                        move.new.prefix(depth: $0).description
                    }))
        }
        moves = result
    }

    /// The move that takes a place along, and where to.
    private func journey(of place: String) -> (move: Move, place: String)? {
        var result: (move: Move, place: String)?
        for move in moves where place == move.old || place.hasPrefix(move.old + "/") {
            let new = move.new + place.dropFirst(move.old.count)
            guard new.utf8.count < 4096 else { continue }
            if let known = result, known.move.old.count >= move.old.count { continue }
            result = (move, new)
        }
        return result
    }

    /// Which move takes a place along, and whether the place is its item rather than contents.
    func rank(of place: String) -> (move: String, isItem: Bool)? {
        journey(of: place).map { ($0.move.old, $0.move.old == place) }
    }

    func destination(of place: String) -> String? { journey(of: place)?.place }

    /// An item after the moves; L(x) is computed again (Rule 2.0).
    func moved(_ item: AccessItem) -> AccessItem {
        guard let (move, new) = journey(of: item.path.description) else { return item }
        var packages = move.newPackages
        for depth in item.packageDepths {
            let package = item.path.prefix(depth: depth).description
            if package.hasPrefix(move.old + "/") {
                packages.append(move.new + package.dropFirst(move.old.count))
            }
        }
        var result = item
        result.path = path(new)
        result.packageDepths = packages.map { path($0).depth }
        if packages.contains(new) { result.isDirectory = true }
        return result
    }

    /// The items of a claim that follows them (Rule 11.4), but for those that it replaces (11.5).
    func moved(_ items: [AccessItem]) -> [AccessItem] {
        items.map { $0.isReplaced ? $0 : moved($0) }
    }

    // MARK: Who is told what (11.2, 11.3, 11.8)

    /// Every presenter that goes somewhere, and whether it is told of it.
    func relocations(_ presenters: [RegisteredPresenter], purpose: Purpose) -> [Effect] {
        presenters.compactMap { presenter in
            guard let new = presenter.path.flatMap({ destination(of: $0.description) }) else {
                return nil
            }
            let isTold = presenter.purpose != purpose && presenter.methods.contains(.itemDidMove)
            return .relocate(presenter.id, to: path(new), isTold: isTold)
        }
    }

    /// What one presenter is told of the moves of others.
    func notices(_ presenter: RegisteredPresenter, hasAccommodated: Bool) -> Set<Effect> {
        guard let place = presenter.path?.description else { return [] }
        let methods = presenter.methods
        let after = destination(of: place) ?? place
        var result: Set<Notice> = []
        for move in moves {
            let hadIt = Self.contains(place, move.old)
            let hasIt = Self.contains(after, move.new)
            if hadIt && methods.contains(.subitemDidMove) {
                result.insert(.subitemDidMove(path(move.old), to: path(move.new)))
            }
            if !hadIt && hasIt && methods.contains(.subitemDidAppear) {
                result.insert(.subitemDidAppear(path(move.new)))
            }
            func changed(_ item: String, inPackage: Bool) {
                if methods.contains(.subitemDidChange) {
                    result.insert(.subitemDidChange(path(item)))
                } else if inPackage && methods.contains(.itemDidChange) {
                    result.insert(.itemDidChange)
                }
            }
            if hasIt { changed(move.new, inPackage: move.newPackages.contains(after)) }
            if hadIt {
                // Where a directory that moves itself had it, as its presenter names things now.
                let old = after == place ? move.old : after + move.old.dropFirst(place.count)
                changed(old, inPackage: move.oldPackages.contains(place))
            }
            let isOverwritten = place == move.new && destination(of: place) == nil
            if isOverwritten && !hasAccommodated && methods.contains(.itemDidChange) {
                result.insert(.itemDidChange)
            }
        }
        return Set(result.map { .notify(presenter.id, $0) })
    }

    static func contains(_ directory: String, _ place: String) -> Bool {
        place != directory && place.hasPrefix(directory == "/" ? "/" : directory + "/")
    }
}
