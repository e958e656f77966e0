// SPDX-License-Identifier: Apache-2.0
//
// Writers: plain ones that do whatever programs do, and coordinated ones whose claims say before
// and after. Every change is entered into the evidence, by which reports are judged: a change that
// is reported as a plain program's without one having touched the item is reported wrongly.

import FileCoordinationArbiter
import FileCoordinationWatching

/// A coordinated write under way.
struct RunningClaim {
    let number: UInt64
    let paths: [[String]]
    let before: [ObservedFile?]
    var isDone = false
    /// Where the claim has moved its item, and announced it, if it does not cover that path.
    var arrival: [String]?
}

/// Who changed what last, as a count of operations.
struct Evidence {
    private(set) var instant = 1
    private var paths: [ChangeOrigin: [String: Int]] = [:]
    private var items: [ChangeOrigin: [UInt64: Int]] = [:]
    private var carried: [ChangeOrigin: [UInt64: Int]] = [:]
    /// When a presenter was told last of a change by this origin at a path.
    var reported: [String: Int] = [:]

    mutating func advance() { instant += 1 }

    mutating func enter(_ origins: [ChangeOrigin], _ path: [String], _ handle: UInt64?) {
        for origin in origins {
            paths[origin, default: [:]][path.joined(separator: "/")] = instant
            if let handle { items[origin, default: [:]][handle] = instant }
        }
    }

    /// Items were moved with a directory above them.
    mutating func carry(_ origins: [ChangeOrigin], _ handles: [UInt64]) {
        for origin in origins {
            for handle in handles { carried[origin, default: [:]][handle] = instant }
        }
    }

    /// The last change by this origin at a path, of an item, or of a directory above.
    ///
    /// A move of a directory explains the new paths of
    /// the items inside, but no change of their contents.
    func last(
        _ origin: ChangeOrigin, _ path: [String], _ handle: UInt64?, isOfPlace: Bool
    ) -> Int {
        var result = handle.flatMap { items[origin]?[$0] } ?? 0
        if isOfPlace { result = max(result, handle.flatMap { carried[origin]?[$0] } ?? 0) }
        for depth in 1...max(1, path.count) {
            let prefix = path.prefix(depth).joined(separator: "/")
            result = max(result, paths[origin]?[prefix] ?? 0)
        }
        return result
    }
}

extension WatchingWorld {
    mutating func anyPath() -> [String] {
        let directories = files.tree(at: []).filter { files[$0.1].isDirectory }.map(\.0)
        let directory = dice.one(of: directories) ?? []
        let name = ["a", "b", "f", "g", "r", "s", "out"][dice.below(directory.isEmpty ? 7 : 4)]
        return directory.count > 5 ? directory : directory + [name]
    }

    private func isClaimed(_ path: [String]) -> Bool {
        claims.contains { claim in
            claim.paths.contains { $0.starts(with: path) || path.starts(with: $0) }
        }
    }

    /// One operation of a plain program.
    mutating func operate() {
        let path = anyPath()
        let other = anyPath()
        guard !isClaimed(path), !isClaimed(other) else { return }
        let kind = dice.below(20)
        note("plain \(kind) /\(path.joined(separator: "/")) /\(other.joined(separator: "/"))")
        perform(kind, path, other, [.uncoordinated])
    }

    mutating func perform(
        _ kind: Int, _ path: [String], _ other: [String], _ origins: [ChangeOrigin]
    ) {
        let size = UInt64(dice.below(4))
        switch kind {
        case 0, 1: change(origins, path) { $0.create(path) }
        case 2, 3: change(origins, path) { $0.create(path, directory: true) }
        case 4...7: change(origins, path) { $0.write(path, size: size) }
        case 8: change(origins, path) { $0.change(mode: size % 2 == 0 ? 0o600 : 0o640, of: path) }
        case 9, 10: change(origins, path) { $0.remove(path) }
        case 11...13: change(origins, path, other) { $0.rename(path, other) }
        case 14: change(origins, path, other) { $0.rename(path, other, exchange: true) }
        case 15: change(origins, path, other) { $0.link(path, other) }
        case 16, 17: saveAtomically(path, origins)
        case 18: saveByRenaming(path, origins)
        default:
            for (below, _) in files.tree(at: path).reversed() where path.count > 1 {
                change(origins, below) { $0.remove(below) }
            }
        }
    }

