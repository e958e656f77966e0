// SPDX-License-Identifier: Apache-2.0
//
// The first access of a process that has made none yet, as it is felt: the time of the call.

import CPeers
import FileCoordination

/// The group "start".
enum StartStage {
    private static let running = "first access, arbiter running"
    private static let serving = "first access, as the server"
    private static let starting = "first access, starting the daemon"
    private static let ever = "first access ever, as the server"

    static let stage = Stage(
        name: "start", conditions: "milliseconds of the first call in a fresh process; one CPU",
        rows: [
            Row("start-running", running, running, .atMost(must: 1, aim: 0.3)),
            Row("start-serving", serving, serving, .atMost(must: 3, aim: 1)),
            Row("start-daemon", starting, starting, .atMost(must: 15, aim: 6)),
            // The server waits for programs whose ledgers have lost their names (Rule 18.14).
            Row("start-ever", ever, ever, .atMost(must: 63, aim: 53)),
        ],
        prepare: { bench, needs in
            var contestants: [Contestant] = []
            if needs.contains(running) {
                let world = try bench.world()
                contestants.append(contestant(running, bench) { world.runtime })
            }
            if needs.contains(serving) {
                contestants.append(
                    contestant(serving, bench, ["FILECOORDINATIOND": ""]) {
                        try settled(bench.runtimeDirectory())
                    })
            }
            if needs.contains(starting) {
                contestants.append(
                    contestant(starting, bench) { try settled(bench.runtimeDirectory()) })
            }
            if needs.contains(ever) {
                contestants.append(
                    contestant(ever, bench, ["FILECOORDINATIOND": ""]) {
                        try bench.runtimeDirectory()
                    })
            }
            for contestant in contestants { _ = try contestant.sample?() }
            return contestants
        })

    /// Makes a runtime directory as a server has left it, without the mark of a new one.
    private static func settled(_ path: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path + "/ledgers", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        chmod(path, 0o700)
        try Data().write(to: URL(fileURLWithPath: path + "/ledgers/settled"))
        return path
    }

    private static func contestant(
        _ name: String, _ bench: Workbench, _ changes: [String: String] = [:],
        _ runtime: @escaping () throws -> String
    ) -> Contestant {
        Contestant(name, unit: "ms") {
            let file = try bench.file()
            let runtime = try runtime()
            let setting = [String(World.setting.dropLast()): runtime].merging(changes) { $1 }
            let process = try bench.start(
                [Workbench.beside("measure"), FirstAccess.word, file], setting)
            let time = try process.answer()[0]
            bench.dismiss(process)
            // A daemon that was started for this one access.
            if name == starting { Leftovers.end(known: World.setting + runtime) }
            return time
        }
    }
}
