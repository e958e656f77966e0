// SPDX-License-Identifier: Apache-2.0
//
// Figures that do not depend on how busy the machine is: instructions and allocations of an
// access, in the process that makes it. Valgrind counts them in a run with a few accesses and in
// one with many; the difference belongs to the accesses.

import FileCoordination

/// The group "profile".
enum ProfileStage {
    private static let few = 500
    private static let many = 2500

    private static let delegatedInstructions = "instructions of a delegated write"
    private static let instructions = "instructions of a write that the server grants"
    private static let delegatedAllocations = "allocations of a delegated write"
    private static let allocations = "allocations of a write that the server grants"

    private static let granted = "instructions of a granted write, in both processes"
    private static let relinquished = "instructions of a relinquished write, in all three processes"

    private static let rowNames = [
        (delegatedInstructions, "instructions-delegated"), (instructions, "instructions-arbiter"),
        (delegatedAllocations, "allocations-delegated"), (allocations, "allocations-arbiter"),
        (granted, "instructions-granted"), (relinquished, "instructions-relinquished"),
    ]

    static let stage = Stage(
        name: "profile",
        conditions: "counted by valgrind in the client's process, or in all that a row names",
        mostRepeats: 3,
        rows: rowNames.map { Row($1, $0, $0) },
        prepare: { bench, needs in
            guard let valgrind = Workbench.find("valgrind") else {
                return needs.map { Contestant($0, skipped: "skipped: valgrind is not installed") }
            }
            let world = try bench.world()
            let program = try stripped(Workbench.beside("measure"), bench)
            let callgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
            let memcheck = ["--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"]
            let serverPath = try [(granted, false), (relinquished, true)].filter {
                needs.contains($0.0)
            }.map { name, isRelinquished in
                let path = ServerPathInstructions(
                    isRelinquished: isRelinquished, program: program,
                    daemon: try stripped(bench.daemon, bench), valgrind: valgrind)
                return Contestant(name, unit: "") {
                    let less = try path.count(accesses: few, bench)
                    return try (path.count(accesses: many, bench) - less) / Double(many - few)
                }
            }
            return [
                counting(delegatedInstructions, callgrind, "Collected :", isDelegating: true),
                counting(instructions, callgrind, "Collected :", isDelegating: false),
                counting(delegatedAllocations, memcheck, "total heap usage:", isDelegating: true),
                counting(allocations, memcheck, "total heap usage:", isDelegating: false),
            ].filter { needs.contains($0.name) }.map {
                $0.contestant([valgrind], program, bench, world)
            } + serverPath
        })

    /// How something is counted.
    private struct Counting {
        let name: String
        let tool: [String]
        let mark: String
        let isDelegating: Bool

        func contestant(
            _ valgrind: [String], _ program: String, _ bench: Workbench, _ world: World
        ) -> Contestant {
            Contestant(name, unit: "") {
                let file = try bench.file()
                let command = valgrind + tool + [program, ProfiledAccesses.word, file]
                let less = try count(command + ["\(few)"], bench, world)
                let more = try count(command + ["\(many)"], bench, world)
                return (more - less) / Double(many - few)
            }
        }

        private func count(
            _ command: [String], _ bench: Workbench, _ world: World
        ) throws -> Double {
            var changes = [String(World.setting.dropLast()): world.runtime]
            if !isDelegating { changes["FILECOORDINATION_DELEGATION"] = "off" }
            let process = try bench.start(command, changes, errorsToo: true)
            defer { bench.dismiss(process) }
            return try Valgrind.figure(mark, of: process)
        }
    }

    /// A copy of a program without debugging information, which valgrind may not understand.
    private static func stripped(_ program: String, _ bench: Workbench) throws -> String {
        guard let strip = Workbench.find("strip") else { return program }
        let name = URL(fileURLWithPath: program).lastPathComponent
        let copy = try bench.directory("program") + "/" + name
        let stripping = try bench.start([strip, "-o", copy, program], errorsToo: true)
        defer { bench.dismiss(stripping) }
        while (try? stripping.line()) != nil {}
        return FileManager.default.isExecutableFile(atPath: copy) ? copy : program
    }

    private static func counting(
        _ name: String, _ tool: [String], _ mark: String, isDelegating: Bool
    ) -> Counting {
        Counting(name: name, tool: tool, mark: mark, isDelegating: isDelegating)
    }
}
