// SPDX-License-Identifier: Apache-2.0
//
// A process that holds an access for other processes (Rule 18.13). A claim ends with the process
// that filed it, so a hold that must outlast this program needs another process: a `filecoord`
// process joins the access and holds it until certain processes have ended. It learns of their end
// through a socket, of which this process has the other end and the others inherit copies, or
// through a process ID.

import FileCoordinationServer
package import FileCoordinationSystem
import Glibc

/// A process that has joined an access and holds it.
package struct HoldKeeper: Sendable {
    /// This process's end of the socket.
    private let socket: SequencedSocket

    /// The name of the hidden command of `filecoord` that holds an access.
    package static let command = "keep-hold"
    /// The descriptor of the keeper's end of the socket.
    package static let descriptor: Int32 = 3
    /// The message of a keeper that has joined; any other message is an error.
    package static let granted = "granted"
    /// How long the keeper may take, because presenters may be asked again.
    private static let patience = Duration.seconds(90)

    /// Why no keeper could be started.
    package struct KeeperFailure: Error {
        /// The reason, as a part of a sentence.
        package let reason: String
    }

    // MARK: Starting a keeper

    /// Starts a keeper; ``join()`` waits until it has joined the access.
    ///
    /// Blocks the calling thread until its program has started.
    ///
    /// - Parameters:
    ///   - joinToken: the token of the access.
    ///   - process: the keeper holds the access until this process ends; nil: as long as any
    ///     process has a copy of ``inheritableDescriptor()``.
    /// - Throws: ``KeeperFailure`` if `filecoord` is not found or cannot be started.
    package init(
        of joinToken: JoinToken, whileRunning process: Int32? = nil
    ) throws(KeeperFailure) {
        let environment = CurrentProcess.environmentEntries
        guard let program = Self.program(environment) else {
            throw KeeperFailure(
                reason: "filecoord was found neither by $FILECOORD nor beside the program nor in "
                    + "the PATH")
        }
        let (ours, keepers): (SequencedSocket, SequencedSocket)
        do throws(SystemError) {
            (ours, keepers) = try SequencedSocket.pair()
            try DetachedProcess.start(
                executable: program,
                arguments: [Self.command, joinToken.text] + (process.map { ["\($0)"] } ?? []),
                environment: environment.filter { !$0.hasPrefix(SurroundingClaims.variable + "=") },
                inheriting: keepers.descriptor)
        } catch {
            throw KeeperFailure(reason: "\(error)")
        }
        socket = ours
        // This process's copy of the keeper's end is closed here. Otherwise it would not notice
        // that the keeper has died.
        withExtendedLifetime(keepers) {}
    }

    /// Waits until the keeper has joined the access.
    package func join() throws(KeeperFailure) {
        let deadline = MonotonicClock.after(Self.patience)
        do {
            let poller = try Poller()
            try poller.add(socket.descriptor, token: 0, .readable)
            var ready: [Poller.Ready] = []
            while MonotonicClock.now < deadline {
                switch socket.receiveMessage(limit: 1024) {
                case .bytes(let bytes):
                    let text = String(decoding: bytes, as: UTF8.self)
                    guard text != Self.granted else { return }
                    throw KeeperFailure(reason: text)
                case .tooLong, .closed:
                    throw KeeperFailure(reason: "the process that was to keep it ended")
                case .wouldBlock: try poller.wait(into: &ready, until: deadline)
                }
            }
        } catch let error as KeeperFailure {
            throw error
        } catch {
            throw KeeperFailure(reason: "\(error)")
        }
        throw KeeperFailure(reason: "the process that was to keep it did not join it in time")
    }

    /// Makes the keeper hold the access until the end of the given process, whatever happens to
    /// this process.
    ///
    /// Returns whether it will.
    package func confirm() -> Bool {
        // If the keeper cannot be told, it ends, and nothing holds the access.
        (try? socket.send(Array("go".utf8))) ?? false
    }

    /// Returns a copy of this process's end of the socket that children may inherit.
    ///
    /// The keeper ends when no process has a copy.
    package func inheritableDescriptor() throws(SystemError) -> Descriptor {
        let copy = fcntl(socket.descriptor.number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard copy >= 0 else { throw SystemError(code: errno, operation: "copy a descriptor") }
        return Descriptor(adopting: copy)
    }

    // MARK: Finding the program

    private static let name = "filecoord"

    /// Looks for `filecoord`: `$FILECOORD`, beside the executable, in `PATH` (not for root), and in
    /// the usual directories.
    private static func program(_ environment: [String]) -> String? {
        let usual = ["/usr/local/bin/\(name)", "/usr/bin/\(name)"]
        guard !CurrentProcess.hasBorrowedRights else {
            return usual.first(where: RealPath.isExecutableFile)
        }
        let variables = CurrentProcess.environment(of: environment)
        if let chosen = variables["FILECOORD"] {
            return RealPath.isExecutableFile(chosen) ? chosen : nil
        }
        var candidates: [String] = []
        if let own = CurrentProcess.executablePath, let slash = own.lastIndex(of: "/") {
            candidates.append(String(own[...slash]) + name)
        }
        if CurrentProcess.effectiveUserID != 0 {
            let directories = (variables["PATH"] ?? "").split(separator: ":")
            candidates += directories.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        }
        return (candidates + usual).first(where: RealPath.isExecutableFile)
    }
}
