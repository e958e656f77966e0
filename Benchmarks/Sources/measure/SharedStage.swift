// SPDX-License-Identifier: Apache-2.0
//
// A document that several programs have open, which is what most accesses are about: one process
// reads it or presents it, and another one reads and writes it meanwhile.

import FileCoordination

/// The group "shared".
enum SharedStage {
    private static let besideReader = "coordinated read, while another process reads"
    private static let besidePresenter = "coordinated read, while another process presents"
    private static let idleWrite = "coordinated write that changes nothing, presented too"
    private static let changing = "coordinated write that changes the item's size, presented too"
    private static let alone = "change of the item's size, without coordination"
    private static let yielding = "coordinated write, another process's presenter relinquishes"
    private static let bareQuestion =
        "question to another process's operation queue by bare sockets"
    private static let flock = "flock + unflock of an open file"
    private static let echo = "SEQPACKET round trip to another process"

    static let stage = Stage(
        name: "shared",
        conditions: "one access to a document that another process has open, warm; one CPU",
        rows: [
            Row(
                "shared-read", "read of a file that another process is reading", besideReader,
                to: flock, .atMost(must: 1.0, aim: 0.75)),
            Row(
                "presented-read", "read of a document that another process presents",
                besidePresenter, to: flock, .atMost(must: 1.0, aim: 0.75)),
            Row(
                "presented-write", "write of such a document that changes nothing", idleWrite,
                to: echo),
            Row(
                "presented-change", "write of such a document, its presenter hears of the change",
                changing, to: echo, .atMost(must: 1.5, aim: 1.0)),
            Row("change-alone", "the change of that write alone", alone, to: echo),
            Row(
                "decided", "write that a presenter relinquishes for", yielding, to: echo,
                .atMost(must: 4.0, aim: 3.0)),
            Row(
                "bare-question", "a bare question and answer by way of a server", bareQuestion,
                to: echo),
        ],
        prepare: prepare)

    private static func prepare(_ bench: Workbench, _ needs: Set<String>) throws -> [Contestant] {
        let world = try bench.world()
        var contestants: [Contestant] = []
        for (name, task, verb) in [
            (besideReader, "hold-reading", "read"), (besidePresenter, "present-idle", "read"),
            (idleWrite, "present-listening", "write"),
            (changing, "present-listening", "change"),
        ] where needs.contains(name) {
            let file = try bench.file()
            _ = try bench.worker(in: world).ask(task, file, "1")
            contestants.append(try .task(name, try bench.worker(in: world), verb, file))
        }
        if needs.contains(alone) {
            let file = try bench.file()
            contestants.append(try .task(alone, try bench.worker(in: world), "truncate", file))
        }
        if needs.contains(yielding) { contestants.append(try relinquishing(bench, world)) }
        if needs.contains(bareQuestion) {
            let socket = try bench.directory("s") + "/a"
            _ = try bench.worker(in: world).ask("answer", socket)
            let asking = try bench.worker(in: world)
            contestants.append(try .task(bareQuestion, asking, "relay", socket))
        }
        let peer = try bench.peer()
        if needs.contains(flock) {
            contestants.append(try .task(flock, peer, "flock", try bench.file()))
        }
        if needs.contains(echo) {
            contestants.append(try .task(echo, peer, "echo", "\(bench.home)"))
        }
        return contestants
    }

    private static func relinquishing(_ bench: Workbench, _ world: World) throws -> Contestant {
        let file = try bench.file()
        let presenting = try bench.worker(in: world)
        _ = try presenting.ask("present", file, "1")
        let writer = try bench.worker(in: world)
        return try .repeated(yielding) { count in
            var time = 0.0
            for _ in 0..<count {
                time += try writer.ask("write", file, "1")[0]
                _ = try presenting.ask("settle", "1")
            }
            return time
        }
    }
}
