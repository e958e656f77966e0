// SPDX-License-Identifier: Apache-2.0
//
// What every command that claims access has in common: how long to wait, on whose behalf, and how
// much to say about it.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation

/// Options about waiting.
struct WaitingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Give up after SECONDS of waiting; fractions are allowed. COMMAND may take longer.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Do not wait at all: give up unless access is granted at once.")
    var nonblock = false

    @Option(
        help: ArgumentHelp(
            "Act for the purpose ID: accesses of one purpose never wait for each other.",
            valueName: "id"))
    var purpose: String?

    @Option(
        name: .customShort("E"),
        help: ArgumentHelp(
            "Exit with N, not 75, if access is not granted in time.", valueName: "n"))
    var conflictStatus: UInt8 = UInt8(ExitStatus.notGranted.rawValue)

    @Flag(name: .shortAndLong, help: "Do not mention a wait of more than a second.")
    var quiet = false

    func validate() throws {
        if let timeout {
            guard timeout >= 0, timeout < 1e9 else {
                throw ValidationError("--timeout takes seconds, 0 or more.")
            }
            guard !nonblock else {
                throw ValidationError("Use --timeout or --nonblock, not both.")
            }
        }
        if let purpose {
            guard (1...1024).contains(purpose.utf8.count) else {
                throw ValidationError("--purpose takes an identifier of 1 to 1024 bytes.")
            }
        }
    }

    /// How long to wait.
    var patience: Patience {
        guard !nonblock, timeout != 0 else { return .none }
        return timeout.map { .bounded(.seconds($0)) } ?? .endless
    }

    /// The purpose that was asked for, or one of its own (Rule 4.1).
    func makePurpose() -> Purpose { Purpose(purpose ?? UUID().uuidString) }
}

/// How long to wait for access.
enum Patience: Hashable {
    /// Access is granted at once, or not at all.
    case none
    /// For so long.
    case bounded(Duration)
    /// Until it is granted, as the classes do (Rule 2.22).
    case endless
}