    /// Does something, and enters it into the evidence.
    mutating func change(
        _ origins: [ChangeOrigin], _ path: [String], _ other: [String]? = nil,
        _ body: (inout ModelFileSystem) -> Bool
    ) {
        let involved = [path] + (other.map { [$0] } ?? [])
        var touched = involved.map { ($0, files.find($0)) }
        guard body(&files) else { return }
        outcome.operations += 1
        evidence.advance()
        touched += involved.map { ($0, files.find($0)) }
        for (place, handle) in touched { evidence.enter(origins, place, handle) }
        if other != nil {
            let inside = involved.flatMap { files.tree(at: $0).dropFirst().map(\.1) }
            evidence.carry(origins, inside)
        }
        enterClaims(of: touched.compactMap(\.1))
    }

    /// If an item of a claim is changed through another name, the claim reports that change, too.
    private mutating func enterClaims(of touched: [UInt64]) {
        for path in claims.flatMap(\.paths) {
            guard let handle = files.find(path), touched.contains(handle) else { continue }
            evidence.enter([.coordinated], path, nil)
        }
    }

    /// Writes aside and renames over.
    private mutating func saveAtomically(_ path: [String], _ origins: [ChangeOrigin]) {
        let aside = Array(path.dropLast()) + ["tmp"]
        guard let handle = files.find(path), !files[handle].isDirectory else { return }
        // What lies beside the item is not covered by a claim.
        change([.uncoordinated, .coordinated], aside) { $0.create(aside) }
        change([.uncoordinated, .coordinated], aside) { $0.write(aside, size: 7) }
        change(origins, path, aside) { $0.rename(aside, path) }
        evidence.enter([.uncoordinated, .coordinated], aside, nil)
    }

    /// Renames the old version away, writes a new one, and removes the old one.
    private mutating func saveByRenaming(_ path: [String], _ origins: [ChangeOrigin]) {
        let old = Array(path.dropLast()) + ["old~"]
        guard let handle = files.find(path), !files[handle].isDirectory else { return }
        change(origins, path, old) { $0.rename(path, old) }
        change(origins, path) { $0.create(path) }
        change(origins, path) { $0.write(path, size: 9) }
        change([.uncoordinated, .coordinated], old) { $0.remove(old) }
    }

    // MARK: Coordinated writers

    /// A step of some coordinated writer.
    mutating func coordinate() {
        guard let claim = dice.one(of: claims), !claims.isEmpty, !dice.one(in: 3) else {
            return begin()
        }
        if claim.isDone || dice.one(in: 3) {
            finish(claim.number)
        } else if let index = claims.firstIndex(where: { $0.number == claim.number }) {
            claims[index].isDone = true
            work(claims[index])
        }
    }

    private mutating func begin() {
        let path = anyPath()
        guard claims.count < 2, !isClaimed(path), path.count > 1 else { return }
        var paths = [path]
        if dice.one(in: 4) {
            let other = anyPath()
            if !isClaimed(other), !other.starts(with: path), !path.starts(with: other) {
                paths.append(other)
            }
        }
        begin(paths)
    }

    mutating func begin(_ paths: [[String]]) {
        settleLate(paths)
        let number = nextClaim
        nextClaim += 1
        let items = paths.compactMap { ItemPath(texts: $0) }
        note("claim \(number) \(items)")
        // The server tells the watcher before it grants.
        reconciler.handle(.claimBegan(number, items), at: now)
        claims.append(
            RunningClaim(number: number, paths: paths, before: paths.map(files.observed)))
    }

    private mutating func work(_ claim: RunningClaim) {
        guard let path = claim.paths.first else { return }
        note("claim \(claim.number) writes")
        if claim.paths.count > 1 {
            let other = claim.paths[1]
            if writesMoved, moveDice.one(in: 4) { writeMoved(path) }
            change([.coordinated], path, other) { $0.rename(path, other) }
            if writesMoved, moveDice.one(in: 4) { writeMoved(other) }
            return
        }
        if files.find(path).map({ files[$0].isDirectory }) ?? false {
            // The watcher cannot tell a writer's changes inside
            // its directory from those of other programs.
            let inside = path + [["a", "f"][dice.below(2)]]
            return perform(
                dice.below(11), inside, inside, [.coordinated, .uncoordinated, .either])
        }
        perform([0, 4, 4, 8, 9, 16, 16][dice.below(7)], path, path, [.coordinated])
    }

    /// A coordinated writer writes a file before or after it moves it.
    private mutating func writeMoved(_ path: [String]) {
        guard files.find(path).map({ !files[$0].isDirectory }) ?? false else { return }
        let size = UInt64(moveDice.below(9))
        change([.coordinated], path) { $0.write(path, size: size) }
    }

