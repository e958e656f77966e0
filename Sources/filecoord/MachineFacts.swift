// SPDX-License-Identifier: Apache-2.0
//
// What `filecoord doctor` looks at. Nothing is judged here, and nothing is changed.

import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationVersions
import FileCoordinationWire
import Glibc

/// The facts about a machine and a user on which coordination depends.
struct MachineFacts: Sendable {
    /// What `FILECOORDINATION_RUNTIME_DIR` names.
    var chosenDirectory: String?
    /// The places where programs may meet, best first, and what is there.
    var places: Result<[PlaceFinding], RuntimeDirectoryError>
    /// Who serves; nil if no program needs a server.
    var arbiter: Result<ArbiterStatus?, Unanswered>
    /// What `FILECOORDINATIOND` names; empty for none.
    var chosenDaemon: String?
    /// The daemon that would be started.
    var daemon: String?
    /// How many descriptors a program may have.
    var descriptors: Int
    /// The kernel's limits of notifications, by name; without those that cannot be read.
    var notifications: [String: Int]
    /// The kernel's release.
    var kernel: String
    /// Whether a process can be held by a descriptor.
    var holdsProcesses: Bool
    /// The bytes that are free where programs meet.
    var freeBytes: UInt64?
    /// Where versions are kept, and whether they can be.
    var versions: (path: String, isWritable: Bool)

    /// Why it is not known who serves.
    struct Unanswered: Error { let text: String }

    /// Looks at this machine, as the user who runs this program.
    static func gather(_ environment: [String: String]) -> MachineFacts {
        let places = Result { () throws(RuntimeDirectoryError) in
            try RuntimePlaces(variable: { environment[$0] }).survey()
        }
        let store = String(decoding: CommandServices.shared.versionsPath, as: UTF8.self)
        return MachineFacts(
            chosenDirectory: environment["FILECOORDINATION_RUNTIME_DIR"].flatMap {
                $0.isEmpty ? nil : $0
            },
            places: places, arbiter: arbiter(places, environment),
            chosenDaemon: environment["FILECOORDINATIOND"],
            daemon: DaemonLauncher.find(environment: environment.map { "\($0)=\($1)" })?.executable,
            descriptors: CurrentProcess.descriptorLimit, notifications: notifications,
            kernel: text(at: "/proc/sys/kernel/osrelease") ?? "unknown",
            // Whatever the error is: without a descriptor deaths are not noticed.
            holdsProcesses: (try? ProcessHandle(processID: CurrentProcess.id)) != nil,
            freeBytes: freeBytes(places), versions: (store, canBeWritten(store)))
    }

    /// Asks who serves, unless no place is served: asking would make a directory.
    private static func arbiter(
        _ places: Result<[PlaceFinding], RuntimeDirectoryError>,
        _ environment: [String: String]
    ) -> Result<ArbiterStatus?, Unanswered> {
        guard case .success(let places) = places, places.contains(where: { $0.use == .served })
        else { return .success(nil) }
        do {
            return .success(try StatusClient.ask(environment: environment)?.arbiter)
        } catch is StatusClient.Unanswered {
            return .failure(Unanswered(text: "the server does not answer"))
        } catch {
            return .failure(Unanswered(text: "\(error)"))
        }
    }

    private static var notifications: [String: Int] {
        var result: [String: Int] = [:]
        for name in ["max_user_instances", "max_user_watches"] {
            result[name] = text(at: "/proc/sys/fs/inotify/" + name).flatMap { Int($0) }
        }
        return result
    }

    private static func freeBytes(
        _ places: Result<[PlaceFinding], RuntimeDirectoryError>
    ) -> UInt64? {
        guard case .success(let places) = places, let first = places.first else { return nil }
        let existing = [first.path, parent(of: first.path)]
        for path in existing {
            var status = statvfs()
            if statvfs(path, &status) == 0 {
                return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
            }
        }
        return nil
    }

    /// Whether a directory can be written to, or could be made.
    private static func canBeWritten(_ path: String) -> Bool {
        var path = path
        while access(path, F_OK) != 0, path.count > 1 { path = parent(of: path) }
        return access(path, W_OK | X_OK) == 0
    }

    private static func parent(of path: String) -> String {
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The first line of a small file of the kernel's; nil if it cannot be read.
    private static func text(at path: String) -> String? {
        KernelText.read(path).map { String(decoding: $0.prefix { $0 != newline }, as: UTF8.self) }
    }

    private static let newline = UInt8(ascii: "\n")
}
