// SPDX-License-Identifier: Apache-2.0
//
// Runs worlds around the reconciler, whose histories the checker of watching judges (Rule 7.14):
// `simulate-watching FIRST-SEED OPERATIONS [IN-EACH-WORLD [FAILURES]]`, or one again, shortened to
// what fails: `simulate-watching --replay SEED OPERATIONS`. Exit status 1 if a world has failed.

@main
enum SimulateWatching {
    static func main() { LookAgainRun(CommandLine.arguments.dropFirst()).run() }
}
