// SPDX-License-Identifier: Apache-2.0
//
// A collection of identifiers in ascending order. The arbiter keeps everything that can influence
// an effect in such a collection and never in a `Set`, whose order differs between processes.
//
// Most collections have no element or one, which needs no allocation. Large ones are divided into
// pieces, so that removing the first of a hundred thousand elements does not move all others.

/// Identifiers in ascending order; an identifier may occur more than once.
///
/// Identifiers are assigned in ascending order, so most insertions are appends.
struct OrderedIDs<ID: Comparable & Hashable & Sendable>: Sendable {
    private enum Storage: Sendable {
        case none
        case one(ID)
        /// One piece.
        case few([ID])
        /// Several pieces, none of them empty.
        case many([[ID]])
    }

    private var storage: Storage

    /// The maximum length of a piece; a longer one is divided.
    private static var pieceLength: Int { 256 }

    /// Creates an empty collection.
    init() { storage = .none }

    /// Creates a collection of these identifiers, each once.
    init(unique ids: some Sequence<ID>) {
        self.init()
        for id in ids { insertOnce(id) }
    }

    // MARK: Insertion and removal

    /// Inserts `id` in order, even if it is there already.
    mutating func insert(_ id: ID) {
        switch storage {
        case .none:
            storage = .one(id)
        case .one(let other):
            storage = .few(id < other ? [id, other] : [other, id])
        case .few(var ids):
            // No other reference to the array exists now, so it is changed in place without a copy.
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

    /// Inserts `id` in order, unless it is there already.
    mutating func insertOnce(_ id: ID) {
        if !contains(id) { insert(id) }
    }

    /// Removes one occurrence of `id`.
    ///
    /// Returns whether there was one.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        guard let place = index(of: id) else { return false }
        remove(at: place)
        return true
    }

    /// Removes and returns the first identifier, or nil if there is none.
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

    // MARK: Lookup

    /// Whether the collection contains `id`.
    func contains(_ id: ID) -> Bool { index(of: id) != nil }

    /// Returns the element that is equal to `id`, or nil.
    func element(equalTo id: ID) -> ID? { index(of: id).map { self[$0] } }

    private func index(of id: ID) -> Index? {
        let place = firstIndex(notBelow: id)
        return place < endIndex && self[place] == id ? place : nil
    }

    /// Returns the index at which `id` is or would be inserted.
    func firstIndex(notBelow id: ID) -> Index {
        switch storage {
        case .none: return startIndex
        case .one(let only): return Index(piece: 0, offset: only < id ? 1 : 0)
        case .few(let ids): return Index(piece: 0, offset: ids.firstIndex(notBelow: id))
        case .many(let pieces):
            // Finds the first piece that does not end below `id`.
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

    /// Returns the last identifier below `id`.
    func last(below id: ID) -> ID? {
        let place = firstIndex(notBelow: id)
        return place == startIndex ? nil : self[index(before: place)]
    }

    /// Returns the first identifier above `id`.
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

/// Collections with the same identifiers are equal, whatever their storage.
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
        // In most cases the identifier belongs at the end.
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

    /// Divides a piece that `newest` has made too long.
    ///
    /// If `newest` is the last element, which is the common case, the first half stays full.
    fileprivate func halves(after newest: Element) -> [[Element]] {
        let cut = last == newest ? count - 1 : count / 2
        return [Array(self[..<cut]), Array(self[cut...])]
    }
}

extension Array {
    /// Returns the last piece that does not begin above `id`, or the first one.
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
