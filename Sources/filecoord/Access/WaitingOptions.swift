// SPDX-License-Identifier: Apache-2.0
//
// The options that all claiming commands share: how long to wait, for which purpose, and how much
// to print.

import ArgumentParser
import FileCoordinationArbiter

/// What differs between the commands that wait.
protocol WaitingCommand {
    /// The names of `--nonblock`.
    static var nonblock: NameSpecification { get }
    /// Whether the command runs a COMMAND of the user, of which the texts then speak.
    static var runsCommand: Bool { get }
}

/// A command that can run a COMMAND.
enum WaitingToRun: WaitingCommand {
    static let nonblock: NameSpecification = [.customLong("nonblock"), .customShort("n")]
    static let runsCommand = true
}

/// A command that runs no COMMAND.
enum WaitingToAct: WaitingCommand {
    static let nonblock = WaitingToRun.nonblock
    static let runsCommand = false
}

/// `mv`, which has no short form, because its "-n" already has another meaning.
enum WaitingToMove: WaitingCommand {
    static let nonblock: NameSpecification = .customLong("nonblock")
    static let runsCommand = false
}

/// The options about waiting of a command that can run a COMMAND.
typealias WaitingOptions = WaitingOptionsOf<WaitingToRun>

/// The options about waiting.
struct WaitingOptionsOf<Command: WaitingCommand>: ParsableArguments {
    @Option(
        name: [.long, .customShort("w")], parsing: .unconditional,
        help: ArgumentHelp(
            "Give up after SECONDS of waiting; fractions are allowed."
                + (Command.runsCommand ? " COMMAND may take longer." : ""),
            valueName: "seconds"))
    var timeout: Double?

    @Flag(
        name: Command.nonblock,
        help: "Do not wait at all: give up unless access is granted at once.")
    var nonblock = false

    @Option(
        help: ArgumentHelp(
            "Act for the purpose ID: accesses of one purpose never wait for each other.",
            valueName: "id"))
    var purpose: String?

    @Option(
        help: ArgumentHelp(
            "What others are shown for this access; \(Self.defaultLabel) by default.",
            valueName: "text"))
    var label: String?

    @Flag(
        help: "Wait also for the command around this one, which does not wait for it in turn.")
    var detached = false

    @Option(
        name: .customShort("E"),
        help: ArgumentHelp(
            "Exit with N, not 75, if access is not granted in time; 73=N: with N, not 73, if a "
                + "file is not as --only-if says.", valueName: "n"))
    var statuses: [StatusChoice] = []

    @Flag(name: .shortAndLong, help: "Say nothing about waiting or refusal; the status says it.")
    var quiet = false

    private static var defaultLabel: String {
        Command.runsCommand ? "COMMAND, shortened," : "the name of this command"
    }

    func validate() throws {
        if let complaint = terms.complaint { throw ValidationError(complaint) }
    }

    /// The values of the options.
    var terms: WaitingTerms {
        WaitingTerms(
            timeout: timeout, nonblock: nonblock, purpose: purpose, label: label,
            detached: detached, conflictStatus: status(for: .notGranted),
            staleStatus: status(for: .stale), quiet: quiet)
    }

    private func status(for status: ExitStatus) -> UInt8 {
        statuses.last { $0.replaced == status }?.status ?? UInt8(status.rawValue)
    }
}

/// An exit status in the place of another one: `N`, `75=N` or `73=N`.
struct StatusChoice: ExpressibleByArgument, Hashable {
    /// The status that is replaced.
    let replaced: ExitStatus
    let status: UInt8

    init?(argument: String) {
        let words = argument.split(separator: "=", omittingEmptySubsequences: false)
        let known: [Substring: ExitStatus] = ["75": .notGranted, "73": .stale]
        guard (1...2).contains(words.count), let status = UInt8(words[words.count - 1]),
            let replaced = words.count == 1 ? .notGranted : known[words[0]]
        else { return nil }
        self.replaced = replaced
        self.status = status
    }
}

/// How to wait for access, as the options say.
struct WaitingTerms: Hashable {
    var timeout: Double?
    var nonblock = false
    var purpose: String?
    /// The label that other programs are shown for the access (Rule 18.15).
    var label: String?
    /// Whether no command around this one waits for this one.
    var detached = false
    /// The exit status if access is not granted in time.
    var conflictStatus = UInt8(ExitStatus.notGranted.rawValue)
    /// The exit status if an item is not as the user has seen it.
    var staleStatus = UInt8(ExitStatus.stale.rawValue)
    var quiet = false

    /// Returns what is wrong with the options, as text for the user, or nil if nothing is.
    var complaint: String? {
        if let timeout {
            guard timeout >= 0, timeout < 1e9 else {
                return "--timeout takes seconds, 0 or more."
            }
            guard !nonblock else { return "Use --timeout or --nonblock, not both." }
        }
        if let purpose, !(1...1024).contains(ArgumentText.decode(purpose).count) {
            return "--purpose takes an identifier of 1 to 1024 bytes."
        }
        return nil
    }

    /// How long to wait.
    var patience: WaitLimit {
        guard !nonblock, timeout != 0 else { return .none }
        return timeout.map { .bounded(.seconds($0)) } ?? .endless
    }

    /// Returns the purpose that the user gave, or a new one (Rule 4.1).
    func makePurpose() -> Purpose {
        Purpose(bytes: ArgumentText.decode(purpose ?? Self.freshPurpose()))
    }

    private static func freshPurpose() -> String {
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return "filecoord-" + String(high, radix: 16) + "-" + String(low, radix: 16)
    }
}

/// How long to wait for access.
enum WaitLimit: Hashable {
    /// Not at all: access is granted at once or refused.
    case none
    /// At most this long.
    case bounded(Duration)
    /// Until it is granted, as NSFileCoordinator does (Rule 2.22).
    case endless
}
