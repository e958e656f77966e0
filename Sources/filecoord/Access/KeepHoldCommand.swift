// SPDX-License-Identifier: Apache-2.0
//
// A hidden command that the FileCoordination library starts when a program wants its access held
// after its own end (Rule 18.13). It joins the access that a join token describes, confirms that on
// descriptor 3, and holds the access until the given process has ended.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Keeps an access that another process holds.
struct KeepHoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: HoldKeeper.command,
        abstract: "Keep access that another program has handed down; it starts this by itself.",
        shouldDisplay: false)

    @Argument(help: "What is to be kept.")
    var joinToken: String

    @Argument(help: "The process that it is kept for.")
    var process: Int32?

    /// The limit of the wait.
    ///
    /// Joining an access may require asking presenters once more.
    private static let patience = Duration.seconds(60)

    func run() throws {
        guard fcntl(HoldKeeper.descriptor, F_GETFD) >= 0, let joinToken = JoinToken(text: joinToken)
        else { throw ValidationError("Programs start this by themselves.") }
        do {
            // The handle is opened before the access is confirmed, while the process ID surely
            // still belongs to that process.
            let handle = try process.map { try ProcessHandle(processID: $0) }
            ProcessLabel.text = joinToken.label
            let access = try CoordinatedAccess(
                joinToken.requests, in: Session.current(),
                purpose: Purpose(identifying: joinToken.purpose),
                supplement: RecordSupplement(outer: joinToken.surroundings.claims))
            switch access.wait(timeout: Self.patience) {
            case .granted: access.run { _ in keep(until: handle) }
            case .failed(let failure): say("\(failure)")
            case .cancelled, .timedOut: say("the access could not be joined")
            }
        } catch {
            say("\(error)")
        }
    }

    private func keep(until process: ProcessHandle?) {
        say(HoldKeeper.granted)
        let isConfirmed = EndOfHold.readToEnd(of: HoldKeeper.descriptor)
        // If nothing was read, the program that was to hand the access over has failed or died.
        guard let process, isConfirmed else { return }
        while !process.hasExited {
            var end = pollfd(fd: process.descriptor.number, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&end, 1, -1)
        }
    }

    private func say(_ text: String) {
        let bytes = Array(text.utf8.prefix(1024))
        // If the other end is closed, the wait for its end will notice that.
        _ = unsafe send(HoldKeeper.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
