// SPDX-License-Identifier: Apache-2.0
//
// The only source of random numbers. The seed determines all of them, so that it always and
// everywhere produces the same world.

/// A sequence of numbers that looks like chance: SplitMix64.
package struct Dice {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which is not 0.
    package mutating func below(_ count: Int) -> Int {
        // Much smaller than 2^64, so that no number is noticeably more likely.
        Int(truncatingIfNeeded: next() % UInt64(count))
    }

    /// A number of the range.
    package mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True once in `count` times.
    package mutating func one(in count: Int) -> Bool { below(count) == 0 }

    /// One of them, or nil if there is none.
    package mutating func one<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }

    /// The same elements in another order.
    package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var result = elements
        for index in result.indices.dropLast() {
            result.swapAt(index, index + below(result.count - index))
        }
        return result
    }

    /// An index, by weight; nil if nothing weighs anything.
    package mutating func index(weighing weights: [Int]) -> Int? {
        let sum = weights.reduce(0, +)
        guard sum > 0 else { return nil }
        var rest = below(sum)
        for (index, weight) in weights.enumerated() {
            if rest < weight { return index }
            rest -= weight
        }
        return nil
    }
}
