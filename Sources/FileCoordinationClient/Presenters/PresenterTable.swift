// SPDX-License-Identifier: Apache-2.0
//
// The presenters of this process. To add, find and remove one takes the same time however many
// there are; a copy for a look at all of them shares the storage.

/// The presenters of this process, in the order of their registration (Rule 5.1).
struct PresenterTable: Sequence, Sendable {
    /// The presenters, with nil for those that were removed.
    private var slots: [PresenterEntry?] = []
    private var places: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    subscript(identity: ObjectIdentifier) -> PresenterEntry? {
        places[identity].flatMap { slots[$0] }
    }

    func makeIterator() -> some IteratorProtocol<PresenterEntry> {
        slots.lazy.compactMap(\.self).makeIterator()
    }

    /// Adds a presenter; returns false if it is there already (Rule 5.2).
    mutating func add(_ entry: PresenterEntry) -> Bool {
        guard places[entry.identity] == nil else { return false }
        places[entry.identity] = slots.count
        slots.append(entry)
        return true
    }

    /// Removes a presenter, and returns it if it was there.
    mutating func remove(_ identity: ObjectIdentifier) -> PresenterEntry? {
        guard let place = places.removeValue(forKey: identity) else { return nil }
        defer { compact() }
        let entry = slots[place]
        slots[place] = nil
        return entry
    }

    /// Drops the empty slots once they are the greater part.
    private mutating func compact() {
        guard slots.count > 2 * places.count + 16 else { return }
        slots.removeAll { $0 == nil }
        for (place, entry) in slots.enumerated() {
            if let entry { places[entry.identity] = place }
        }
    }
}
