// SPDX-License-Identifier: Apache-2.0
//
// Taking all places besides the one in which a server is. The server does this when it has the
// role, before it looks at any ledger, and again when a place appears later: a login makes
// /run/user/UID.

import FileCoordinationLedger
import FileCoordinationSystem

/// The stand-ins of one server.
struct StandIns: Sendable {
    private var standIns: [StandIn] = []

    /// Takes each place of `runtime` that can be had and is not taken yet.
    ///
    /// Throws if processes of this user meet in one of them: then there must be no server here.
    ///
    /// - Parameter givesWay: whether a living server that has lost its directory, and will make it
    ///   anew in a moment, is waited for (`busy`): it alone knows all of its clients.
    mutating func complete(
        for runtime: RuntimeDirectory, givesWay: Bool = false
    ) throws(RuntimeDirectoryError) {
        guard !runtime.places.isChosen, let home = StandIn.Home(runtime.path) else { return }
        standIns.removeAll { !$0.isInPlace }
        for path in runtime.places.paths where path != runtime.path {
            if standIns.contains(where: { $0.path == path }) { continue }
            if let fresh = try Self.take(path, for: home, runtime, givesWay) {
                standIns.append(fresh)
            }
        }
    }

    /// Whether any of them keeps others out.
    var isHeld: Bool { standIns.contains { $0.isInPlace } }

    /// Removes the files: the server's place is free for all.
    func remove() { for standIn in standIns { standIn.remove() } }

    /// How often a place may change under our hands before it is left alone.
    private static let attempts = 100

    private static func take(
        _ path: String, for home: StandIn.Home, _ runtime: RuntimeDirectory, _ givesWay: Bool
    ) throws(RuntimeDirectoryError) -> StandIn? {
        for _ in 0..<attempts {
            switch PlaceLook(path, of: runtime.places) {
            case .unusable(.busy): Pause.sleep(nanoseconds: 1_000_000)
            case .unusable: return nil
            case .served, .inhabited: throw .divided(home.path, path)
            case .deserted(let directory): try clear(directory, for: home)
            case .standIn(let other, isHeld: true):
                guard other == home else { throw .divided(home.path, other.path) }
                // The same place: its server is deposed, and stopped, or has lost its directory.
                if givesWay, !StandIn.isHolderStopped(path) { throw .busy(path) }
                StandIn.removeDeposed(path)
            case .standIn, .vacant:
                do throws(SystemError) {
                    if let standIn = try StandIn.take(path, for: home) { return standIn }
                } catch {
                    // A directory has come, or what is there is another user's; else no way to it.
                    guard error.code == ErrorNumber.isADirectory else { return nil }
                }
            }
        }
        return nil
    }

    /// Removes a directory that no living process uses.
    private static func clear(
        _ directory: RuntimeDirectory, for home: StandIn.Home
    ) throws(RuntimeDirectoryError) {
        let path = directory.path
        guard let (around, name) = RuntimeDirectory.parentAndName(of: path) else { return }
        let aside = name + ".old-" + String(UInt64.random(in: .min ... .max), radix: 36)
        do throws(SystemError) {
            let parent = try Directory.open(around)
            try parent.rename(name, to: aside, ifTaken: .refuse)
            // A process that comes now looks, after it has its ledger, whether that is in place.
            if directory.isServed || directory.isInhabited {
                try parent.rename(aside, to: name, ifTaken: .refuse)
                throw SystemError(code: ErrorNumber.alreadyExists, operation: "clear \(path)")
            }
            for entry in try directory.ledgers.names() { try? directory.ledgers.remove(entry) }
            try? directory.directory.removeSubdirectory(RuntimeDirectory.Name.ledgers)
            for entry in try directory.directory.names() { try? directory.directory.remove(entry) }
            try? parent.removeSubdirectory(aside)
        } catch {
            // Another server was faster; else it cannot be taken away.
            guard error.code == ErrorNumber.noSuchFile else { throw .divided(home.path, path) }
        }
    }
}
