// SPDX-License-Identifier: Apache-2.0
//
// A process that holds an access on behalf of others (Rule 18.13). A claim ends with the process
// that made it, so one that is to outlast this program is another process's: `filecoord` joins the
// access, and holds it until the processes that it is for have ended. It tells them by a socket, of
// which this process has the other end and they inherit copies, or by their numbers.

import FileCoordinationServer
package import FileCoordinationSystem
import Glibc

/// A process that has joined an access, and keeps it.
package struct HoldKeeper: Sendable {
    /// The other end of its socket.
    private let socket: SequencedSocket

    /// The name of the hidden command of `filecoord` that keeps an access.
    package static let command = "keep-hold"
    /// Where the keeper has its end of the socket.
    package static let descriptor: Int32 = 3
    /// What the keeper says when it has joined; anything else is why it has not.
    package static let granted = "granted"
    /// How long the keeper may take: presenters may be asked once more.
    private static let patience = Duration.seconds(90)

    /// Why nothing keeps it.
    package struct KeeperFailure: Error {
        /// A part of a sentence.
        package let reason: String
    }

    // MARK: Starting one

    /// Starts a keeper; returns when it has joined the access.
    ///
    /// Blocks the thread for that long.
    ///
    /// - Parameter process: until whose end it holds the access; nil: as long as any process has a
    ///   copy of ``inheritableDescriptor()``.
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
        // Closed here: our copy of it must not keep us waiting for a keeper that has died.
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

    /// Has it hold the access until the end of the process that was named, whatever becomes of this
    /// process; returns whether it will.
    package func confirm() -> Bool {
        // It ends if it cannot be told: then nothing keeps the access.
        (try? socket.send(Array("go".utf8))) ?? false
    }

    /// The end of the socket as children may inherit it.
    ///
    /// The keeper ends when no process has a copy.
    package func inheritableDescriptor() throws(SystemError) -> Descriptor {
        let copy = fcntl(socket.descriptor.number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard copy >= 0 else { throw SystemError(code: errno, operation: "copy a descriptor") }
        return Descriptor(adopting: copy)
    }

    // MARK: Finding the program

    private static let name = "filecoord"

    /// `$FILECOORD`, beside the executable, in the PATH (not for root), or where systems have it.
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
