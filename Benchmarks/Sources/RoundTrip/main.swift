// SPDX-License-Identifier: Apache-2.0
//
// What one uncontended coordinated access through the arbiter costs, as a ratio to a bare
// SOCK_SEQPACKET round trip measured in the same run: all groups interleaved in each repeat, all
// processes on one CPU. The arbiter is a daemon when one is found, else a thread of this process.

import CEcho
import FileCoordination

let repeats = 9
let iterations = 2000

func nanoseconds(_ body: () -> Void) -> Double {
    let start = ContinuousClock.now
    body()
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(iterations)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

// The arbiter, if it is a daemon, is started by the first access, and so inherits the CPU.
precondition(pin_to_cpu(0) == 0, "This machine has no CPU 0 for us")
let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("roundtrip-\(UUID().uuidString)", isDirectory: true)
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
let document = directory.appendingPathComponent("document", isDirectory: false)
try Data("text".utf8).write(to: document)

var server: Int32 = 0
let socket = echo_start(&server)
precondition(socket >= 0, "The echo server did not start")
let lockFile = open_lock_file(directory.path + "/lock")

func coordinatedWrites() {
    for _ in 0..<iterations {
        NSFileCoordinator().coordinate(writingItemAt: document, error: nil) { _ in }
    }
}

func coordinatedReads() {
    for _ in 0..<iterations {
        NSFileCoordinator().coordinate(readingItemAt: document, error: nil) { _ in }
    }
}

if CommandLine.arguments.count > 1 {
    for _ in 0..<500 {
        if CommandLine.arguments[1] == "read" { coordinatedReads() } else { coordinatedWrites() }
    }
    exit(0)
}
let groups: [(name: String, body: () -> Void)] = [
    ("bare SEQPACKET round trip", { _ = echo_round_trips(socket, Int32(iterations)) }),
    ("flock + unflock, open file", { _ = flock_pairs(lockFile, Int32(iterations)) }),
    ("coordinated write", coordinatedWrites),
    ("coordinated read", coordinatedReads),
]
for group in groups { group.body() }
var times = [[Double]](repeating: [], count: groups.count)
for _ in 0..<repeats {
    for (index, group) in groups.enumerated() { times[index].append(nanoseconds(group.body)) }
}
let ratios = times.map { group in zip(group, times[0]).map { $0 / $1 } }
print("placement: every process on CPU 0; \(repeats) interleaved repeats of \(iterations)")
for (index, group) in groups.enumerated() {
    let name = group.name.padding(toLength: 28, withPad: " ", startingAt: 0)
    let (values, ratio) = (times[index], ratios[index])
    print(
        String(
            format: "%@ %9.0f ns [%.0f to %.0f]   %5.2f x round trip [%.2f to %.2f]", name,
            median(values), values.min() ?? 0, values.max() ?? 0, median(ratio), ratio.min() ?? 0,
            ratio.max() ?? 0))
}
kill(server, SIGKILL)
