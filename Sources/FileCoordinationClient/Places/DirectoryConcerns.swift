// SPDX-License-Identifier: Apache-2.0
//
// What matters in one directory that is watched.

import FileCoordinationSystem

/// The names in one directory that something remembered depends on.
struct DirectoryConcerns {
    /// Whatever happens to them.
    var onTheWay: Set<[UInt8]> = []
    /// If it is, or becomes, a directory.
    var items: Set<[UInt8]> = []

    func contain(_ event: DirectoryWatch.Event) -> Bool {
        !event.changes.isDisjoint(with: [.watchEnded, .unmounted])
            || onTheWay.contains(event.name)
            || event.changes.contains(.isDirectory) && items.contains(event.name)
    }
}
