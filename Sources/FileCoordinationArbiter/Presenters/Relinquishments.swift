// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of relinquishment, and sets of them. One claim may ask a thousand presenters, so a
// set is one byte instead of an array.

/// The two kinds of relinquishment, which are independent states of a presenter (Rule 6.10).
public enum Relinquishment: UInt8, CaseIterable, Hashable, Sendable {
    /// Relinquished to a reader.
    case reader = 0
    /// Relinquished to a writer.
    case writer = 1
}

/// A set of relinquishments; it is iterated with the reader first (Rule 6.5).
public struct Relinquishments: Hashable, Sendable {
    private var bits: UInt8 = 0

    /// Creates a set of these kinds.
    public init(_ kinds: some Sequence<Relinquishment>) {
        for kind in kinds { insert(kind) }
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { bits == 0 }

    /// Whether the set contains `kind`.
    public func contains(_ kind: Relinquishment) -> Bool { bits & kind.bit != 0 }

    /// Adds a kind.
    public mutating func insert(_ kind: Relinquishment) { bits |= kind.bit }

    /// Removes a kind.
    public mutating func remove(_ kind: Relinquishment) { bits &= ~kind.bit }

    /// Adds the kinds of another set.
    public mutating func formUnion(_ others: Self) { bits |= others.bits }
}

extension Relinquishments: Sequence {
    /// Iterates over the kinds, reader first.
    public struct Iterator: IteratorProtocol {
        fileprivate var left: Relinquishments

        /// Returns the next kind, or nil.
        public mutating func next() -> Relinquishment? {
            let kind: Relinquishment = left.contains(.reader) ? .reader : .writer
            guard left.contains(kind) else { return nil }
            left.remove(kind)
            return kind
        }
    }

    /// Returns an iterator over the kinds, reader first.
    public func makeIterator() -> Iterator { Iterator(left: self) }
}

extension Relinquishments: ExpressibleByArrayLiteral {
    /// Creates a set of these kinds.
    public init(arrayLiteral kinds: Relinquishment...) { self.init(kinds) }
}

extension Relinquishment {
    fileprivate var bit: UInt8 { 1 << rawValue }
}
