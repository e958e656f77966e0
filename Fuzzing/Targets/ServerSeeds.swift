// SPDX-License-Identifier: Apache-2.0
//
// A few short runs of clients with a server. ServerScene.play and ServerClient.act define the
// meaning of the bytes.

enum ServerSeeds {
    private static let turn: UInt8 = 0x38
    private static let successor: UInt8 = 0x3F
    private static let second: UInt8 = 0x40

    /// A write of /a, from the hello to the release.
    private static let write: [UInt8] = [
        0, turn, 6, 0, 0, 0, 1, 0x01, 1, 0, turn, 22, 0, 1, 1, turn,
    ]
    /// The other client presents /a, and answers what it is asked.
    private static let present: [UInt8] = [
        second, turn, second | 16, 0, 9, 0x01, 0, 0, 0, 0, turn, second | 40,
    ]
    private static let reply: [UInt8] = [second | 34, 0, 0, turn, turn, second | 40]
    /// A move of /a to /b, while it is held.
    private static let move: [UInt8] = [
        0, turn, 6, 0, 0, 0, 1, 0x01, 5, 0, turn, 30, 0, 3, 0x01, 0x05, turn, 22, 0, 1, 1, turn,
    ]

    static var all: [[UInt8]] {
        [
            write, present + write + reply, present + move + reply,
            present + Array(write.prefix(11)) + [successor] + present + reply,
            write.map { $0 < 56 ? $0 | second : $0 } + write + [0x3E, turn],
            [0, turn, 47, turn, 46, 0, 48, 3, 65, 32, 66, 49, 1, turn, 50, turn],
            present + move + [successor, second, 0, turn] + write,
        ]
    }
}
