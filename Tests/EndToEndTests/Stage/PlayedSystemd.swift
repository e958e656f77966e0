// SPDX-License-Identifier: Apache-2.0
//
// Plays the user's service manager with the unit filecoordinationd.socket:
// it listens where the unit says, and passes the socket to the daemons
// that it starts. The test decides when it starts one.

import Foundation

/// The service manager of the user who is logged in to a machine.
final class PlayedSystemd {
    private let stage: Stage
    private let machine: Machine
    private let listener: Int32

    static let path = "/run/user/0/filecoordinationd.start"

    init(_ stage: Stage, in machine: Machine) throws {
        self.stage = stage
        self.machine = machine
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        let bound = Self.withAddress(machine.outerPath(Self.path)) { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 16) == 0 else {
            throw StageError("the manager cannot listen: \(errno)")
        }
    }

    deinit { close(listener) }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Whether a program waits to be accepted.
    var isAsked: Bool { Self.isReadable(listener, for: 0) }

    private static func isReadable(_ descriptor: Int32, for patience: TimeInterval) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(patience * 1000)) == 1
    }

    /// Waits until a program asks for the daemon.
    func awaitRequest() throws {
        guard Self.isReadable(listener, for: Program.patience) else {
            throw StageError("no program asks for the daemon")
        }
    }

    /// Starts the daemon, as the unit filecoordinationd.service does.
    func startDaemon(_ arguments: String...) throws -> Program {
        // The process number is known only in the started process, so a shell sets LISTEN_PID.
        let script = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\""
        return try stage.start(
            "daemon", ["/bin/sh", "-c", script] + machine.wrapper + [Products.daemon] + arguments,
            environment: ["FILECOORDINATION_RUNTIME_DIR": ""], passing: listener)
    }

    /// Closes the connections that wait, as a manager does whose unit has failed.
    func refuse() throws {
        try awaitRequest()
        close(accept(listener, nil, nil))
    }

    /// Asks for the daemon as a program does; returns whether the daemon says that it serves.
    func ask() throws -> Bool {
        let asker = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        defer { close(asker) }
        let connected = Self.withAddress(machine.outerPath(Self.path)) { connect(asker, $0, $1) }
        guard connected == 0 else { throw StageError("the manager does not listen: \(errno)") }
        guard Self.isReadable(asker, for: Program.patience) else {
            throw StageError("the daemon does not answer")
        }
        var byte: UInt8 = 0
        return recv(asker, &byte, 1, 0) == 1 && byte == 1
    }
}
