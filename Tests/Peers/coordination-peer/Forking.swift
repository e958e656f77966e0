// SPDX-License-Identifier: Apache-2.0
//
// Programs that fork without exec: the child inherits nothing of ours (Rule 18.8).

import FileCoordination

enum Forking {
    /// Takes a write claim, forks inside the accessor; parent and child then do as they are told.
    ///
    /// Says "granted", then "child PID". The child sleeps until it is killed.
    static func holdAndFork(_ path: String) {
        var failure: NSError?
        NSFileCoordinator().coordinate(
            writingItemAt: URL(fileURLWithPath: path), error: &failure
        ) { _ in
            Peer.say("granted")
            announceChild()
            Peer.hear()
        }
        Peer.say(failure == nil ? "released" : "failed")
    }

    /// Comes to host the arbiter by one coordinated read, then forks outside of any accessor.
    static func hostAndFork(_ path: String) {
        NSFileCoordinator().coordinate(
            readingItemAt: URL(fileURLWithPath: path), error: nil
        ) { _ in }
        Peer.say("hosting")
        announceChild()
        Peer.hear()
    }

    private static func announceChild() {
        let child = forkProcess()
        if child == 0 {
            // What a worker of a preforking server does: lives on, and knows nothing of us.
            while true { pause() }
        }
        Peer.say("child \(child)")
    }

    /// `fork` is not to be had in Swift, for good reasons that do not apply to a test of it.
    private static func forkProcess() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }
}
