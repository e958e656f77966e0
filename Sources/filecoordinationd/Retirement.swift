// SPDX-License-Identifier: Apache-2.0
//
// What is left to do before the daemon is uninstalled: end the one that serves, and remove the
// directory in which programs met. After an upgrade, only a daemon that no program uses is ended:
// programs of its version could not use the next one. Programs that coordinate when the daemon is
// uninstalled are not disturbed: they choose a server among themselves, and their directory stays.

import FileCoordinationServer
import FileCoordinationSystem
import Glibc

enum Retirement {
    /// How long a daemon may take to end.
    private static let patience: Duration = .seconds(5)

    /// Ends the daemon of this user, and removes the place, unless programs use it.
    ///
    /// Returns a sentence for the user if the place is used.
    static func retire(_ place: RuntimePlace) -> String? {
        endDaemon(at: place, onlyIfIdle: false)
        switch place.use {
        case .vacant, .unusable: return nil
        case .served(let directory), .inhabited(let directory):
            return remark(on: directory)
        case .deserted(let directory):
            // If it was removed meanwhile, or cannot be, there is nothing else to do.
            return (try? directory.removeIfUnused()) == false ? remark(on: directory) : nil
        }
    }

    /// Ends the daemon of this user if it runs this executable or a former file of the same name.
    ///
    /// With `onlyIfIdle`, only if no program uses it.
    static func endDaemon(at place: RuntimePlace, onlyIfIdle: Bool) {
        guard case .served(let directory) = place.use,
            // A directory without a settled folder may be used by programs that have no name there.
            !onlyIfIdle || !directory.isInhabited && directory.isSettled,
            let number = directory.lastServer, number != CurrentProcess.id,
            // The process has ended.
            let process = try? ProcessHandle(processID: number)
        else { return }
        // A process that is about to end has no executable any more, but still its locks.
        guard let path = CurrentProcess.executablePath(of: number) else {
            return awaitEnd(of: process)
        }
        guard path == CurrentProcess.executablePath else { return }
        // It may have ended meanwhile.
        try? process.kill(signal: SIGTERM)
        awaitEnd(of: process)
    }

    private static func remark(on directory: RuntimeDirectory) -> String {
        let path = directory.path
        let server = directory.isServed ? directory.lastServer : nil
        if let server, let daemon = CurrentProcess.executablePath(of: server),
            let own = CurrentProcess.executablePath, name(of: daemon) == name(of: own)
        {
            // It is stopped, or was started again meanwhile.
            guard daemon != own else {
                return "the daemon still serves in \(path): process \(server) is stopped or was "
                    + "started again; this directory stays until the process ends"
            }
            return "a daemon of another installation serves in \(path): \(daemon), process "
                + "\(server); it goes on and this directory stays"
        }
        // Programs that have lost the daemon may not have chosen another server yet.
        let service = server.map { ", served by process \($0)," } ?? ""
        return "programs that still run coordinate in \(path): they go on\(service) and this "
            + "directory stays"
    }

    private static func name(of path: String) -> Substring? { path.split(separator: "/").last }

    private static func awaitEnd(of process: ProcessHandle) {
        // Without a poller, its end is not waited for.
        guard let poller = try? Poller(),
            (try? poller.add(process.descriptor, token: 0, .readable)) != nil
        else { return }
        var ready: [Poller.Ready] = []
        // If the daemon is stopped, it keeps its place, which is then reported.
        _ = try? poller.wait(into: &ready, until: MonotonicClock.after(patience))
    }
}