    mutating func finish(_ number: UInt64) {
        guard let index = claims.firstIndex(where: { $0.number == number }) else { return }
        let claim = claims.remove(at: index)
        var changes = zip(claim.paths, claim.before).compactMap { path, before in
            ItemPath(texts: path).map {
                ClaimedChange(path: $0, before: before, after: files.observed(at: path))
            }
        }
        if let path = claim.arrival, let place = ItemPath(texts: path) {
            changes.append(ClaimedChange(arrivalAt: place, of: files.observed(at: path)))
        }
        note("end of claim \(number): " + changes.map(\.summary).joined(separator: ", "))
        // Where all writers coordinate, the watcher's messages tell everything.
        if !isCoordinated {
            let files = files
            for id in views.keys {
                views[id]?.announce(changes) { path in
                    (0..<path.depth).map { depth in
                        files.observed(at: path.prefix(depth: depth).texts)?.identity
                    }
                }
            }
        }
        reconciler.handle(.claimEnded(number, changes.map(\.asReported)), at: now)
        let reader = reader
        for id in copies.keys { copies[id]?.hear(changes, reader) }
    }

    // MARK: Judging reports

    /// Each change has an author who did something there since the last report.
    mutating func check(_ news: WatchNews, _ view: PresenterView) {
        switch news.body {
        case .listening: outcome.count("listening")
        case .degraded: outcome.count("degraded")
        case .healed: outcome.count("healed")
        case .arrived: outcome.count("arrived")
        case .wholeMayHaveChanged(let reason): outcome.count("whole, \(reason)")
        case .changes(let changes):
            let paths = changes.map { "\($0.path) \($0.origin) \($0.what)" }
            if Set(paths).count < paths.count {
                outcome.complaint = "something is told twice in one message: \(paths)"
            }
            // A change is of what the presenter knows after the ones before it.
            var view = view
            for change in changes where outcome.complaint == nil {
                check(change, news.presenter, view)
                view.take(.changes([change]), read: reader)
            }
        }
    }

    private mutating func check(
        _ change: WatchedChange, _ presenter: UInt64, _ view: PresenterView
    ) {
        var former: ItemPath?
        var name = "\(change.what)"
        if case .moved(let place) = change.what { (former, name) = (place, "moved") }
        outcome.count("\(name), \(change.origin)")
        // A package's own change is reported for a change inside, which is checked by itself.
        guard change.origin != .either, change.path != view.path || view.kind != .package else {
            return
        }
        // The view has already read a state that is later than its messages.
        if change.what == .deleted, view.items[change.path] == nil { return }
        let places = [change.path] + (former.map { [$0] } ?? [])
        // A coordinated write to one name is a plain one to the others.
        if let item = change.observed?.identity.handle, files.wasLinked(item) { return }
        let item = (change.observed ?? view.items[change.path])?.identity.handle
        var isOfPlace = true
        if case .changed = change.what { isOfPlace = false }
        let last =
            places.map { evidence.last(change.origin, $0.texts, item, isOfPlace: isOfPlace) }
            .max() ?? 0
        // A deletion and an appearance may be the halves of one replacement.
        let key = "\(presenter) \(change.origin) \(name) \(change.path)"
        if last == 0 || last <= evidence.reported[key] ?? 0 {
            outcome.complaint =
                "presenter \(presenter) is told of \(change), and no such writer did anything"
        }
        // A report may be older than the present state; then another one follows.
        if files.observed(at: change.path.texts) == change.observed {
            evidence.reported[key] = evidence.instant
        }
    }
}

extension ClaimedChange {
    /// The change as clients report it: they look at items with `stat`, which tells neither when a
    /// file was born nor its handle.
    var asReported: ClaimedChange {
        func report(_ item: ObservedFile?) -> ObservedFile? {
            guard var item else { return nil }
            item.identity.born = nil
            item.identity.handle = nil
            return item
        }
        var change = self
        (change.before, change.after) = (report(before), report(after))
        return change
    }
}

extension ClaimedChange {
    /// What was at the path and what is there now, for a world's log.
    fileprivate var summary: String {
        func text(_ file: ObservedFile?) -> String {
            guard let file else { return "none" }
            let kind = file.isDirectory ? "directory" : "\(file.stamp.size) bytes"
            return "#\(file.identity.inode) \(kind) at \(file.stamp.changed)"
        }
        return "\(path) \(text(before)) to \(text(after))"
    }
}
