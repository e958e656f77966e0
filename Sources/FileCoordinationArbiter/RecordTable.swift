// SPDX-License-Identifier: Apache-2.0
//
// Claims and presenters, each under its identifier. What is known of one is changed many times for
// each message, and a dictionary takes 640 instructions to have a value changed where it is,
// three allocations among them; here it only says where that is.

/// Records, each under its identifier.
struct RecordTable<ID: Hashable & Comparable & Sendable, Record: Hashable & Sendable>: Sendable {
    /// Where each record is.
    private var places: [ID: Int] = [:]
    /// Nil where there is none any more.
    private var records: [Record?] = []
    /// Where there is none.
    private var vacancies: [Int] = []

    /// Room for so many is kept when there are none.
    private static var roomToKeep: Int { 64 }

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }
    /// All identifiers, ascending.
    var ids: [ID] { places.keys.sorted() }

    /// The record of `id`, if there is one.
    subscript(id: ID) -> Record? {
        @inline(__always)
        get {
            guard let place = places[id] else { return nil }
            return records[place]
        }
        @inline(__always)
        _modify {
            if let place = places[id] {
                yield &records[place]
                if case .none = records[place] { vacate(place, of: id) }
            } else {
                var record: Record?
                yield &record
                if let record { insert(record, of: id) }
            }
        }
    }

    private mutating func insert(_ record: Record, of id: ID) {
        if let place = vacancies.popLast() {
            records[place] = record
            places[id] = place
        } else {
            places[id] = records.count
            records.append(record)
        }
    }

    private mutating func vacate(_ place: Int, of id: ID) {
        places[id] = nil
        // When a crowd has left, the room that it took is given back.
        if places.isEmpty, records.count > Self.roomToKeep {
            self = Self()
        } else {
            vacancies.append(place)
        }
    }
}

/// Two that have the same records are equal, wherever these are.
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
