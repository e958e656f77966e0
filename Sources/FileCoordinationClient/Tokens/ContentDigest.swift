// SPDX-License-Identifier: Apache-2.0
//
// The digest of an item's contents, for tokens where stamps prove too little, or where the caller
// wants one (Rule 18.16).

import FileCoordinationSystem
import Glibc

/// The digest of what an item contains.
struct ContentDigest: Hashable, Sendable {
    private let words: SIMD8<UInt32>

    /// The number of hexadecimal digits of the text.
    static let digits = 64

    /// Returns the digest of the item that was seen at a path.
    ///
    /// Of a directory, its names; of a symbolic link, its target.
    ///
    /// - Returns: nil if the item has no contents, as a pipe or a device.
    static func find(
        of status: StampedStatus, at path: [UInt8]
    ) throws(SystemError) -> ContentDigest? {
        var hash = SHA256()
        switch status.kind {
        case .regular:
            hash.add([UInt8(ascii: "f")])
            try add(fileAt: path, to: &hash)
        case .directory:
            hash.add([UInt8(ascii: "d")])
            let names = try OpenItem(path: path).names()
            for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                hash.add((name + [0])[...])
            }
        case .symbolicLink:
            hash.add([UInt8(ascii: "l")])
            hash.add((RealPath.target(ofLink: path) ?? [])[...])
        case .socket, .other: return nil
        }
        return ContentDigest(words: hash.digest())
    }

    private static func add(fileAt path: [UInt8], to hash: inout SHA256) throws(SystemError) {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let file = unsafe Descriptor(
            adopting: try Descriptor.call("read", path) { unsafe open($0, flags) })
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try unsafe file.read(into: buffer, at: offset)
            guard count > 0 else { return }
            unsafe hash.add(Array(buffer[..<count])[...])
            offset += UInt64(count)
        }
    }

    private init(words: SIMD8<UInt32>) { self.words = words }

    // MARK: Text

    /// The digest in hexadecimal digits.
    var text: String {
        (0..<words.scalarCount).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// Reads a text; returns nil if it is none of a digest.
    init?(text: Substring) {
        guard text.utf8.count == Self.digits else { return nil }
        var words = SIMD8<UInt32>()
        var digits = text
        for index in 0..<words.scalarCount {
            guard let word = UInt32(digits.prefix(8), radix: 16) else { return nil }
            words[index] = word
            digits = digits.dropFirst(8)
        }
        self.words = words
    }
}
