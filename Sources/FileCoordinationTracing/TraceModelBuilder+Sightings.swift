// SPDX-License-Identifier: Apache-2.0
//
// Combines the lines about one claim that has no serial number, because its client granted it
// itself or does not report its end. Each status shows such a claim again, and in the end the
// server may learn of it and number it. Each line says since when the claim runs. Two lines belong
// to the same claim if process, items and beginning agree, because accesses of one process to one
// item rarely begin at the same time.

extension TraceModelBuilder {
    /// A claim without a number that a status has shown.
    struct Sighting {
        /// Its index in the model.
        var claim: Int
        /// The earliest possible beginning: the age in a status was computed some time before the
        /// recorder reads it.
        var earliest: Duration
        /// When it was last seen.
        var seen: Duration
    }

    /// The most by which two programs' times of the same event may differ.
    private static let tolerance: Duration = .milliseconds(20)
    /// The most by which the beginning of a claim that has ended may precede the one in a status.
    ///
    /// The end of a claim gives the time when it was requested, but a status gives the time when it
    /// was granted.
    private static let longestTurn: Duration = .milliseconds(200)

    /// Adds a claim without a number from a status, or extends the one that is known already.
    mutating func takeSighting(_ line: TraceFile.Line) {
        let age = line.span("since")
        let start = line.time - min(age, line.time)
        let earliest = start - min(start, line.time - min(looked, line.time))
        let state: TraceModel.State = line.text("state") == "granted" ? .holding : .waiting
        let claim = TraceModel.Claim(
            number: 0, process: process(line), label: line.text("label"), items: items(line),
            isDelegated: true,
            stays: [TraceModel.Stay(state: state, from: start, to: line.time)], ending: .unseen)
        let key = key(claim)
        if let former = unreported[key], let grant = model.claims[former].stays.last?.from,
            grant + Self.tolerance >= earliest, grant <= start + Self.tolerance
        {
            return extend(former, to: line.time)
        }
        let known = sightings[key] ?? []
        let same = known.indices.filter { index in
            // One status shows each claim once.
            known[index].seen < line.time
                && start <= model.claims[known[index].claim].end + Self.tolerance
        }
        guard let index = nearest(same, of: known, to: start) else {
            sightings[key] =
                known + [Sighting(claim: model.claims.count, earliest: earliest, seen: line.time)]
            model.claims.append(claim)
            return
        }
        sightings[key]?[index].seen = line.time
        extend(known[index].claim, to: line.time)
    }

    /// Adds a claim of which the server learns only while it runs, or at its end: its client
    /// granted the claim itself, or the server granted it as an unreported grant.
    mutating func takeFound(_ line: TraceFile.Line) {
        begin(line, .holding, since: line.span("since"), isDelegated: true)
        guard let number = line.number("claim") else { return }
        let found = model.claims.count - 1
        let claim = model.claims[found]
        let key = key(claim)
        if let former = unreported.removeValue(forKey: key), model.claims[former].end <= claim.end {
            return resume(former, as: number, at: line.time)
        }
        let known = sightings[key] ?? []
        let same = known.indices.filter { index in
            claim.begin <= model.claims[known[index].claim].begin + Self.tolerance
                && claim.begin + Self.longestTurn >= known[index].earliest
        }
        guard let index = nearest(same, of: known, to: claim.begin) else { return }
        let seen = known[index].claim
        sightings[key]?.remove(at: index)
        model.claims[seen].number = number
        model.claims[seen].label = claim.label
        model.claims[seen].stays[0].from = min(claim.begin, model.claims[seen].begin)
        resume(seen, as: number, at: line.time)
        enter(.holding, seen, line.time)
    }

    /// Returns the index of the claim that begins nearest to a time, among those at these indices.
    private func nearest(_ places: [Int], of sightings: [Sighting], to time: Duration) -> Int? {
        func distance(_ place: Int) -> Duration {
            let begin = model.claims[sightings[place].claim].begin
            return begin > time ? begin - time : time - begin
        }
        return places.min { distance($0) < distance($1) }
    }

    /// Gives a known claim a serial number, and removes the last claim of the model, which is the
    /// same one.
    private mutating func resume(_ claim: Int, as number: UInt64, at time: Duration) {
        let last = model.claims.count - 1
        model.claims.removeLast()
        open.remove(last)
        touched[last] = nil
        claims[number] = claim
        open.insert(claim)
        model.claims[claim].ending = .none
        extend(claim, to: time)
        touched[claim] = time
    }
}
