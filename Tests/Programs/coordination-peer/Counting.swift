// SPDX-License-Identifier: Apache-2.0
//
// Read, add one, write: the shortest way to see whether two accessors ever overlap.

import FileCoordination

enum Counting {
    /// `LABEL count PATH TIMES [leaves]`: adds one to the number in a file, each time under a
    /// claim.
    static func run(_ call: PeerCall) {
        repeatedly(call) { url, _ in
            guard let text = try? String(contentsOf: url, encoding: .utf8),
                let number = Int(text)
            else { return false }
            return (try? Data("\(number + 1)".utf8).write(to: url)) != nil
        }
    }

    /// `LABEL journal PATH TIMES`: appends records to a journal, each of them in one system call,
    /// so that a killed process has written a whole record or none.
    ///
    /// A record is its own number, as far as the journal's length tells, the process, and how many
    /// records the process wrote before.
    static func journal(_ call: PeerCall) {
        repeatedly(call) { url, sequence in
            let file = open(url.path, O_RDWR | O_APPEND | O_CLOEXEC)
            guard file >= 0 else { return false }
            defer { close(file) }
            let number = Int(lseek(file, 0, SEEK_END)) / recordLength + 1
            sched_yield()
            let record = "\(number) \(getpid()) \(sequence)"
            let line = record.padding(toLength: recordLength - 1, withPad: " ", startingAt: 0)
            let bytes = Array((line + "\n").utf8)
            return write(file, bytes, bytes.count) == bytes.count
        }
    }

    /// No page boundary divides it: a process that is killed in the middle of a write has perhaps
    /// written a page's part of it.
    private static let recordLength = 32

    private static func repeatedly(_ call: PeerCall, _ step: (URL, Int) -> Bool) {
        let url = Access.url(call.order.operands[0])
        let times = Int(call.order.operands[1]) ?? 0
        for sequence in 0..<times {
            var failure: NSError?
            var isDone = false
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) {
                isDone = step($0, sequence)
            }
            guard isDone else {
                return call.say("failed \(failure.map { "\($0)" } ?? "at the file")")
            }
        }
        call.say("counted")
        if call.order.arguments.contains("leaves") { exit(0) }
    }
}
