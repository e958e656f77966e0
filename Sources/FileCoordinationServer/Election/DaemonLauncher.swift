// SPDX-License-Identifier: Apache-2.0
//
// Finds and starts `filecoordinationd`. A daemon is a better server than an application, because no
// crash, fork or debugger of an application can stop it. It must not become a child of the
// application that starts it: it gets its own session and standard streams, and the application
// does not have to reap it.

import FileCoordinationSystem

/// The daemon's executable and environment, and how to start it.
package struct DaemonLauncher: Sendable {
    /// The daemon's executable.
    package let executable: String
    /// The environment variables for the daemon, each as `NAME=value`.
    private let environment: [String]

    /// How long the daemon may take until it listens, in nanoseconds.
    package static let patience: UInt64 = 3_000_000_000

    /// The argument that tells the daemon that its starter holds the election lock and waits for a
    /// byte on descriptor 3.
    package static let electedFlag = "--elected"

    /// Looks for the daemon: `$FILECOORDINATIOND`, then beside this executable, in `PATH` and in
    /// libexec.
    ///
    /// A process of root or with setuid rights looks only in libexec.
    ///
    /// An empty `$FILECOORDINATIOND` means that no daemon is used and the program itself serves.
    ///
    /// - Parameter environment: the variables, each as `NAME=value`. They are searched as they are,
    ///   because building a dictionary would take as long as everything else here.
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

    /// Returns the value of a variable.
    ///
    /// If it occurs twice, the last one counts.
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

    /// The result of starting the daemon.
    enum Outcome {
        /// The daemon listens.
        case ready
        /// The daemon could not be started, or it ended before it listened.
        case died
        /// The daemon lives but has not reported in time.
        case late
    }

    /// Starts the daemon and waits until it listens, for ``patience`` at most.
    func start(in runtime: RuntimeDirectory) -> Outcome {
        guard let socket = spawn(in: runtime) else { return .died }
        return Self.outcome(of: socket, until: MonotonicClock.now + Self.patience)
    }

    /// Starts the daemon.
    ///
    /// The returned socket receives a byte when the daemon listens, and is closed when the daemon
    /// dies.
    private func spawn(in runtime: RuntimeDirectory) -> SequencedSocket? {
        // This function closes the daemon's end of the pair when it returns. With a copy of that
        // end open, this process would not notice that the daemon has died.
        guard let (ours, daemons) = try? SequencedSocket.pair() else { return nil }
        // If there are several places, the daemon finds the one that its starter uses.
        let own = runtime.places.isChosen ? ["FILECOORDINATION_RUNTIME_DIR=" + runtime.path] : []
        do {
            try DetachedProcess.start(
                executable: executable, arguments: [Self.electedFlag],
                // If a variable occurs twice, the daemon uses the first, but this process the last.
                environment: own + environment.reversed(),
                inheriting: daemons.descriptor)
        } catch {
            return nil
        }
        return ours
    }

    /// Waits until the daemon sends a byte on `socket` or closes it.
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
