// SPDX-License-Identifier: Apache-2.0
//
// The log entries of a server. They are values: a test can wait for one, and a daemon prints them.
// The server itself never prints. The configured closure receives them on the server's thread.

package import FileCoordinationWire

/// An entry of the server's log.
package enum ServerLogEntry: Sendable, CustomStringConvertible {
    /// The server has taken the role and listens.
    case serving(epoch: UInt32, recoveredClaims: Int, recoveredPresenters: Int)
    /// The server closed a connection because of its messages or its peer.
    case connectionRefused(processID: Int32, reason: Refusal)
    /// A ledger cannot be read.
    ///
    /// Its client is treated as absent.
    case ledgerRejected(name: String, reason: String)
    /// A client process is dead, and its claims and presenters were freed.
    case clientRemoved(processID: Int32, name: String)
    /// A client has reached a limit.
    ///
    /// It was told so or disconnected.
    case limitReached(processID: Int32, reason: String)
    /// A user has ended a wait by hand: of the process `of`, or for its presenter. `processID` is
    /// the process that gave the order.
    case dismissed(String, of: Int32, processID: Int32, author: String, reason: String)
    /// The socket or the runtime directory vanished and was restored.
    case runtimeDirectoryRestored
    /// Processes of this user also meet in another runtime directory.
    /// The relocation log could not be written, so the next server will not know a move.
    case relocationNotWritten(reason: String)
    /// Changes by programs that do not coordinate are not reported for now.
    case watchingFailed(reason: String)
    /// This process takes the role from a server that is stopped.
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
        case .dismissed(let wait, _, let processID, let author, let reason):
            "\(wait): ended by hand by process \(processID), \(author): \(reason)"
        case .runtimeDirectoryRestored:
            "the socket in the runtime directory had vanished; made it anew"
        case .relocationNotWritten(let reason):
            "could not write down where an item was moved to: \(reason)"
        case .watchingFailed(let reason):
            "programs that do not coordinate are not seen for now: \(reason)"
        case .deposing(let processID):
            "process \(processID), which served, is stopped; taking the role from it"
        case .leaving(let ending):
            "leaving: \(ending.rawValue)"
        }
    }
}

/// The reason why a server left its role.
package enum ServerEnding: String, Sendable {
    /// The server had no client for the configured time.
    case idle = "no program needs this daemon"
    /// A daemon asked for the role.
    case handedOver = "handing over to a daemon"
    /// The program of the server asked it to stop.
    case stopped = "asked to stop"
    /// The runtime directory was removed, and the server could not, or need not, move to another.
    case vanished = "the runtime directory was removed"
    /// Another server has raised the epoch.
    case deposed = "another server has taken the role"
}
