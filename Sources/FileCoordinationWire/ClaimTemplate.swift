// SPDX-License-Identifier: Apache-2.0
//
// The bodies of claims that differ in nothing but who makes them and what for: encoded once, and
// changed where they differ.

public import FileCoordinationArbiter

/// The encoded ``ClaimBody`` of a claim on one item by a purpose of ``purposeLength`` bytes.
public struct ClaimTemplate: Sendable {
    /// The encoding, with a purpose and an access that mean nothing.
    public private(set) var bytes: [UInt8]
    /// Where the access is, as two bytes.
    public let accessOffset: Int

    /// Where the purpose is.
    public static let purposeOffset = 2
    /// How long it is.
    public static let purposeLength = 33

    /// The template for an item; nil if that cannot be encoded.
    ///
    /// Of plain ones, of which there are many, only the path differs.
    ///
    /// - Parameter prefix: what all purposes begin with, at most ``purposeLength`` bytes.
    public init?(_ item: AccessItem, purposePrefix prefix: [UInt8] = []) {
        precondition(prefix.count <= Self.purposeLength, "A prefix is a part of a purpose")
        guard let plain = Self(plain: item) ?? Self(encoding: item) else { return nil }
        self = plain
        for (index, byte) in prefix.enumerated() { bytes[Self.purposeOffset + index] = byte }
    }

    /// The same for one in no package, by what all of these have in common.
    private init?(plain item: AccessItem) {
        guard item.packageDepths.isEmpty, item.path.depth > 0,
            let frame = item.isDirectory ? Self.directory : Self.file
        else { return nil }
        let path = item.path.bytes
        guard path.count <= WireLimits.pathBytes else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frame.bytes.count + path.count)
        bytes += frame.bytes[..<Self.pathOffset]
        bytes[Self.pathOffset - 2] = UInt8(truncatingIfNeeded: path.count)
        bytes[Self.pathOffset - 1] = UInt8(truncatingIfNeeded: path.count >> 8)
        bytes += path
        // Behind the shortest path, "/a".
        bytes += frame.bytes[(Self.pathOffset + 2)...]
        self.init(bytes: bytes, accessOffset: Self.pathOffset + path.count)
    }

    private init(bytes: [UInt8], accessOffset: Int) {
        self.bytes = bytes
        self.accessOffset = accessOffset
    }

    private static let file = frame(isDirectory: false)
    private static let directory = frame(isDirectory: true)

    private static func frame(isDirectory: Bool) -> ClaimTemplate? {
        ItemPath("/a").flatMap {
            ClaimTemplate(
                encoding: AccessItem(path: $0, access: .reading([]), isDirectory: isDirectory))
        }
    }

    /// The same, by the encoder.
    package init?(encoding item: AccessItem) {
        let purpose = [UInt8](repeating: UInt8(ascii: "0"), count: Self.purposeLength)
        var plain = item
        plain.access = .reading([])
        let body = ClaimBody(purpose: purpose, items: [plain], blocksCaller: true)
        guard let bytes = try? body.encodeChecked() else { return nil }
        self.init(bytes: bytes, accessOffset: Self.pathOffset + item.path.bytes.count)
    }

    /// Where the path is: behind a purpose, a count, and its length.
    private static let pathOffset = purposeOffset + purposeLength + 4 + 2

    /// The two bytes of an access.
    public static func encoding(of access: Access) -> (UInt8, UInt8) {
        switch access {
        case .reading(let options): (0, options.rawValue)
        case .writing(let options): (1, options.code)
        }
    }
}
