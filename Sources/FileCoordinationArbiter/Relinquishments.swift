// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of relinquishment, and sets of them. A thousand presenters that are asked for one
// claim have a thousand such sets, so that one is a byte, and no array.

/// The two kinds of relinquishment, which are separate states of a presenter (Rule 6.10).
public enum Relinquishment: UInt8, CaseIterable, Hashable, Sendable {
    /// To a reader.
    case reader = 0
    /// To a writer.
    case writer = 1
}

/// Kinds of relinquishment, each at most once; gone through reader first (Rule 6.5).
public struct Relinquishments: Hashable, Sendable {
    private var bits: UInt8 = 0

    /// These kinds.
    public init(_ kinds: some Sequence<Relinquishment>) {
        for kind in kinds { insert(kind) }
    }

    /// Whether there is none.
    public var isEmpty: Bool { bits == 0 }

    /// Whether `kind` is among them.
    public func contains(_ kind: Relinquishment) -> Bool { bits & kind.bit != 0 }

    /// Adds a kind, if it is not there already.
    public mutating func insert(_ kind: Relinquishment) { bits |= kind.bit }

    /// Takes a kind out, if it is there.
    public mutating func remove(_ kind: Relinquishment) { bits &= ~kind.bit }

    /// Adds others.
    public mutating func formUnion(_ others: Self) { bits |= others.bits }
}

extension Relinquishments: Sequence {
    /// Goes through them, reader first.
    public struct Iterator: IteratorProtocol {
        fileprivate var left: Relinquishments

        /// The next one.
        public mutating func next() -> Relinquishment? {
            let kind: Relinquishment = left.contains(.reader) ? .reader : .writer
            guard left.contains(kind) else { return nil }
            left.remove(kind)
            return kind
        }
    }

    /// Goes through them, reader first.
    public func makeIterator() -> Iterator { Iterator(left: self) }
}

extension Relinquishments: ExpressibleByArrayLiteral {
    /// These kinds.
    public init(arrayLiteral kinds: Relinquishment...) { self.init(kinds) }
}

extension Relinquishment {
    fileprivate var bit: UInt8 { 1 << rawValue }
}
