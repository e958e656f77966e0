// SPDX-License-Identifier: Apache-2.0
//
// A place in the file tree, as the arbiter sees it: the canonical path of the parent directory
// (links resolved by the client) and the last component, byte for byte (Rules 1.1 to 1.4).
// The arbiter never looks at a file system; it only compares components.

/// A canonical absolute path, kept as its components.
///
/// Compared byte for byte: Linux names are bytes, and Swift's `String` would call two differently
/// composed spellings equal (Rule 1.2).
public struct ItemPath: Hashable, Sendable, CustomStringConvertible {
    /// One component's bytes: never empty, never `.` or `..`, without `/` and NUL.
    public typealias Component = [UInt8]

    /// The components from the root down; empty for `/`.
    public private(set) var components: [Component]

    /// A path of these components, or nil if one of them cannot be a component.
    public init?(components: [Component]) {
        for component in components where !Self.isLegal(component) { return nil }
        self.components = components
    }

    /// The path written as `bytes`, or nil if it is not absolute or has an illegal component.
    ///
    /// Repeated and trailing slashes make no difference (Rule 1.9).
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.first == Self.slash else { return nil }
        self.init(components: bytes.split(separator: Self.slash).map { Array($0) })
    }

    /// The path written as `text`; see ``init(bytes:)``.
    public init?(_ text: String) { self.init(bytes: text.utf8) }

    /// The path as bytes, with a leading slash and no trailing one.
    public var bytes: [UInt8] {
        guard !components.isEmpty else { return [Self.slash] }
        var result: [UInt8] = []
        result.reserveCapacity(components.reduce(0) { $0 + $1.count + 1 })
        for component in components {
            result.append(Self.slash)
            result.append(contentsOf: component)
        }
        return result
    }

    /// The number of components; 0 for the root.
    public var depth: Int { components.count }

    /// The ancestor, or self, that has `depth` components.
    public func prefix(depth: Int) -> ItemPath {
        var result = self
        result.components = Array(components.prefix(depth))
        return result
    }

    /// The same path with other components in place of the first `depth` ones.
    public func replacingPrefix(depth: Int, by prefix: ItemPath) -> ItemPath {
        var result = self
        result.components = prefix.components + components.dropFirst(depth)
        return result
    }

    /// The number of ``bytes``.
    var byteCount: Int { max(1, components.reduce(0) { $0 + $1.count + 1 }) }

    /// Whether this place contains `other`, at any depth, itself excluded (Rule 1.13).
    public func contains(_ other: ItemPath) -> Bool {
        other.depth > depth && other.components.starts(with: components)
    }

    /// The path as text, for people; bytes that are not UTF-8 are shown as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    private static let slash = UInt8(ascii: "/")

    private static func isLegal(_ component: Component) -> Bool {
        guard !component.isEmpty, !component.contains(slash), !component.contains(0) else {
            return false
        }
        return component != [UInt8(ascii: ".")] && component != Array("..".utf8)
    }
}
