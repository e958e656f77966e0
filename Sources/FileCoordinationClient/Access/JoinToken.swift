// SPDX-License-Identifier: Apache-2.0
//
// The text by which another process joins a held access. It can be passed in an environment
// variable, an argument or a pipe. It is not a secret, because a process that has it could also
// file claims with the same purpose and paths by itself.

package import FileCoordinationArbiter

/// The description of a held access.
package struct JoinToken: Hashable, Sendable {
    /// One item.
    package struct HeldItem: Hashable, Sendable {
        /// The absolute path of the item.
        package var path: [UInt8]
        /// The kind of access.
        package var access: Access

        /// Creates an item.
        package init(path: [UInt8], access: Access) {
            self.path = path
            self.access = access
        }
    }

    /// The purpose of the access.
    ///
    /// Claims of one purpose do not wait for each other (Rule 2.10).
    package var purpose: String
    /// The name of the access for people.
    package var label: String
    /// The items.
    package var items: [HeldItem]
    /// The claim itself and the claims around it.
    package var surroundings: SurroundingClaims

    /// The environment variable that passes the token to a child.
    package static let variable = "FILECOORD_HOLD"

    /// Creates the description of an access.
    package init(
        purpose: String, label: String, items: [HeldItem], surroundings: SurroundingClaims
    ) {
        self.purpose = purpose
        self.label = label
        self.items = items
        self.surroundings = surroundings
    }

    /// The items as requests for a session.
    package var requests: [RequestedItem] {
        items.map { RequestedItem(ItemName(path: $0.path), access: $0.access) }
    }
}

// MARK: Text

extension JoinToken {
    private static let version = "hold1"

    /// The token as text: letters, digits and a few signs, none of which is special to a shell.
    package var text: String {
        let items = items.map { item in
            switch item.access {
            case .reading(let options): "r\(options.rawValue)/\(HexText.text(item.path))"
            case .writing(let options): "w\(options.rawValue)/\(HexText.text(item.path))"
            }
        }
        let head = [
            Self.version, HexText.text(Array(purpose.utf8)), HexText.text(Array(label.utf8)),
            surroundings.text,
        ]
        return (head + items).joined(separator: ",")
    }

    /// Parses a token; returns nil if the text is invalid.
    package init?(text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count > 4, parts[0] == Self.version,
            let purpose = HexText.bytes(parts[1]).flatMap({ String(validating: $0, as: UTF8.self) }
            ),
            let label = HexText.bytes(parts[2]).flatMap({ String(validating: $0, as: UTF8.self) }),
            (1...1024).contains(purpose.utf8.count)
        else { return nil }
        var items: [HeldItem] = []
        for part in parts[4...] {
            guard let item = Self.item(part) else { return nil }
            items.append(item)
        }
        self.init(
            purpose: purpose, label: label, items: items,
            surroundings: SurroundingClaims(text: String(parts[3])))
    }

    private static func item(_ text: Substring) -> HeldItem? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = parts[0].first,
            let bits = UInt8(parts[0].dropFirst()), let path = HexText.bytes(parts[1]),
            path.first == UInt8(ascii: "/"), !path.contains(0)
        else { return nil }
        switch kind {
        case "r":
            let options = ReadingOptions(rawValue: bits)
            // A hold neither follows links nor makes snapshots.
            guard options.isSubset(of: .all.subtracting([.resolvesSymbolicLink, .forUploading]))
            else { return nil }
            return HeldItem(path: path, access: .reading(options))
        case "w":
            let options = WritingOptions(rawValue: bits)
            guard options.isSubset(of: .all) else { return nil }
            return HeldItem(path: path, access: .writing(options))
        case _: return nil
        }
    }
}

/// Bytes as text, with two hexadecimal digits each.
private enum HexText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        let codes = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: codes, as: UTF8.self)
    }

    static func bytes(_ text: Substring) -> [UInt8]? {
        var result: [UInt8] = []
        var high: UInt8?
        for code in text.utf8 {
            guard let digit = digits.firstIndex(of: code).map(UInt8.init) else { return nil }
            if let first = high.take() {
                result.append(first << 4 | digit)
            } else {
                high = digit
            }
        }
        return high == nil ? result : nil
    }
}
