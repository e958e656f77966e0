// SPDX-License-Identifier: Apache-2.0
//
// Takes all places besides the server's own. The server does this when it has got the role, before
// it reads any ledger, and again when a place appears later, such as /run/user/UID at a login.

import FileCoordinationLedger
import FileCoordinationSystem

/// The stand-ins of one server.
struct StandIns: Sendable {
    private var standIns: [StandIn] = []

    /// Takes each place of a runtime directory that is available and not taken yet.
    ///
    /// - Parameters:
    ///   - runtime: the runtime directory.
    ///   - givesWay: whether to throw `busy` for a living server that has lost its directory and is
    ///     about to restore it. That server alone knows all of its clients.
    /// - Throws: ``RuntimeDirectoryError`` if processes of this user meet in one of the places,
    ///   because then no server may start here.
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

    /// Whether any of the stand-ins is in place.
    var isHeld: Bool { standIns.contains { $0.isInPlace } }

    /// Removes the stand-ins' files, so that a server may start anywhere.
    func remove() { for standIn in standIns { standIn.remove() } }

    /// How often a place may change during an attempt before it is left alone.
    private static let attempts = 100

    private static func take(
        _ path: String, for home: StandIn.Home, _ runtime: RuntimeDirectory, _ givesWay: Bool
    ) throws(RuntimeDirectoryError) -> StandIn? {
        for _ in 0..<attempts {
            switch PlaceState(path, of: runtime.places) {
            case .unusable(.busy): Pause.sleep(nanoseconds: 1_000_000)
            case .unusable: return nil
            case .served, .inhabited: throw .divided(home.path, path)
            case .deserted(let directory): try clear(directory, for: home)
            case .standIn(let other, isHeld: true):
                guard other == home else { throw .divided(home.path, other.path) }
                // This place's former server is deposed and stopped, or dead while its locks exist,
                // or it has lost its directory.
                if givesWay, !StandIn.isHolderGone(path) { throw .busy(path) }
                StandIn.removeDeposed(path)
            case .standIn, .vacant:
                do throws(SystemError) {
                    if let standIn = try StandIn.take(path, for: home) { return standIn }
                } catch {
                    // A directory has appeared. Other errors: the file belongs to another user or
                    // cannot be reached.
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
        var isGone = false
        do throws(SystemError) {
            isGone = try directory.removeIfUnused()
        } catch {
            // If the directory is gone, another server was faster. Otherwise it cannot be removed.
            isGone = error.code == ErrorNumber.noSuchFile
        }
        guard isGone else { throw .divided(home.path, directory.path) }
    }
}
