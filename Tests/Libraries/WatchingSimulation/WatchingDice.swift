// SPDX-License-Identifier: Apache-2.0
//
// The only source of random numbers: SplitMix64, so that a seed produces the same world everywhere.

/// A sequence of numbers that looks like chance.
struct WatchingDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(count)) }

    mutating func one(in count: Int) -> Bool { below(count) == 0 }

    mutating func one<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
