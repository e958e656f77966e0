// SPDX-License-Identifier: Apache-2.0
//
// Worlds in which all writers coordinate. Each change is announced by its claim, so whatever the
// watcher reports as another program's is wrong.

import FileCoordinationArbiter
import FileCoordinationWatching

extension WatchingWorld {
    /// One whole access of a coordinated writer, which changes the items of its claim alone.
    mutating func coordinateAlone() {
        let path = anyPath()
        guard path.count > 1 else { return }
        if dice.one(in: 3) {
            let other = anyPath()
            guard other.count > 1, !other.starts(with: path), !path.starts(with: other) else {
                return
            }
            begin([path, other])
            change([.coordinated], path, other) { $0.rename(path, other) }
        } else {
            begin([path])
            let isDirectory = files.find(path).map { files[$0].isDirectory } ?? false
            let kinds = isDirectory ? [8, 9] : [0, 2, 4, 4, 8, 9]
            perform(kinds[dice.below(kinds.count)], path, path, [.coordinated])
        }
        finish(nextClaim - 1)
    }

    /// Complains about a report of a change that a plain program is said to have made.
    ///
    /// Of what is inside a directory that a writer has moved from a place without presenters, it is
    /// not known whether it came with the directory.
    mutating func checkIsCoordinated(_ news: WatchNews, _ view: PresenterView) {
        guard case .changes(let changes) = news.body,
            let wrong = changes.first(where: { change in
                switch change.origin {
                case .coordinated: false
                case .uncoordinated: true
                case .either:
                    // The view may have read further than it was told.
                    change.what != .appeared
                        && (change.what != .deleted || view.items[change.path] != nil)
                }
            })
        else { return }
        outcome.complaint =
            "presenter \(news.presenter) is told of \(wrong), and all writers coordinate"
    }
}
