// SPDX-License-Identifier: Apache-2.0
//
// Which clients may have a watch of directories. The kernel gives each user a hundred or so of them
// for all programs; a quarter goes to clients, the first that come.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// Hands out the right to have a watch of directories.
struct WatchAllowance {
    /// How many clients may have one.
    private let limit = Self.instances / 4
    private var holders: Set<ClientID> = []

    /// Lets a client have one if there is one left; a former server may have done so already.
    mutating func admit(_ client: Client) {
        if !client.ledger.mayWatch {
            guard holders.count < limit else { return }
            client.ledger.permitWatching()
        }
        holders.insert(client.id)
    }

    /// Takes it back from a client that is gone.
    mutating func forget(_ client: Client) { holders.remove(client.id) }

    /// How many the user may have; none if that cannot be found out.
    private static var instances: Int {
        guard let directory = try? Directory.open("/proc/sys/fs/inotify"),
            let file = try? directory.openFile("max_user_instances", .read)
        else { return 0 }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = bytes.withUnsafeMutableBytes { try? file.read(into: $0, at: 0) } ?? 0
        let digits = bytes.prefix(count).prefix { (48...57).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }
}
