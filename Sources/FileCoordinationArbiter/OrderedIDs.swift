// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's one container: identifiers in ascending order. Everything that can reach an effect
// is kept in one of these and never in a set, whose order differs from process to process.
//
// Nearly always there is none or one, and that costs no allocation. A hundred thousand are kept in
// pieces, so that the first of a long line can go without all others moving up.

/// Identifiers in ascending order; an identifier may be in it more than once.
///
/// Identifiers are handed out in ascending order, so that most insertions are appends.
struct OrderedIDs<ID: Comparable & Hashable & Sendable>: Sendable {
    private enum Storage: Sendable {
        case none
        case one(ID)
        /// One piece.
        case few([ID])
        /// Pieces, none of them empty.
        case many([[ID]])
    }

    private var storage: Storage

    /// A piece that has more is cut in two.
    private static var pieceLength: Int { 256 }

    /// None.
    init() { storage = .none }

    /// These identifiers, each once.
    init(unique ids: some Sequence<ID>) {
        self.init()
        for id in ids { insertOnce(id) }
    }

    // MARK: Changing

    /// Puts `id` in its place, beside others that equal it.
    mutating func insert(_ id: ID) {
        switch storage {
        case .none:
            storage = .one(id)
        case .one(let other):
            storage = .few(id < other ? [id, other] : [other, id])
        case .few(var ids):
            // It is the only reference now, so that it is changed where it is.
            storage = .none
            ids.insert(id, at: ids.firstIndex(above: id))
            storage = ids.count > Self.pieceLength ? .many(ids.halves(after: id)) : .few(ids)
        case .many(var pieces):
            storage = .none
            let piece = pieces.lastPiece(notAbove: id)
            pieces[piece].insert(id, at: pieces[piece].firstIndex(above: id))
            if pieces[piece].count > Self.pieceLength {
                pieces.replaceSubrange(piece...piece, with: pieces[piece].halves(after: id))
            }
            storage = .many(pieces)
        }
    }

    /// Puts `id` in its place, unless it is there already.
    mutating func insertOnce(_ id: ID) {
        if !contains(id) { insert(id) }
    }

    /// Takes one occurrence of `id` out; returns whether there was one.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        guard let place = index(of: id) else { return false }
        remove(at: place)
        return true
    }

    /// Takes the first one out.
    mutating func popFirst() -> ID? {
        guard let first else { return nil }
        remove(at: startIndex)
        return first
    }

    private mutating func remove(at place: Index) {
        switch storage {
        case .none, .one:
            storage = .none
        case .few(var ids):
            storage = .none
            ids.remove(at: place.offset)
            if !ids.isEmpty { storage = .few(ids) }
        case .many(var pieces):
            storage = .none
            pieces[place.piece].remove(at: place.offset)
            if pieces[place.piece].isEmpty { pieces.remove(at: place.piece) }
            storage = pieces.count == 1 ? .few(pieces[0]) : .many(pieces)
        }
    }

    // MARK: Finding

    /// Whether `id` is in it.
    func contains(_ id: ID) -> Bool { index(of: id) != nil }

    private func index(of id: ID) -> Index? {
        let place = firstIndex(notBelow: id)
        return place < endIndex && self[place] == id ? place : nil
    }

    /// Where `id` is or would be.
    func firstIndex(notBelow id: ID) -> Index {
        switch storage {
        case .none: return startIndex
        case .one(let only): return Index(piece: 0, offset: only < id ? 1 : 0)
        case .few(let ids): return Index(piece: 0, offset: ids.firstIndex(notBelow: id))
        case .many(let pieces):
            // The first piece that does not end below it.
            var low = 0
            var high = pieces.count
            while low < high {
                let middle = low + (high - low) / 2
                if let last = pieces[middle].last, last < id {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            guard low < pieces.count else { return endIndex }
            return Index(piece: low, offset: pieces[low].firstIndex(notBelow: id))
        }
    }

    /// The last one below `id`.
    func last(below id: ID) -> ID? {
        let place = firstIndex(notBelow: id)
        return place == startIndex ? nil : self[index(before: place)]
    }

    /// The first one above `id`.
    func first(above id: ID) -> ID? {
        var place = firstIndex(notBelow: id)
        while place < endIndex, self[place] == id { place = index(after: place) }
        return place < endIndex ? self[place] : nil
    }
}

extension OrderedIDs: BidirectionalCollection {
    struct Index: Comparable {
        fileprivate var piece: Int
        fileprivate var offset: Int

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.piece, lhs.offset) < (rhs.piece, rhs.offset)
        }
    }

    var isEmpty: Bool {
        switch storage {
        case .none: true
        case .one, .few, .many: false
        }
    }

    var count: Int {
        switch storage {
        case .none: 0
        case .one: 1
        case .few(let ids): ids.count
        case .many(let pieces): pieces.reduce(0) { $0 + $1.count }
        }
    }

    var startIndex: Index { Index(piece: 0, offset: 0) }

    var endIndex: Index {
        switch storage {
        case .none: Index(piece: 0, offset: 0)
        case .one: Index(piece: 0, offset: 1)
        case .few(let ids): Index(piece: 0, offset: ids.count)
        case .many(let pieces): Index(piece: pieces.count, offset: 0)
        }
    }

    func index(after place: Index) -> Index {
        let next = Index(piece: place.piece, offset: place.offset + 1)
        switch storage {
        case .none, .one, .few: return next
        case .many(let pieces):
            let isThere = next.offset < pieces[place.piece].count
            return isThere ? next : Index(piece: place.piece + 1, offset: 0)
        }
    }

    func index(before place: Index) -> Index {
        switch storage {
        case .none, .one, .few: break
        case .many(let pieces):
            guard place.offset == 0 else { break }
            return Index(piece: place.piece - 1, offset: pieces[place.piece - 1].count - 1)
        }
        return Index(piece: place.piece, offset: place.offset - 1)
    }

    subscript(place: Index) -> ID {
        switch storage {
        case .none: preconditionFailure("nothing is in it")
        case .one(let id): id
        case .few(let ids): ids[place.offset]
        case .many(let pieces): pieces[place.piece][place.offset]
        }
    }
}

/// Two that have the same identifiers are equal, however these are kept.
extension OrderedIDs: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.elementsEqual(rhs) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for id in self { hasher.combine(id) }
    }
}

extension OrderedIDs: ExpressibleByArrayLiteral {
    init(arrayLiteral ids: ID...) {
        self.init()
        for id in ids { insert(id) }
    }
}

extension Array where Element: Comparable {
    fileprivate func firstIndex(notBelow id: Element) -> Int {
        firstIndexByHalving { !($0 < id) }
    }

    fileprivate func firstIndex(above id: Element) -> Int {
        // Nearly always at the end.
        if let last, !(id < last) { return count }
        return firstIndexByHalving { id < $0 }
    }

    private func firstIndexByHalving(where isBeyond: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Two pieces of what has become too long by `newest`: if that came last, as it nearly always
    /// does, the first stays full.
    fileprivate func halves(after newest: Element) -> [[Element]] {
        let cut = last == newest ? count - 1 : count / 2
        return [Array(self[..<cut]), Array(self[cut...])]
    }
}

extension Array {
    /// The last piece that does not begin above `id`, or the first.
    fileprivate func lastPiece<ID: Comparable>(notAbove id: ID) -> Int where Element == [ID] {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if let first = self[middle].first, id < first {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return Swift.max(0, low - 1)
    }
}
