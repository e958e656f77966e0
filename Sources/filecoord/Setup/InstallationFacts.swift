// SPDX-License-Identifier: Apache-2.0
//
// Collects the facts about what is installed, for `filecoord doctor`: the daemon's version, the
// file that the running daemon was started from, and the units of systemd. It judges nothing, and
// starts no server.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// What is installed beside this program.
struct InstallationFacts: Hashable, Sendable {
    /// The version of this program.
    var version = SoftwareVersion.number
    /// The version that the daemon says it has, or nil if it says none.
    var daemonVersion: String?
    /// Which file the running daemon was started from, if one runs and can be looked at.
    var running: RunningDaemon?
    /// The units of systemd, or nil if no service manager runs for this user.
    var units: DaemonUnits?

    /// The daemon that runs.
    struct RunningDaemon: Hashable, Sendable {
        var processID: Int32
        var path: String
        /// Whether it is the file that the next program would start.
        var isInstalled: Bool
    }

    static func gather(daemon: String?, server: ServerStatus?) -> InstallationFacts {
        InstallationFacts(
            daemonVersion: daemon.flatMap(version(of:)),
            running: server.flatMap { running($0, daemon) }, units: DaemonUnits.gather())
    }

    /// The version in an answer of the form "filecoordinationd 1.2.3".
    private static func version(of daemon: String) -> String? {
        guard let answer = ProgramAnswer.of([daemon, "--version"]) else { return nil }
        let words = answer.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0] == "filecoordinationd" else { return nil }
        return String(words[1])
    }

    private static func running(_ server: ServerStatus, _ daemon: String?) -> RunningDaemon? {
        let process = server.processID
        guard server.kind == .daemon, !ProcessNumber.isOfAnotherNamespace(process),
            let path = CurrentProcess.executablePath(of: process),
            // It may have been replaced, so its path is not enough.
            let file = try? FileStatus(path: "/proc/\(process)/exe")
        else { return nil }
        // A file that cannot be examined counts as another one.
        let installed = daemon.flatMap { try? FileStatus(path: $0) }
        return RunningDaemon(
            processID: process, path: path,
            isInstalled: installed?.inode == file.inode && installed?.device == file.device)
    }
}

/// The state of the units filecoordinationd.socket and filecoordinationd.service.
struct DaemonUnits: Hashable, Sendable {
    /// The state of one unit, in systemd's words.
    struct Unit: Hashable, Sendable {
        var load: String
        var active: String
        var result = "success"
    }

    var socket: Unit
    var service: Unit
    /// The daemon that the service starts.
    var executable: String?

    private static let programs = ["/usr/bin/systemctl", "/bin/systemctl"]

    /// Asks the service manager of this user, if it runs.
    static func gather() -> DaemonUnits? {
        let login = "/run/user/\(CurrentProcess.outerUserID)"
        guard unsafe access(login + "/systemd/private", F_OK) == 0,
            let systemctl = programs.first(where: {
                unsafe access($0, X_OK) == 0
            }),
            let answer = ProgramAnswer.of(
                [
                    systemctl, "--user", "show",
                    "--property=Id,LoadState,ActiveState,Result,ExecStart",
                    "filecoordinationd.socket", "filecoordinationd.service",
                ], environment: ["XDG_RUNTIME_DIR": login])
        else { return nil }
        return DaemonUnits(answer)
    }

    /// Reads the properties of both units: lines of the form NAME=VALUE, with an empty line between
    /// the units.
    init?(_ answer: String) {
        var units: [String: [String: String]] = [:]
        for block in answer.split(separator: "\n\n") {
            var properties: [String: String] = [:]
            for line in block.split(separator: "\n") {
                guard let equals = line.firstIndex(of: "=") else { continue }
                properties[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
            properties["Id"].map { units[$0] = properties }
        }
        guard let socket = Unit(units["filecoordinationd.socket"]),
            let service = Unit(units["filecoordinationd.service"])
        else { return nil }
        (self.socket, self.service) = (socket, service)
        // { path=/usr/bin/filecoordinationd ; argv[]=… }
        let start = units["filecoordinationd.service"]?["ExecStart"] ?? ""
        executable = start.split(separator: " ").first { $0.hasPrefix("path=") }.map {
            String($0.dropFirst("path=".count))
        }
    }

    init(socket: Unit, service: Unit, executable: String?) {
        (self.socket, self.service, self.executable) = (socket, service, executable)
    }
}

extension DaemonUnits.Unit {
    fileprivate init?(_ properties: [String: String]?) {
        guard let load = properties?["LoadState"], let active = properties?["ActiveState"] else {
            return nil
        }
        self.init(load: load, active: active, result: properties?["Result"] ?? "success")
    }
}
