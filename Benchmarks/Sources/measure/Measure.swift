// SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of coordination as ratios to alternatives (the peers). This library and the
// peers are measured in one run, one after the other in each repeat, on the same CPU unless a row
// says otherwise. Ratios are computed inside a repeat, so that a slow phase of the machine slows
// both sides.
//
// This runner replaces a benchmark library for two reasons. Such libraries finish one benchmark
// before the next begins, so the conditions may differ between the compared measurements. And they
// measure one process, but most measurements here need several, which the runner pins, stops and
// ends. Counts of instructions and allocations, which such libraries offer, come from valgrind
// (group "profile").

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
        if arguments.first == ProfiledAccesses.presentingWord {
            ProfiledAccesses.present(Array(arguments.dropFirst()))
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
