// SPDX-License-Identifier: Apache-2.0
//
// Contestants that do one short thing many times: how often is found out beforehand, so that each
// sample takes about as long as the others.

import CPeers

extension Contestant {
    /// How long a sample should take, in nanoseconds.
    private static let span = 60e6

    /// The time of one of something that can be done `count` times.
    static func repeated(
        _ name: String, _ measure: @escaping (_ count: Int) throws -> Double
    ) throws -> Contestant {
        // The first is cold; the second tells how many there is time for.
        _ = try measure(1)
        var count = 4
        while true {
            let time = try measure(count)
            guard time < span / 4, count < 1_000_000 else {
                count = max(1, Int(Double(count) * span / max(time, 1)))
                break
            }
            count *= 4
        }
        let settled = count
        return Contestant(name) { try measure(settled) / Double(settled) }
    }

    /// The same for an errand whose last word is the count.
    static func task(
        _ name: String, _ worker: WorkerProcess, _ words: String...
    ) throws -> Contestant {
        try repeated(name) { count in
            try worker.tell(words + ["\(count)"])
            return try worker.answer().first ?? .nan
        }
    }
}
