// SPDX-License-Identifier: Apache-2.0
//
// Collects the facts for `filecoord doctor`. It judges nothing, and changes nothing.

import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationVersions
import FileCoordinationWire
import Glibc

/// The facts about a machine and a user that matter for coordination.
struct MachineFacts: Sendable {
    /// The value of `FILECOORDINATION_RUNTIME_DIR`.
    var chosenDirectory: String?
    /// The path at which programs meet, and whether it is only a substitute for the usual one.
    var place: (path: String, isSubstitute: Bool)
    /// How the place is used.
    var use: PlaceUse
    /// The present arbiter, or nil if no program needs one.
    var arbiter: Result<ServerStatus?, Unanswered>
    /// The value of `FILECOORDINATIOND`; empty means no daemon.
    var chosenDaemon: String?
    /// The path of the daemon that would be started.
    var daemon: String?
    /// What is installed beside this program.
    var installation: InstallationFacts
    /// How many descriptors a process may have.
    var descriptors: Int
    /// The kernel's limits for inotify by name, without those that cannot be read.
    var notifications: [String: Int]
    /// The kernel's release.
    var kernel: String
    /// The features of the kernel that cannot be used.
    var missingFeatures: Set<KernelFeature> = []
    /// The free bytes in the file system of the runtime directory.
    var freeBytes: UInt64?
    /// The directory of the versions, and whether it can be written to.
    var versions: (path: String, isWritable: Bool)

    /// Why the arbiter could not be asked.
    struct Unanswered: Error {
        let text: String
        /// Whether the text says what to do.
        var isAdvice = false
    }

    /// Collects the facts as the user who runs this program.
    static func gather(_ environment: [String: String]) -> MachineFacts {
        let place: RuntimePlace
        let use: PlaceUse
        do throws(RuntimeDirectoryError) {
            place = try RuntimePlace(variable: { environment[$0] })
            use = place.use
        } catch {
            place = RuntimePlace(chosen: "/")
            use = .unusable(error)
        }
        let arbiter = arbiter(use, environment)
        let daemon =
            DaemonLauncher.find(environment: environment.map { "\($0)=\($1)" })?.executable
        let store = String(decoding: CommandServices.shared.versionsPath, as: UTF8.self)
        return MachineFacts(
            chosenDirectory: environment["FILECOORDINATION_RUNTIME_DIR"].flatMap {
                $0.isEmpty ? nil : $0
            },
            place: (place.path, place.isSubstitute), use: use, arbiter: arbiter,
            chosenDaemon: environment["FILECOORDINATIOND"], daemon: daemon,
            installation: InstallationFacts.gather(
                // Without an answer, no server is known.
                daemon: daemon, server: (try? arbiter.get()) ?? nil),
            descriptors: CurrentProcess.descriptorLimit, notifications: notifications,
            kernel: text(at: "/proc/sys/kernel/osrelease") ?? "unknown",
            missingFeatures: KernelFeature.missing,
            freeBytes: freeBytes(place.path), versions: (store, canBeWritten(store)))
    }

    /// Asks the present arbiter, unless there is none: asking would create a directory.
    private static func arbiter(
        _ use: PlaceUse, _ environment: [String: String]
    ) -> Result<ServerStatus?, Unanswered> {
        guard case .served = use else { return .success(nil) }
        do {
            return .success(try StatusClient.ask(environment: environment)?.arbiter)
        } catch is StatusClient.Unanswered {
            return .failure(Unanswered(text: "the server does not answer"))
        } catch let conflict as VersionConflict {
            return .failure(Unanswered(text: "\(conflict)", isAdvice: true))
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

    private static func freeBytes(_ place: String) -> UInt64? {
        for path in [place, parent(of: place)] {
            var status = statvfs()
            if unsafe statvfs(path, &status) == 0 {
                return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
            }
        }
        return nil
    }

    /// Whether the user can write to a directory, or could create it.
    private static func canBeWritten(_ path: String) -> Bool {
        var path = path
        while unsafe access(path, F_OK) != 0, path.count > 1 { path = parent(of: path) }
        return unsafe access(path, W_OK | X_OK) == 0
    }

    private static func parent(of path: String) -> String {
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The first line of a small file in `/proc`, or nil if it cannot be read.
    private static func text(at path: String) -> String? {
        KernelText.read(path).map { String(decoding: $0.prefix { $0 != newline }, as: UTF8.self) }
    }

    private static let newline = UInt8(ascii: "\n")
}
