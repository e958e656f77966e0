// SPDX-License-Identifier: Apache-2.0
//
// What coordination costs, as ratios to what else there is: us and the peers in one run, one after
// the other in each repeat, on the same CPU unless a row says otherwise. Ratios are taken inside a
// repeat, so that a machine that is slow for a while is slow for both sides.
//
// A runner of our own, and no benchmark library: those run one benchmark to its end before the
// next begins, so what they compare was not measured under the same conditions; and they know one
// process, where nearly everything here takes several, each pinned, stopped and ended by the
// runner. What such a library adds, instructions and allocations, comes from valgrind (group
// "profile").

import FileCoordination

@main
struct Measure {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == Worker.word { Worker.serve() }
        if arguments.first == FirstAccess.word { FirstAccess.run(Array(arguments.dropFirst())) }
        if arguments.first == ProfiledAccesses.word {
            ProfiledAccesses.run(Array(arguments.dropFirst()))
        }
        if arguments.first == ProfiledAccesses.yieldingWord {
            ProfiledAccesses.run(Array(arguments.dropFirst()), isYielding: true)
        }
        do {
            let options = try Options(&arguments)
            if options.showsHelp { return print(Options.help) }
            if options.lists { return print(Catalogue.list) }
            let bench = try Workbench(options)
            Interruption.clearOnSignal(scratch: bench.scratch)
            var report = Run(bench, options).report()
            report.hints = bench.hints
            bench.close()
            print(Table.text(report))
            try report.write(options)
            exit(report.isWhole && (!options.isStrict || report.holds) ? 0 : 1)
        } catch let error as UsageError {
            Terminal.complain("\(error)\n(see --help)")
            exit(64)
        } catch {
            Terminal.complain("\(error)")
            exit(1)
        }
    }
}

/// What to say to a user who looks on.
enum Terminal {
    static func complain(_ text: String) { write("measure: \(text)\n") }
    static func progress(_ text: String) { write("\(text)\n") }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
