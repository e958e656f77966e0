// SPDX-License-Identifier: Apache-2.0
//
// `--name value` and `--name`, and the random numbers that follow from the seed.

import FileCoordination

/// The options of one run.
struct Options: Sendable {
    private var values: [String: String] = [:]
    let seed: UInt64

    /// Reads words; nil if they are no options.
    init?(_ words: ArraySlice<String>) {
        var name: String?
        for word in words {
            if word.hasPrefix("--") {
                name = String(word.dropFirst(2))
                values[name ?? ""] = ""
            } else if let known = name {
                values[known] = word
                name = nil
            } else {
                return nil
            }
        }
        seed = values["seed"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    func text(_ name: String) -> String? { values[name] }
    func number(_ name: String, _ usual: Int) -> Int { values[name].flatMap { Int($0) } ?? usual }
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
