// SPDX-License-Identifier: Apache-2.0
//
// The bodies of claims that differ in nothing but who makes them and what for: encoded once, and
// changed where they differ.

public import FileCoordinationArbiter

/// The encoded ``ClaimBody`` of a claim on one item by a purpose of ``purposeLength`` bytes.
public struct ClaimTemplate: Sendable {
    /// The encoding, with a purpose and an access that mean nothing.
    public let bytes: [UInt8]
    /// Where the access is, as two bytes.
    public let accessOffset: Int

    /// Where the purpose is.
    public static let purposeOffset = 2
    /// How long it is.
    public static let purposeLength = 33

    /// The template for an item; nil if that cannot be encoded.
    public init?(_ item: AccessItem) {
        let purpose = [UInt8](repeating: UInt8(ascii: "0"), count: Self.purposeLength)
        var plain = item
        plain.access = .reading([])
        let body = ClaimBody(purpose: purpose, items: [plain], blocksCaller: true)
        guard let bytes = try? body.encodeChecked() else { return nil }
        self.bytes = bytes
        // A purpose, a count, and a path come before it.
        accessOffset = Self.purposeOffset + Self.purposeLength + 4 + 2 + item.path.bytes.count
    }

    /// The two bytes of an access.
    public static func encoding(of access: Access) -> (UInt8, UInt8) {
        switch access {
        case .reading(let options): (0, options.rawValue)
        case .writing(let mode): (1, mode.rawValue)
        }
    }
}
