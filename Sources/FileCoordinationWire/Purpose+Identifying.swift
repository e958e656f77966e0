// SPDX-License-Identifier: Apache-2.0
//
// Purposes of any length. Records and messages have room for so many bytes of a purpose, and a
// purpose is only ever compared: so a longer one is known by its beginning and a digest, which all
// processes make alike.

public import FileCoordinationArbiter

extension Purpose {
    /// The purpose with this identifier, as records and messages name it.
    public init(identifying text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > WireLimits.purposeBytes else {
            self.init(bytes: bytes)
            return
        }
        let digest = [0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142].map { (start: UInt64) in
            bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
        let end =
            " \(bytes.count) "
            + digest.map { String($0, radix: 16) }.joined(separator: "-")
        var beginning = bytes.prefix(WireLimits.purposeBytes - end.utf8.count)
        // Not in the middle of a character.
        while let last = beginning.last, last & 0xC0 == 0x80 { beginning.removeLast() }
        if let last = beginning.last, last & 0xC0 == 0xC0 { beginning.removeLast() }
        self.init(bytes: Array(beginning) + Array(end.utf8))
    }
}
