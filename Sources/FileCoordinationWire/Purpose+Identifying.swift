// SPDX-License-Identifier: Apache-2.0
//
// Purposes of any length. Records and messages limit the length of a purpose, and purposes are only
// compared. So a longer one is represented by its beginning and a digest, which all processes
// compute in the same way.

public import FileCoordinationArbiter

extension Purpose {
    /// Creates the purpose of an identifier, as it is in records and messages.
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
        // Do not cut in the middle of a character.
        while let last = beginning.last, last & 0xC0 == 0x80 { beginning.removeLast() }
        if let last = beginning.last, last & 0xC0 == 0xC0 { beginning.removeLast() }
        self.init(bytes: Array(beginning) + Array(end.utf8))
    }
}
