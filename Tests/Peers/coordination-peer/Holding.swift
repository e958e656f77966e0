// SPDX-License-Identifier: Apache-2.0
//
// Holding access until the test says so.

import FileCoordination

enum Holding {
    /// Reads: says "granted" and what the file holds, and lets go at the next line.
    static func read(_ path: String) {
        var failure: NSError?
        var isGranted = false
        NSFileCoordinator().coordinate(
            readingItemAt: URL(fileURLWithPath: path), error: &failure
        ) { url in
            isGranted = true
            let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            Peer.say("granted \(text)")
            Peer.hear()
        }
        finish(isGranted, failure)
    }

    /// Writes: says "granted", and lets go at the next line.
    static func write(_ path: String) {
        var failure: NSError?
        var isGranted = false
        NSFileCoordinator().coordinate(
            writingItemAt: URL(fileURLWithPath: path), error: &failure
        ) { _ in
            isGranted = true
            Peer.say("granted")
            Peer.hear()
        }
        finish(isGranted, failure)
    }

    private static func finish(_ isGranted: Bool, _ failure: NSError?) {
        if let failure {
            Peer.say("failed \(failure.domain) \(failure.code)")
        } else {
            Peer.say(isGranted ? "released" : "neither granted nor failed")
        }
    }
}
