// SPDX-License-Identifier: Apache-2.0
//
// A write granted by a server that runs on another CPU than its client: where waking an idle
// CPU is dear, that is nearly all that is measured.

/// The group "cross".
enum CrossStage {
    private static let write = "coordinated write, arbiter on another CPU"
    private static let delegated = "coordinated write, delegated, arbiter on another CPU"
    private static let echo = "bare SEQPACKET round trip between two CPUs"

    static let stage = Stage(
        name: "cross", conditions: "one uncontended access; the server on another CPU",
        rows: [
            Row("cross-arbiter", "write that the server grants", write, to: echo),
            Row("cross-delegated", "delegated write", delegated, to: echo),
        ],
        prepare: { bench, needs in
            guard let abroad = bench.abroad else {
                return needs.map { Contestant($0, skipped: "skipped: there is only one CPU") }
            }
            let world = try bench.world(cpu: abroad)
            let client = try bench.worker(in: world, isDelegating: false)
            let owner = try bench.worker(in: world)
            let peer = try bench.peer()
            return [
                try .task(write, client, "write", try bench.file()),
                try .task(delegated, owner, "write", try bench.file()),
                try .task(echo, peer, "echo", "\(abroad)"),
            ]
        })
}
