// SPDX-License-Identifier: Apache-2.0
//
// A whole server in this process: its sockets, its ledgers, its log, its arbiter. Up to three
// clients do what the bytes say, in and out of the rules; after every turn the server's invariants
// hold, and when all are gone, nothing is left of them.
//
// Only time is real: the server's clock is the kernel's, so that nothing that takes seconds
// happens.

import FileCoordinationServer
import FileCoordinationSystem

enum ServerTarget {
    /// More than this is another input.
    private static let steps = 96

    @Sendable static func run(_ bytes: [UInt8]) throws {
        // One at a time: they share the directory.
        try stage.withLock { stage in
            let directory = try stage ?? FuzzDirectory.make()
            stage = directory
            let scene = try ServerScene(directory)
            defer { scene.tearDown() }
            var input = Bytes(bytes)
            for _ in 0..<steps where !input.isAtEnd { try scene.play(&input) }
            try scene.comeToRest()
        }
    }

    private static let stage = Lock<RuntimeDirectory?>(nil)
}
