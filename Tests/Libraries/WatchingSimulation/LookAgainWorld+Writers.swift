// SPDX-License-Identifier: Apache-2.0
//
// Writers: plain ones that do whatever programs do, and coordinated ones, of whose changes the
// server tells presenters when the claim ends.

import CoordinationCheckers
import FileCoordinationArbiter
import FileCoordinationWatching

/// A coordinated write under way.
struct ModelClaim {
    let number: UInt64
    let purpose: String
    let paths: [[String]]
    let before: [ObservedFile?]
    var isDone = false
    /// Whether it has moved its first item to its second path.
    var hasMoved = false
}

extension LookAgainWorld {
    /// A path that may be there: its directories exist, where possible.
    private mutating func anyPath() -> [String] {
        var path = [["r", "r", "r", "s", "s", "out", "a", "f"][dice.below(8)]]
        while path.count < 6, !dice.one(in: 4),
            files.find(path).map({ files[$0].isDirectory }) ?? false
        {
            path.append(["a", "b", "f", "g"][dice.below(4)])
        }
        return path
    }

    private func isClaimed(_ path: [String]) -> Bool {
        claims.contains { claim in
            claim.paths.contains { $0.starts(with: path) || path.starts(with: $0) }
        }
    }

    /// One operation of a plain program.
    mutating func operate() {
        let (path, other) = (anyPath(), anyPath())
        guard !isClaimed(path), !isClaimed(other) else { return }
        perform(dice.below(20), path, other)
    }

    private mutating func perform(_ kind: Int, _ path: [String], _ other: [String]) {
        let size = UInt64(dice.below(4))
        switch kind {
        case 0, 1: change { $0.create(path) }
        case 2, 3: change { $0.create(path, directory: true) }
        case 4...7: change { $0.write(path, size: size) }
        case 8: change { $0.change(mode: size % 2 == 0 ? 0o600 : 0o640, of: path) }
        case 9, 10: change { $0.remove(path) }
        case 11...13: change { $0.rename(path, other) }
        case 14: change { $0.rename(path, other, exchange: true) }
        case 15: change { $0.link(path, other) }
        case 16, 17: saveAtomically(path)
        case 18: saveByRenaming(path)
        default:
            for (below, _) in files.tree(at: path).reversed() where path.count > 1 {
                change { $0.remove(below) }
            }
        }
    }

    private mutating func change(_ body: (inout ModelFileSystem) -> Bool) {
        // Time goes on, so that stamps tell what was before the end of a claim.
        now += 100_000
        files.advance(to: now)
        guard body(&files) else { return }
        now += 100_000
        outcome.operations += 1
        recordChanges()
    }

    private func isFile(_ path: [String]) -> Bool {
        files.find(path).map { !files[$0].isDirectory } ?? false
    }

    /// Writes aside and renames over.
    private mutating func saveAtomically(_ path: [String]) {
        guard isFile(path) else { return }
        let aside = Array(path.dropLast()) + ["tmp"]
        change { $0.create(aside) }
        change { $0.write(aside, size: 7) }
        if dice.one(in: 4) { deliver(8); carryOut(8); endTurn() }
        change { $0.rename(aside, path) }
    }

    /// Renames the old version away, writes a new one, and removes the old one.
    private mutating func saveByRenaming(_ path: [String]) {
        guard isFile(path) else { return }
        let old = Array(path.dropLast()) + ["old~"]
        change { $0.rename(path, old) }
        change { $0.create(path) }
        change { $0.write(path, size: 9) }
        change { $0.remove(old) }
    }

    // MARK: Coordinated writers

    /// A step of some coordinated writer.
    mutating func coordinate() {
        guard let claim = dice.one(of: claims), !dice.one(in: 3) else { return begin() }
        if claim.isDone || dice.one(in: 3) {
            finish(claim.number)
        } else if let index = claims.firstIndex(where: { $0.number == claim.number }) {
            claims[index].isDone = true
            work(index)
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
        // Longer than stamps may lag behind.
        now += 25_000_000
        let claim = ModelClaim(
            number: nextClaim, purpose: dice.one(of: ["a", "b", "c"]) ?? "", paths: paths,
            before: paths.map(files.observed))
        nextClaim += 1
        record(
            .claimBegan(
                ClaimKey(claim.number), purpose: claim.purpose, places: paths.map(Self.place)))
        server.begin(claim, at: instant)
        claims.append(claim)
    }

    private mutating func work(_ index: Int) {
        let claim = claims[index]
        guard let path = claim.paths.first else { return }
        files.author = ClaimKey(claim.number)
        defer { files.author = nil }
        if claim.paths.count > 1 {
            let operations = outcome.operations
            change { $0.rename(path, claim.paths[1]) }
            if outcome.operations > operations { announceMove(index) }
        } else if files.find(path) != nil, !isFile(path) {
            let inside = path + [["a", "f"][dice.below(2)]]
            perform(dice.below(11), inside, inside)
        } else {
            perform([0, 4, 4, 8, 9, 16, 16][dice.below(7)], path, path)
        }
    }

    /// A writer announces its move, and the server tells presenters (Rules 11.2 to 11.4).
    private mutating func announceMove(_ index: Int) {
        claims[index].hasMoved = true
        let claim = claims[index]
        let (old, new) = (claim.paths[0], claim.paths[1])
        server.announceMove(by: claim, at: instant)
        for (id, presenter) in presenters.sorted(by: { $0.key < $1.key }) {
            let isOwn = presenter.purpose == claim.purpose
            if presenter.path.starts(with: old) {
                let path = new + presenter.path.dropFirst(old.count)
                server.follow(id, from: presenter.path, to: path)
                presenters[id]?.path = path
                watcher.relocate(id, to: path, at: instant)
                if !isOwn {
                    record(
                        .told(
                            PresenterKey(id),
                            .moved(Self.place(presenter.path), to: Self.place(path))))
                }
            } else if presenter.isListening, !isOwn {
                switch (presenter.concerns(old), presenter.concerns(new)) {
                case (true, true): tell(id, .moved(Self.place(old), to: Self.place(new)))
                case (true, false): tell(id, .look(Self.place(old)))
                case (false, true): tell(id, .lookInside(Self.place(new)))
                case (false, false): break
                }
            }
        }
    }

    /// A claim ends, and the server tells presenters what it has changed (Rules 7.3 to 7.6).
    mutating func finish(_ number: UInt64) {
        guard let index = claims.firstIndex(where: { $0.number == number }) else { return }
        let claim = claims.remove(at: index)
        let after = claim.paths.map(files.observed)
        record(.claimEnded(ClaimKey(number)))
        server.end(claim, after: after, at: instant)
        let isChanged = zip(claim.before, after).map { $0 != $1 }
        // A move was told when it was announced.
        if claim.hasMoved { return }
        for (id, presenter) in presenters.sorted(by: { $0.key < $1.key })
        where presenter.isListening && presenter.purpose != claim.purpose {
            for (path, hasChanged) in zip(claim.paths, isChanged)
            where hasChanged && presenter.concerns(path) {
                tell(id, .look(Self.place(path)))
            }
        }
    }
}

extension LookAgainWorld.ModelPresenter {
    /// Whether the item at a path is presented.
    fileprivate func concerns(_ other: [String]) -> Bool {
        other == path || kind != .file && other.starts(with: path)
    }
}
