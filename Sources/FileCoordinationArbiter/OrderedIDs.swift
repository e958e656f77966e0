// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's one container: identifiers in ascending order. Everything that can reach an effect
// is kept in one of these and never in a set, whose order differs from process to process.

/// Identifiers in ascending order; an identifier may be in it more than once.
///
/// Identifiers are handed out in ascending order, so that most insertions are appends.
struct OrderedIDs<ID: Comparable & Hashable & Sendable>: Hashable, Sendable {
    private var elements: [ID] = []

    /// None.
    init() {}

    /// These identifiers, each once.
    init(unique ids: some Sequence<ID>) {
        for id in ids { insertOnce(id) }
    }

    /// Puts `id` in its place, beside others that equal it.
    mutating func insert(_ id: ID) {
        if let last = elements.last, id < last {
            elements.insert(id, at: firstIndex(notBelow: id))
        } else {
            elements.append(id)
        }
    }

    /// Puts `id` in its place, unless it is there already.
    mutating func insertOnce(_ id: ID) {
        if !contains(id) { insert(id) }
    }

    /// Takes one occurrence of `id` out; says whether there was one.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        let index = firstIndex(notBelow: id)
        guard index < elements.count, elements[index] == id else { return false }
        elements.remove(at: index)
        return true
    }

    /// Whether `id` is in it.
    func contains(_ id: ID) -> Bool {
        let index = firstIndex(notBelow: id)
        return index < elements.count && elements[index] == id
    }

    /// Those below `id`.
    func prefix(below id: ID) -> ArraySlice<ID> { elements[..<firstIndex(notBelow: id)] }

    /// Those above `id`.
    func suffix(above id: ID) -> ArraySlice<ID> {
        var index = firstIndex(notBelow: id)
        while index < elements.count, elements[index] == id { index += 1 }
        return elements[index...]
    }

    private func firstIndex(notBelow id: ID) -> Int {
        var low = 0
        var high = elements.count
        while low < high {
            let middle = low + (high - low) / 2
            if elements[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension OrderedIDs: RandomAccessCollection {
    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    subscript(position: Int) -> ID { elements[position] }
}

extension OrderedIDs: ExpressibleByArrayLiteral {
    init(arrayLiteral ids: ID...) { elements = ids.sorted() }
}
