// SPDX-License-Identifier: Apache-2.0
//
// One uncontended access, beside everything that people lock with instead. All contestants are
// interleaved, so any two of them can be compared.

import FileCoordination

/// The group "access".
enum AccessStage {
    // Whom the table and the picture name.
    static let delegatedWrite = "coordinated write, delegated"
    static let delegatedRead = "coordinated read, delegated"
    static let besideVersions = "delegated write with a kept version of another file"
    static let withVersions = "delegated write of a file with a kept version"
    static let write = "coordinated write that the server grants"
    static let read = "coordinated read that the server grants"
    static let flock = "flock + unflock, open file"
    static let opening = "open + flock + close"
    static let record = "OFD record lock + unlock"
    static let echo = "bare SEQPACKET round trip"
    static let sqlite = "SQLite BEGIN IMMEDIATE + COMMIT"
    static let program = "flock(1) around true"

    static let stage = Stage(
        name: "access",
        conditions: "one uncontended access, warm; every process on one CPU",
        rows: delegatedRows + arbiterRows + informingRows, prepare: prepare)

    private static let delegatedRows = [
        Row(
            "delegated-write", "delegated write", delegatedWrite, to: flock,
            .atMost(must: 1.0, aim: 0.75)),
        Row(
            "delegated-read", "delegated read", delegatedRead, to: flock,
            .atMost(must: 1.0, aim: 0.75)),
        Row(
            "delegated-write-opening", "delegated write", delegatedWrite, to: opening,
            .atMost(must: 0.3, aim: 0.2)),
        Row(
            "delegated-read-opening", "delegated read", delegatedRead, to: opening,
            .atMost(must: 0.3, aim: 0.2)),
        Row(
            "delegated-versions", "delegated write", besideVersions, to: delegatedWrite,
            .atMost(must: 1.05, aim: 1.0)),
    ]

    private static let arbiterRows = [
        Row(
            "arbiter-write", "write that the server grants", write, to: echo,
            .atMost(must: 2.0, aim: 1.4)),
        Row(
            "arbiter-read", "read that the server grants", read, to: echo,
            .atMost(must: 2.0, aim: 1.4)),
        Row(
            "arbiter-dbus-daemon", "write that the server grants", write, to: Servers.dbusDaemon,
            .atMost(must: 0.4, aim: 0.3)),
        Row(
            "arbiter-dbus-broker", "write that the server grants", write, to: Servers.dbusBroker,
            .atMost(must: 0.4, aim: 0.3)),
        Row(
            "arbiter-redis", "write that the server grants", write, to: Servers.redis,
            .atMost(must: 0.6, aim: 0.5)),
        Row(
            "arbiter-etcd", "write that the server grants", write, to: Servers.etcd,
            .atMost(must: 1.0 / 30, aim: 1.0 / 60)),
        Row(
            "arbiter-filelock", "write that the server grants", write, to: Servers.filelock,
            .atMost(must: 0.25, aim: 0.15)),
    ]

    private static let informingRows = [
        Row("arbiter-opening", "write that the server grants", write, to: opening),
        Row("arbiter-record", "write that the server grants", write, to: record),
        Row("arbiter-sqlite", "write that the server grants", write, to: sqlite),
        Row("arbiter-program", "write that the server grants", write, to: program),
        Row("delegated-arbiter", "delegated write", delegatedWrite, to: write),
        Row("delegated-own-versions", "delegated write", withVersions, to: delegatedWrite),
        Row(
            "own-versions-program", "write of a file with a version", withVersions, to: program,
            .atMost(must: 1.0, aim: 0.5)),
    ]

    private static func prepare(_ bench: Workbench, _ needs: Set<String>) throws -> [Contestant] {
        var contestants = try accesses(bench, needs)
        contestants += try kernel(bench, needs)
        contestants += try Servers.contestants(bench, needs)
        return contestants
    }

    private static func accesses(
        _ bench: Workbench, _ needs: Set<String>
    ) throws -> [Contestant] {
        let own = [delegatedWrite, delegatedRead, besideVersions, withVersions, write, read]
        guard !needs.isDisjoint(with: own) else { return [] }
        let world = try bench.world()
        // Each has files of its own, in directories of their own: no process blocks another.
        return try [
            (delegatedWrite, "write", true), (delegatedRead, "read", true),
            (write, "write", false), (read, "read", false),
        ].filter { needs.contains($0.0) }.map { name, verb, isDelegating in
            let worker = try bench.worker(in: world, isDelegating: isDelegating)
            return try .task(name, worker, verb, try bench.file())
        } + besideAVersion(bench, world, needs)
    }

    /// Writers with a store of versions of their own, which holds one.
    private static func besideAVersion(
        _ bench: Workbench, _ world: World, _ needs: Set<String>
    ) throws -> [Contestant] {
        try [besideVersions, withVersions].filter { needs.contains($0) }.map { name in
            let (item, kept) = (try bench.file(), try bench.file())
            let worker = try bench.worker(
                in: world, data: (kept as NSString).deletingLastPathComponent + "/data")
            _ = try worker.ask("keep", name == withVersions ? item : kept)
            return try .task(name, worker, "write", item)
        }
    }

    private static func kernel(_ bench: Workbench, _ needs: Set<String>) throws -> [Contestant] {
        let peer = try bench.peer()
        var contestants: [Contestant] = []
        for (name, verb) in [(flock, "flock"), (record, "ofd"), (opening, "open-flock-close")]
        where needs.contains(name) {
            contestants.append(try .task(name, peer, verb, try bench.file()))
        }
        if needs.contains(echo) {
            contestants.append(try .task(echo, peer, "echo", "\(bench.home)"))
        }
        if needs.contains(sqlite) {
            do {
                contestants.append(
                    try .task(sqlite, peer, "sqlite", try bench.file("new.db-lock") + ".db"))
            } catch {
                contestants.append(Contestant(sqlite, skipped: "skipped: \(error)"))
            }
        }
        if needs.contains(program) {
            contestants.append(try Programs.contestant(program, bench, peer, "flock"))
        }
        return contestants
    }
}
