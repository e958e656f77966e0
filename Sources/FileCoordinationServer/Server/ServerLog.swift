// SPDX-License-Identifier: Apache-2.0
//
// What a server has to say to the program that keeps its log. Entries are values, so that a test
// can wait for one and a daemon can print it; the server itself never prints.

package import FileCoordinationWire

/// Something worth a line in the log.
package enum ServerLogEntry: Sendable, CustomStringConvertible {
    /// The server has taken the role and listens.
    case serving(epoch: UInt32, recoveredClaims: Int, recoveredPresenters: Int)
    /// A connection was closed because of what it sent or who it is.
    case connectionRefused(processID: Int32, reason: Refusal)
    /// A ledger could not be read, and its client is treated as absent.
    case ledgerRejected(name: String, reason: String)
    /// A client process is gone; this much of it was freed.
    case clientRemoved(processID: Int32, name: String)
    /// A client has reached a bound, and was told so or let go.
    case limitReached(processID: Int32, reason: String)
    /// The socket or the whole directory vanished and was made anew.
    case runtimeDirectoryRestored
    /// Processes of this user meet in another place, too.
    case worldDivided(RuntimeDirectoryError)
    /// A server after this one will not know of a move.
    case relocationNotWritten(reason: String)
    /// Changes by programs that do not coordinate are not told for now.
    case watchingFailed(reason: String)
    /// The role is taken from a server that is stopped.
    case deposing(processID: Int32)
    /// The server gives up its role.
    case leaving(ServerEnding)

    package var description: String {
        switch self {
        case .serving(let epoch, let claims, let presenters):
            """
            serving, epoch \(epoch); recovered \(claims) claims and \(presenters) presenters from \
            ledgers
            """
        case .connectionRefused(let processID, let reason):
            "closed the connection of process \(processID): \(reason.text)"
        case .ledgerRejected(let name, let reason):
            "ignored the ledger \(name): \(reason)"
        case .clientRemoved(let processID, let name):
            "process \(processID) (\(name)) is gone; freed what it held"
        case .limitReached(let processID, let reason):
            "process \(processID) has reached a limit: \(reason)"
        case .runtimeDirectoryRestored:
            "the socket in the runtime directory had vanished; made it anew"
        case .worldDivided(let error): "\(error)"
        case .relocationNotWritten(let reason):
            "could not write down where an item was moved to: \(reason)"
        case .watchingFailed(let reason):
            "programs that do not coordinate are not seen for now: \(reason)"
        case .deposing(let processID):
            "process \(processID), which served the arbiter, is stopped; taking the role from it"
        case .leaving(let ending):
            "leaving: \(ending.rawValue)"
        }
    }
}

/// Why a server left its role.
package enum ServerEnding: String, Sendable {
    /// It had no client for a while.
    case idle = "no program needs this daemon"
    /// A daemon asked for the role.
    case handedOver = "handing over to a daemon"
    /// Its program asked it to stop.
    case stopped = "asked to stop"
    /// Its directory was removed, and it could not, or need not, be found in another.
    case vanished = "the runtime directory was removed"
    /// Another server has raised the epoch.
    case deposed = "another server has taken the role"
}
