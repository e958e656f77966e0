// SPDX-License-Identifier: Apache-2.0
//
// Moves a file as a plain program does, and reads it at its new place by a claim at once.

import FileCoordination

enum Chasing {
    /// `LABEL chase PATH TIMES TEXT [uses=N]`: moves `PATH.0` to `PATH.1`, to `PATH.0` …, and after
    /// each move reads the file, which must have this text.
    ///
    /// Before each second move, other text is written there. With `uses=N`, the place to which the
    /// file is moved was read N times before, so that it is delegated.
    static func run(_ call: PeerCall) {
        let (path, text) = (call.order.operands[0], call.order.operands[2])
        let times = Int(call.order.operands[1]) ?? 0
        let uses = call.order.option("uses").flatMap { Int($0) } ?? 0
        // A process watches directories only after some accesses.
        for number in 0..<8 { _ = read("\(path).warm\(number % 4)") }
        var stale = 0
        for number in 0..<times {
            let (old, new) = ("\(path).\(number % 2)", "\(path).\((number + 1) % 2)")
            for _ in 0..<uses { _ = read(new) }
            if number % 2 == 1 { overwrite(old) }
            guard rename(old, new) == 0 else { return call.say("cannot move \(errno)") }
            if read(new) != text { stale += 1 }
        }
        call.say("chased \(times) stale \(stale)")
    }

    private static func read(_ path: String) -> String? {
        var text: String?
        var failure: NSError?
        NSFileCoordinator().coordinate(readingItemAt: Access.url(path), error: &failure) {
            // There is no file at the path before the move.
            text = try? String(contentsOf: $0, encoding: .utf8)
        }
        return text
    }

    private static func overwrite(_ path: String) {
        let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        _ = write(file, "stale", 5)
        close(file)
    }
}
