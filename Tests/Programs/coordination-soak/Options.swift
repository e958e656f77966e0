// SPDX-License-Identifier: Apache-2.0
//
// `--name value` and `--name`, and the random numbers that follow from the seed.

import FileCoordination

/// The options of one run.
struct Options: Sendable {
    private var values: [String: String] = [:]
    let seed: UInt64

    // The options of all proofs and of what they start. With one that is misspelled, a proof of the
    // usual length would pass for the one that was asked for.
    private static let numbers = """
        apart arbiter-kills at-once bound cancel-bound count documents empties-every exits files
        forks-every goal hot idle-bound index kills late-bound longest number operations
        order-slack patience pause presenter-bound presents processes rate restart round
        seconds seed server-bound stops stream threads usual-bound waits work
        """.split { $0.isWhitespace }.map(String.init)
    private static let others = """
        coordinated delegating directory document explain histories keep log name serving
        waiters-are-waited-for way
        """.split { $0.isWhitespace }.map(String.init)

    /// Reads words; nil if they are not options that a proof knows, with their values.
    init?(_ words: ArraySlice<String>) {
        var name: String?
        for word in words {
            if word.hasPrefix("--") {
                let option = String(word.dropFirst(2))
                guard (Self.numbers + Self.others).contains(option) else { return nil }
                name = option
                values[option] = ""
            } else if let known = name {
                let isNumber = Double(word).map { $0.magnitude < 1e15 } ?? false
                guard isNumber || !Self.numbers.contains(known) else { return nil }
                values[known] = word
                name = nil
            } else {
                return nil
            }
        }
        let seed = values["seed"].map { UInt64($0) } ?? UInt64.random(in: 1...999_999)
        guard let seed else { return nil }
        self.seed = seed
        for name in Self.numbers where values[name] == "" { return nil }
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    func text(_ name: String) -> String? { values[name] }

    /// A part of one is left out: `1e4` and `10000.5` are 10,000.
    func number(_ name: String, _ usual: Int) -> Int {
        values[name].flatMap { Double($0) }.map { Int($0) } ?? usual
    }
    func number(_ name: String, _ usual: Double) -> Double {
        values[name].flatMap { Double($0) } ?? usual
    }

    /// The value of an option that a child is always given.
    func given(_ name: String) -> String {
        guard let value = values[name] else { preconditionFailure("--\(name) is missing") }
        return value
    }
}

/// Random numbers that follow from a seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64, _ stream: Int = 0) {
        // Mixed first: otherwise the next seed would give the same numbers, one later.
        state = seed
        state = next() &+ UInt64(truncatingIfNeeded: stream) &* 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// True once in `times` on average.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
