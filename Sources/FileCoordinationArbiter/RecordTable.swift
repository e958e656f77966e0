// SPDX-License-Identifier: Apache-2.0
//
// A table of claims or presenters by identifier. Every message changes several records. A
// dictionary of records would take 640 instructions and three allocations to change a value in
// place, so the dictionary here contains only indices into an array.

/// A table of records by identifier.
struct RecordTable<ID: Hashable & Comparable & Sendable, Record: Hashable & Sendable>: Sendable {
    /// The index of each record in `records`.
    private var places: [ID: Int] = [:]
    /// The records; nil at vacant indices.
    private var records: [Record?] = []
    /// The vacant indices.
    private var vacancies: [Int] = []
    /// The record that was added last, with which most events are concerned.
    private var latest: (id: ID, place: Int)?

    /// The capacity that an empty table keeps.
    private static var roomToKeep: Int { 64 }

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }
    /// All identifiers, ascending.
    var ids: [ID] { places.keys.sorted() }

    /// The record of `id`, or nil.
    subscript(id: ID) -> Record? {
        @inline(__always)
        get {
            guard let place = place(of: id) else { return nil }
            return records[place]
        }
        @inline(__always)
        _modify {
            if let place = place(of: id) {
                yield &records[place]
                if case .none = records[place] { vacate(place, of: id) }
            } else {
                var record: Record?
                yield &record
                if let record { insert(record, of: id) }
            }
        }
    }

    private func place(of id: ID) -> Int? {
        if let latest, latest.id == id { return latest.place }
        return places[id]
    }

    private mutating func insert(_ record: Record, of id: ID) {
        let place = vacancies.popLast() ?? records.count
        if place < records.count { records[place] = record } else { records.append(record) }
        places[id] = place
        latest = (id, place)
    }

    private mutating func vacate(_ place: Int, of id: ID) {
        places[id] = nil
        if latest?.id == id { latest = nil }
        // When a large table has become empty, its memory is released.
        if places.isEmpty, records.count > Self.roomToKeep {
            self = Self()
        } else {
            vacancies.append(place)
        }
    }
}

/// Tables with the same records are equal, whatever the order of their arrays.
extension RecordTable: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && lhs.ids.allSatisfy { lhs[$0] == rhs[$0] }
    }

    func hash(into hasher: inout Hasher) {
        for id in ids {
            hasher.combine(id)
            hasher.combine(self[id])
        }
    }
}
