// SPDX-License-Identifier: Apache-2.0
//
// The names in a watched directory that matter to the place cache.

import FileCoordinationSystem

/// The names in one directory on which cached places depend.
struct DirectoryConcerns {
    /// Names of directories on the way to cached places; every event about them matters.
    var onTheWay: Set<[UInt8]> = []
    /// Names of cached items; an event matters only if the item is or becomes a directory.
    var items: Set<[UInt8]> = []

    /// Whether an event may change where a cached place is, or what it is.
    ///
    /// An item with a typical name of a package's contents may make the watched directory a
    /// package, or end that (Rule 1.11).
    func contain(_ event: DirectoryWatch.Event) -> Bool {
        !event.changes.isDisjoint(with: [.watchEnded, .unmounted])
            || onTheWay.contains(event.name)
            || event.changes.contains(.isDirectory) && items.contains(event.name)
            || PackagePolicy.isMarker(event.name)
    }
}
