// SPDX-License-Identifier: Apache-2.0
//
// The tree as the facts of a history make it: what is at each place.

/// What is at a place.
struct PlaceState: Hashable {
    let item: UInt64
    let isDirectory: Bool
    /// Counts the changes of the item by this name.
    ///
    /// A file with two names is told by the name by which it was changed (inotify does not know
    /// more).
    var version = 0
}

/// Whether a place is another one, or inside it.
func isWithin(_ place: String, _ outer: String) -> Bool {
    place == outer || isInside(place, outer)
}

/// Whether a place is inside another one.
func isInside(_ place: String, _ outer: String) -> Bool {
    let (inner, prefix) = (place.utf8, outer.utf8)
    return inner.count > prefix.count && inner.starts(with: prefix)
        && inner[inner.index(inner.startIndex, offsetBy: prefix.count)] == UInt8(ascii: "/")
}

/// A place that has gone with a directory above it, or was it.
func carried(_ place: String, from: String, to: String) -> String {
    to + place.dropFirst(from.count)
}

/// What is at each place.
struct WatchedPlaces {
    private(set) var states: [String: PlaceState] = [:]
    private(set) var names: [UInt64: [String]] = [:]

    subscript(place: String) -> PlaceState? {
        get { states[place] }
        set {
            if let former = states[place] { names[former.item]?.removeAll { $0 == place } }
            states[place] = newValue
            if let newValue { names[newValue.item, default: []].append(place) }
        }
    }

    /// The only place of an item; nil if it has none or several.
    func place(of item: UInt64) -> String? {
        guard let places = names[item], places.count == 1 else { return nil }
        return places.first
    }

    /// The places inside a directory.
    func inside(_ place: String) -> [String] {
        guard states[place]?.isDirectory == true else { return [] }
        return states.keys.filter { isInside($0, place) }
    }
}
