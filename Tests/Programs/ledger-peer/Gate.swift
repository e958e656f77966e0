// SPDX-License-Identifier: Apache-2.0
//
// The pipe to the supervisor. At each point, the process reports the point, and waits until the
// supervisor lets it continue.

import FileCoordinationLedger
import Glibc

/// Points, announced on standard output; commands come on standard input.
enum Gate {
    /// Announces a point, and waits for the command to go on.
    ///
    /// The supervisor may also kill or stop the process here, or have it fork.
    static func pass(_ name: String) {
        say("P \(name)")
        while true {
            var command: UInt8 = 0
            let count = read(0, &command, 1)
            // Without a supervisor there is nothing to do here.
            guard count == 1 else { exit(0) }
            switch command {
            case UInt8(ascii: "g"): return
            case UInt8(ascii: "f"): makeChild()
            default: exit(3)
            }
        }
    }

    /// Announces that there is nothing more to do, and waits for the end.
    static func finish(_ result: String) -> Never {
        say("D \(result)")
        var byte: UInt8 = 0
        while read(0, &byte, 1) == 1 {}
        exit(0)
    }

    /// Stops at an operation on a word of the protocol.
    static func pass(_ operation: MemoryOperation) {
        switch operation {
        case .sleep, .sleepForTurn:
            // The process cannot be stopped here: the kernel decides whether it sleeps at all.
            say("S")
        case .load(let cell):
            pass("load \(cell)")
        case .compareExchange(.record, _, let desired):
            let state = RecordWord(rawValue: desired).state.map { "\($0)" } ?? "?"
            pass("swap \(state)")
        case .compareExchange(let cell, _, _):
            pass("swap \(cell)")
        case .wake, .wakeForTurn:
            pass("wake")
        }
    }

    /// A child that does nothing and lives on.
    private static func makeChild() {
        let child = fork()
        if child == 0 {
            close(0)
            close(1)
            while true { pause() }
        }
        say("F \(child)")
    }

    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        // A line is shorter than what a pipe takes in one piece.
        guard write(1, line, line.count) == line.count else { exit(0) }
    }
}

/// The file in which accessors leave their traces: appended to, so that its order is the order of
/// events.
struct Journal {
    private let descriptor: Int32

    init(directory: String) {
        descriptor = open(directory + "/journal", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "The journal must be writable")
    }

    func note(_ event: String, place: UInt8) {
        let line = Array("\(event) \(getpid()) \(place)\n".utf8)
        precondition(write(descriptor, line, line.count) == line.count, "The journal is torn")
    }
}
