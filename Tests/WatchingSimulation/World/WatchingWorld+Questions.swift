// SPDX-License-Identifier: Apache-2.0
//
// The server's questions before claims (Rule 1.15): when one is answered, the presenter whose item
// is at the claim's path was told so, unless another item has taken its former path.

import FileCoordinationArbiter
import FileCoordinationWatching

extension WatchingWorld {
    /// Asks for a presenter's item where that is now, and judges the answer.
    ///
    /// Time stands still meanwhile: the answer must not wait for any pause.
    mutating func ask() {
        guard claims.isEmpty, outcome.complaint == nil else { return }
        let items = views.sorted { $0.key < $1.key }.compactMap { id, view in
            place(ofItemOf: view).map { (id, view, $0) }
        }
        // Those that were moved are of more interest.
        let moved = items.filter { $0.1.path != $0.2 }
        guard let (id, view, place) = askDice.one(of: moved.isEmpty ? items : moved) else { return }
        nextQuestion += 1
        let number = nextQuestion
        note("question \(number) at \(place)")
        reconciler.handle(.asked(number, [place]), at: now)
        var rounds = 0
        while reconciler.lastAnswered < number, outcome.complaint == nil {
            rounds += 1
            deliver(64)
            carryOut(64)
            endTurn()
            if rounds > 1000 { outcome.complaint = "question \(number) is not answered" }
        }
        outcome.count("questions")
        if view.path != place { outcome.count("questions about moved items") }
        guard outcome.complaint == nil, let later = views[id], later.path != place,
            files.find(later.path.texts) == nil, later.items[later.path] != nil
        else { return }
        // The watcher may have given up on an item that was away for too
        // long (Rule 11.9); then it reports the item as gone after the
        // pause. If it reports a move only then, its answer came too early.
        // What may have been read inside of a directory that is gone is told a pause after that.
        for _ in 0..<2 where outcome.complaint == nil {
            now += 60_000_000
            endTurn()
        }
        if outcome.complaint != nil { return }
        guard let last = views[id] else { return }
        if last.path == later.path, last.items[last.path] == nil { return }
        // Or it reports that the presenter has the item which has taken the former path of its own.
        let item = files.observed(at: place.texts)
        if let own = last.items[last.path], item.map({ own.isSameItem(as: $0) }) == false { return }
        outcome.complaint =
            "presenter \(id) was not told that its item is at \(place), but at \(later.path)"
    }

    /// Where a presenter's item is, if it is somewhere and has one name.
    private func place(ofItemOf view: PresenterView) -> ItemPath? {
        guard view.isListening, let observed = view.items[view.path] else { return nil }
        let places = files.tree(at: []).filter {
            files[$0.1].observed.identity == observed.identity
        }
        guard places.count == 1, let place = places.first, !files[place.1].wasLinked else {
            return nil
        }
        return ItemPath(texts: place.0)
    }
}
