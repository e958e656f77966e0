// SPDX-License-Identifier: Apache-2.0
//
// A path as the arbiter sees it: the canonical path of the parent directory, in which the client
// has resolved symbolic links, and the last component (Rules 1.1 to 1.4). The arbiter never looks
// at a file system; it only compares components, byte for byte. The components are stored as one
// string of bytes, so a path takes one allocation, however deep it is.

/// A canonical absolute path.
///
/// Compared byte for byte: Linux names are bytes, and Swift's `String` would call two differently
/// composed spellings equal (Rule 1.2).
public struct ItemPath: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of one component: not empty, not `.` or `..`, without `/` and NUL.
    public typealias Component = [UInt8]

    /// The bytes of the path, with a slash before each component; empty for the root.
    private var text: [UInt8]
    /// The number of components; 0 for the root.
    public private(set) var depth: Int

    private init(text: [UInt8], depth: Int) {
        self.text = text
        self.depth = depth
    }

    /// Creates a path of these components, or nil if one of them is not a valid component.
    public init?(components: [Component]) {
        self.init(text: [], depth: 0)
        for component in components {
            guard Self.isLegal(component[...]) else { return nil }
            append(component[...])
        }
    }

    /// Creates the path that `bytes` spell; nil if it is not absolute or has an invalid component.
    ///
    /// Repeated and trailing slashes are ignored (Rule 1.9).
    public init?(bytes: some Collection<UInt8>) {
        self.init(written: Array(bytes))
    }

    /// Creates the path that `text` spells; see ``init(bytes:)``.
    public init?(_ text: String) { self.init(written: Array(text.utf8)) }

    /// Uses the bytes as they are if they are canonical, which is the common case.
    private init?(written bytes: [UInt8]) {
        guard bytes.first == Self.slash else { return nil }
        self.init(text: bytes, depth: 0)
        var isCanonical = true
        var start = 1
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: Self.slash) ?? bytes.count
            if end == start {
                isCanonical = false
            } else {
                guard Self.isLegal(bytes[start..<end]) else { return nil }
                depth += 1
            }
            start = end + 1
        }
        guard !isCanonical else { return }
        text = []
        depth = 0
        for part in bytes.split(separator: Self.slash) { append(part) }
    }

    private mutating func append(_ component: ArraySlice<UInt8>) {
        text.append(Self.slash)
        text.append(contentsOf: component)
        depth += 1
    }

    /// Compares the bytes; the depth follows from them.
    public static func == (one: Self, other: Self) -> Bool { one.text == other.text }

    /// Hashes all bytes at once.
    public func hash(into hasher: inout Hasher) {
        unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    // MARK: Parts

    /// The components from the root down; empty for `/`.
    public var components: [Component] {
        var result: [Component] = []
        result.reserveCapacity(depth)
        forEachComponent { result.append(Array($0)) }
        return result
    }

    /// The last component, or nil for `/`.
    public var lastComponent: Component? {
        text.lastIndex(of: Self.slash).map { Array(text[($0 + 1)...]) }
    }

    /// Calls `body` with each component from the root down, without copying the components.
    public func forEachComponent<Failure: Error>(
        _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 1
        while start < text.count {
            let end = text[start...].firstIndex(of: Self.slash) ?? text.count
            try body(text[start..<end])
            start = end + 1
        }
    }

    /// The path as bytes, with a leading slash and no trailing one.
    public var bytes: [UInt8] { text.isEmpty ? [Self.slash] : text }

    /// The number of bytes in ``bytes``.
    var byteCount: Int { max(1, text.count) }

    /// Returns the first `depth` components of the path; the whole path if it has no more.
    public func prefix(depth: Int) -> ItemPath {
        guard depth < self.depth else { return self }
        return ItemPath(text: Array(text[..<end(ofDepth: depth)]), depth: max(0, depth))
    }

    /// Returns the path with its first `depth` components replaced.
    public func replacingPrefix(depth: Int, by prefix: ItemPath) -> ItemPath {
        let rest = text[end(ofDepth: depth)...]
        return ItemPath(
            text: prefix.text + rest, depth: prefix.depth + max(0, self.depth - depth))
    }

    /// Returns the end of the first `depth` components.
    private func end(ofDepth depth: Int) -> Int {
        var end = 0
        var count = 0
        while count < depth, end < text.count {
            end = text[(end + 1)...].firstIndex(of: Self.slash) ?? text.count
            count += 1
        }
        return end
    }

    /// Whether this path contains `other` at any depth; a path does not contain itself (Rule 1.13).
    public func contains(_ other: ItemPath) -> Bool {
        unsafe other.text.count > text.count && other.text[text.count] == Self.slash
            && other.text.withUnsafeBufferPointer { other in
                unsafe text.withUnsafeBufferPointer { unsafe $0.elementsEqual(other[..<$0.count]) }
            }
    }

    /// Whether `other` is directly inside this path.
    public func isDirectory(of other: ItemPath) -> Bool {
        other.depth == depth + 1 && (depth == 0 || contains(other))
    }

    /// The path as text for people.
    ///
    /// Bytes that are not UTF-8 appear as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// Whether these bytes are a valid component: not `.` or `..`, without a slash or NUL.
    public static func isLegal(_ component: ArraySlice<UInt8>) -> Bool {
        guard let first = component.first else { return false }
        for byte in component where byte == slash || byte == 0 { return false }
        guard first == dot else { return true }
        return !(component.count == 1 || component.count == 2 && component.last == dot)
    }
}
