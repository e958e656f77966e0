// SPDX-License-Identifier: Apache-2.0
//
// Finds and starts `filecoordinationd`. A daemon is a better server than an application, because no
// crash, fork or debugger of an application can stop it. It must not become a child of the
// application that starts it: it gets its own session and standard streams, and the application
// does not have to reap it.

import FileCoordinationSystem

/// The daemon's executable and environment, and how to start it.
package struct DaemonLauncher: Sendable {
    /// The daemon's executable, if there is one.
    package let executable: String?
    /// The service manager's socket, if the manager is to be asked first.
    package let activation: DaemonActivation?
    /// The environment variables for the daemon, each as `NAME=value`.
    private let environment: [String]

    /// The argument that tells the daemon that its starter holds the election lock and waits for a
    /// byte on descriptor 3.
    package static let electedFlag = "--elected"

    /// Looks for the daemon: `$FILECOORDINATIOND`, then beside this executable, in `PATH` and in
    /// libexec.
    ///
    /// A program with set-user-ID rights or capabilities looks only in libexec, one of root not in
    /// `PATH`.
    ///
    /// An empty `$FILECOORDINATIOND` means that no daemon is used and the program itself serves.
    /// Where the variable is not set, and the user's service manager offers to start the daemon, it
    /// is asked first.
    ///
    /// - Parameter environment: the variables, each as `NAME=value`. They are searched as they are,
    ///   because building a dictionary would take as long as everything else here.
    /// - Returns: the launcher; nil if there is no daemon.
    package static func find(environment: [String]) -> DaemonLauncher? {
        guard !CurrentProcess.hasBorrowedRights else {
            return libexec.first(where: isExecutable).map {
                DaemonLauncher(executable: $0, activation: nil, environment: [])
            }
        }
        if let chosen = value(of: "FILECOORDINATIOND", in: environment) {
            guard !chosen.isEmpty, isExecutable(chosen) else { return nil }
            return DaemonLauncher(
                executable: chosen, activation: nil, environment: environment)
        }
        let executable = firstExecutable(path: value(of: "PATH", in: environment) ?? "")
        let activation = DaemonActivation.find()
        guard executable != nil || activation != nil else { return nil }
        return DaemonLauncher(
            executable: executable, activation: activation, environment: environment)
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

    /// Starts the daemon and waits until it listens, for ``DaemonStart/patience`` at most.
    func start(in runtime: RuntimeDirectory, meanwhile isHeard: () -> Bool) -> DaemonStart {
        guard let socket = spawn(in: runtime) else { return .died }
        return DaemonStart.outcome(of: socket, meanwhile: isHeard)
    }

    /// Starts the daemon.
    ///
    /// The returned socket receives a byte when the daemon listens, and is closed when the daemon
    /// dies.
    private func spawn(in runtime: RuntimeDirectory) -> SequencedSocket? {
        // This function closes the daemon's end of the pair when it returns. With a copy of that
        // end open, this process would not notice that the daemon has died.
        guard let executable, let (ours, daemons) = try? SequencedSocket.pair() else { return nil }
        // Otherwise the daemon finds the place as its starter does.
        let own = runtime.place.isChosen ? ["FILECOORDINATION_RUNTIME_DIR=" + runtime.path] : []
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

    private static let name = "filecoordinationd"
    private static let libexec = [
        "/usr/local/libexec/filecoordinationd", "/usr/libexec/filecoordinationd",
    ]

    private static func isExecutable(_ path: String) -> Bool { RealPath.isExecutableFile(path) }
}
