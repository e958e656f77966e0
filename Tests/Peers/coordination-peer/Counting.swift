// SPDX-License-Identifier: Apache-2.0
//
// Read, add one, write: the shortest way to see whether two accessors ever overlap.

import FileCoordination

enum Counting {
    /// Adds one to the number in the file at `path`, `times` times, each under a coordinated write.
    static func run(path: String, times: Int) {
        let url = URL(fileURLWithPath: path)
        for _ in 0..<times {
            var failure: NSError?
            var isCounted = false
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { url in
                isCounted = addOne(to: url)
            }
            guard isCounted else {
                Peer.say("failed: \(failure.map { "\($0)" } ?? "the file")")
                exit(1)
            }
        }
        Peer.say("counted")
    }

    private static func addOne(to url: URL) -> Bool {
        guard let text = try? String(contentsOf: url, encoding: .utf8),
            let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return false }
        return (try? Data("\(number + 1)".utf8).write(to: url)) != nil
    }
}
