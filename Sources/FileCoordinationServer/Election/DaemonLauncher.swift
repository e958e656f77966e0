// SPDX-License-Identifier: Apache-2.0
//
// Finding and starting `filecoordinationd`. A daemon is a better server than an application: no
// application's crash, fork or debugger can stop it. It must not become the application's child:
// it gets a session and standard streams of its own and no process of the application reaps it.

import FileCoordinationSystem

/// Knows where the daemon is and how to start it.
package struct DaemonLauncher: Sendable {
    /// The daemon's executable.
    package let executable: String
    /// The variables that it is given, each as `NAME=value`.
    private let environment: [String]

    /// How long a daemon may take until it listens, in nanoseconds.
    package static let patience: UInt64 = 3_000_000_000

    /// The word in its arguments that tells the daemon that its starter holds the election lock,
    /// and waits for a byte on descriptor 3.
    package static let electedFlag = "--elected"

    /// Looks for the daemon: `$FILECOORDINATIOND`, beside the executable, `PATH` unless root or
    /// setuid, libexec.
    ///
    /// An empty `$FILECOORDINATIOND` means: none, server in the program itself.
    ///
    /// - Parameter environment: variables, each as `NAME=value`; no table is made of them, which
    ///   takes as long as all the rest.
    package static func find(environment: [String]) -> DaemonLauncher? {
        guard !CurrentProcess.hasBorrowedRights else {
            return libexec.first(where: isExecutable).map {
                DaemonLauncher(executable: $0, environment: [])
            }
        }
        if let chosen = value(of: "FILECOORDINATIOND", in: environment) {
            guard !chosen.isEmpty, isExecutable(chosen) else { return nil }
            return DaemonLauncher(executable: chosen, environment: environment)
        }
        return firstExecutable(path: value(of: "PATH", in: environment) ?? "").map {
            DaemonLauncher(executable: $0, environment: environment)
        }
    }

    /// The value of a variable; of two with one name the last counts.
    private static func value(of name: String, in environment: [String]) -> String? {
        let start = name + "="
        return environment.last { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    private static func firstExecutable(path: String) -> String? {
        if let own = CurrentProcess.executablePath, let slash = own.lastIndex(of: "/") {
            let beside = String(own[...slash]) + name
            if isExecutable(beside) { return beside }
        }
        if CurrentProcess.effectiveUserID != 0 {
            for directory in path.split(separator: ":") {
                let candidate = String(directory) + "/" + name
                if candidate.utf8.first == UInt8(ascii: "/"), isExecutable(candidate) {
                    return candidate
                }
            }
        }
        return libexec.first(where: isExecutable)
    }

    /// What came of starting the daemon.
    enum Outcome {
        /// It listens.
        case ready
        /// It could not be started, or ended before it listened.
        case died
        /// It lives, and has not said anything in time.
        case late
    }

    /// Starts the daemon and waits a bounded time until it listens.
    func start(in runtime: RuntimeDirectory) -> Outcome {
        guard let socket = spawn(in: runtime) else { return .died }
        return Self.outcome(of: socket, until: MonotonicClock.now + Self.patience)
    }

    /// Starts the daemon; what is returned is told of it when it listens, and ends when it dies.
    private func spawn(in runtime: RuntimeDirectory) -> SequencedSocket? {
        // The daemon's end is closed here when this returns: our copy of it must not keep us
        // waiting for a daemon that has died.
        guard let (ours, daemons) = try? SequencedSocket.pair() else { return nil }
        // Of several places it finds the one where its starter is.
        let own = runtime.places.isChosen ? ["FILECOORDINATION_RUNTIME_DIR=" + runtime.path] : []
        do {
            try DetachedProcess.start(
                executable: executable, arguments: [Self.electedFlag],
                // Of two with one name the first counts where they go, and the last here.
                environment: own + environment.reversed(),
                inheriting: daemons.descriptor)
        } catch {
            return nil
        }
        return ours
    }

    /// Waits for the daemon's word on `socket`.
    static func outcome(of socket: SequencedSocket, until deadline: UInt64?) -> Outcome {
        guard let poller = try? Poller(),
            (try? poller.add(socket.descriptor, token: 0, .readable)) != nil
        else { return .died }
        var ready: [Poller.Ready] = []
        while true {
            switch socket.receiveMessage(limit: 16) {
            case .bytes: return .ready
            case .tooLong, .closed: return .died
            case .wouldBlock: break
            }
            if let deadline, MonotonicClock.now >= deadline { return .late }
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return .died }
        }
    }

    private static let name = "filecoordinationd"
    private static let libexec = [
        "/usr/local/libexec/filecoordinationd", "/usr/libexec/filecoordinationd",
    ]

    private static func isExecutable(_ path: String) -> Bool { RealPath.isExecutableFile(path) }
}
