// SPDX-License-Identifier: Apache-2.0
//
// A write of a file that a thousand presenters of another process show: each is asked, makes way,
// and is told when it has the file back. The next write waits until all have it back.

/// The group "relinquish".
enum RelinquishStage {
    private static let presenters = 1000
    private static let write = "a write that \(presenters) presenters of one process make way for"
    private static let echo = "\(presenters) bare SEQPACKET round trips"

    static let stage = Stage(
        name: "relinquish",
        conditions: "\(presenters) presenters of one file, of one process, with one queue; one CPU",
        rows: [
            Row(
                "relinquish", "relinquish of 1,000 presenters", write, to: echo,
                .atMost(must: 0.5, aim: 0.25))
        ],
        prepare: { bench, _ in
            let world = try bench.world()
            let file = try bench.file()
            let presenting = try bench.worker(in: world)
            _ = try presenting.ask("present", file, "\(presenters)")
            let writer = try bench.worker(in: world)
            let peer = try bench.peer()
            let asking = Contestant(write) {
                let time = try writer.ask("write", file, "1")[0]
                _ = try presenting.ask("settle", "\(presenters)")
                return time
            }
            let echoing = Contestant(echo) {
                try peer.ask("echo", "\(bench.home)", "\(presenters)")[0]
            }
            for contestant in [asking, echoing] { _ = try contestant.sample?() }
            return [asking, echoing]
        })
}
