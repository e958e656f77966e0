// SPDX-License-Identifier: Apache-2.0
//
// A template for the bodies of claims that differ only in their purpose and access. It is encoded
// once, and the two fields are overwritten for each claim.

public import FileCoordinationArbiter

/// The encoded ``ClaimBody`` of a claim on one item, with a purpose of ``purposeLength`` bytes.
public struct ClaimTemplate: Sendable {
    /// The encoding, with placeholders for purpose and access.
    public private(set) var bytes: [UInt8]
    /// The offset of the access, which takes two bytes.
    public let accessOffset: Int

    /// The offset of the purpose.
    public static let purposeOffset = 2
    /// The length of the purpose.
    public static let purposeLength = 33

    /// Creates the template for an item; nil if the item cannot be encoded.
    ///
    /// Templates of plain items differ only in the path, so their frame is encoded once.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - prefix: the common prefix of all purposes, at most ``purposeLength`` bytes.
    public init?(_ item: AccessItem, purposePrefix prefix: [UInt8] = []) {
        precondition(prefix.count <= Self.purposeLength, "A prefix is a part of a purpose")
        guard let plain = Self(plain: item) ?? Self(encoding: item) else { return nil }
        self = plain
        for (index, byte) in prefix.enumerated() { bytes[Self.purposeOffset + index] = byte }
    }

    /// Creates the template of an item outside of packages from the common frame.
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
        // Continues after the path of the frame, the shortest possible one: "/a".
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

    /// Creates a template with the encoder.
    package init?(encoding item: AccessItem) {
        let purpose = [UInt8](repeating: UInt8(ascii: "0"), count: Self.purposeLength)
        var plain = item
        plain.access = .reading([])
        let body = ClaimBody(purpose: purpose, items: [plain], blocksCaller: true)
        // A body that exceeds a limit has no template; the ordinary way reports the error.
        guard let bytes = try? body.encodeChecked() else { return nil }
        self.init(bytes: bytes, accessOffset: Self.pathOffset + item.path.bytes.count)
    }

    /// The offset of the path: after a purpose, a count, and the path's length.
    private static let pathOffset = purposeOffset + purposeLength + 4 + 2

    /// Returns the two bytes of an access.
    public static func encoding(of access: Access) -> (UInt8, UInt8) {
        switch access {
        case .reading(let options): (0, options.rawValue)
        case .writing(let options): (1, options.rawValue)
        }
    }
}
