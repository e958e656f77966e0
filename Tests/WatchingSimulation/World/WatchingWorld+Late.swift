// SPDX-License-Identifier: Apache-2.0
//
// Coordinated writers with a delegation, of whose writes the server and the watcher learn late:
// after the watcher has seen a part of them, or all. The server does not tell presenters of changes
// that such a write may have made before it knows the write. The watcher does not know that.

import FileCoordinationArbiter
import FileCoordinationWatching

/// A write of one file that the watcher does not know.
struct LateWrite {
    let number: UInt64
    let path: [String]
    let before: ObservedFile?
    /// What is still to be written, in steps.
    var rest: [Int]
    /// What it has left, when it is over.
    var change: ClaimedChange?
    /// Whether the watcher was told that the write is running.
    var isFound = false
}

extension WatchingWorld {
    /// A step of some writer, with or without a delegation.
    mutating func coordinateLately() {
        switch lateDice.below(8) {
        case 0, 1: beginLate()
        case 2, 3:
            let running = lateWrites.indices.filter { lateWrites[$0].change == nil }
            if let index = lateDice.one(of: running) { goOn(index) }
        case 4: reportFirst()
        default: coordinateAlone()
        }
    }

    /// Begins a write by a delegation: such writes are of one file.
    private mutating func beginLate() {
        let path = anyPath()
        guard path.count > 1, !(files.find(path).map { files[$0].isDirectory } ?? false),
            files.find(path.dropLast()).map({ files[$0].isDirectory }) ?? false,
            !lateWrites.contains(where: { $0.change == nil && isInTheWay($0, of: [path]) })
        else { return }
        let exists = files.find(path) != nil
        let steps = exists ? [[4], [4, 4], [8], [9], [9, 0, 4]] : [[0], [0, 4], [0, 8, 4]]
        let number = nextClaim
        nextClaim += 1
        note("claim \(number) by a delegation: /\(path.joined(separator: "/"))")
        if let name = path.last { lateNames.insert(name) }
        lateWrites.append(
            LateWrite(
                number: number, path: path, before: files.observed(at: path),
                rest: steps[lateDice.below(steps.count)]))
        goOn(lateWrites.endIndex - 1)
    }

    private mutating func goOn(_ index: Int) {
        let path = lateWrites[index].path
        if !lateWrites[index].rest.isEmpty {
            let step = lateWrites[index].rest.removeFirst()
            perform(step, path, path, [.coordinated])
        }
        guard lateWrites[index].rest.isEmpty, let place = ItemPath(texts: path) else { return }
        let (number, before) = (lateWrites[index].number, lateWrites[index].before)
        lateWrites[index].change = ClaimedChange(
            path: place, before: before, after: files.observed(at: path))
        note("claim \(number) has ended")
    }

    /// The server learns of the first write, if it is over.
    private mutating func reportFirst() {
        guard let write = lateWrites.first, let change = write.change else { return }
        lateWrites.removeFirst()
        if !write.isFound { find(write) }
        note("end of claim \(write.number)")
        reconciler.handle(.claimEnded(write.number, [change.asReported]), at: now)
        let reader = reader
        for id in copies.keys { copies[id]?.hear([change], reader) }
    }

    private mutating func find(_ write: LateWrite) {
        guard let place = ItemPath(texts: write.path) else { return }
        note("claim \(write.number) is found")
        reconciler.handle(.claimFound(write.number, [place]), at: now)
    }

    private func isInTheWay(_ write: LateWrite, of paths: [[String]]) -> Bool {
        paths.contains { $0.starts(with: write.path) || write.path.starts(with: $0) }
    }

    /// Before another claim is granted, the server learns of all writes by delegations there, and
    /// of those before them.
    mutating func settleLate(_ paths: [[String]]) {
        while let last = lateWrites.lastIndex(where: { isInTheWay($0, of: paths) }) {
            for index in 0...last where lateWrites[index].change == nil {
                while lateWrites[index].change == nil { goOn(index) }
            }
            for _ in 0...last { reportFirst() }
        }
    }

    /// Removes the changes that the server does not tell, because a write by a delegation may have
    /// made them: it learns of that write when it gets the watcher's message.
    mutating func withoutLate(_ news: WatchNews) -> WatchNews {
        guard !lateWrites.isEmpty, case .changes(let changes) = news.body else { return news }
        let told = changes.filter { change in
            // Such writes move nothing.
            if case .moved = change.what { return true }
            guard change.origin != .coordinated,
                let index = lateWrites.firstIndex(where: { $0.path == change.path.texts })
            else { return true }
            if !lateWrites[index].isFound, lateWrites[index].change == nil {
                lateWrites[index].isFound = true
                find(lateWrites[index])
            }
            return false
        }
        return WatchNews(presenter: news.presenter, body: .changes(told))
    }
}
