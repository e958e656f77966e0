// SPDX-License-Identifier: Apache-2.0
//
// Decides which clients may use an inotify instance for watching directories. The kernel allows
// each user about a hundred instances for all programs. The server gives a quarter of them to its
// first clients.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// The permissions to use an inotify instance.
struct WatchAllowance {
    /// The number of clients that may have one.
    private let limit = Self.instances / 4
    private var holders: Set<ClientID> = []

    /// Permits a client if the limit is not reached.
    ///
    /// A former server may have done so already.
    mutating func admit(_ client: Client) {
        if !client.ledger.mayWatch {
            guard holders.count < limit else { return }
            client.ledger.permitWatching()
        }
        holders.insert(client.id)
    }

    /// Withdraws the permission of a client that is gone.
    mutating func forget(_ client: Client) { holders.remove(client.id) }

    /// The kernel's limit for this user; 0 if it cannot be read.
    private static var instances: Int {
        // A limit that cannot be read counts as 0: no client may watch.
        guard let directory = try? Directory.open("/proc/sys/fs/inotify"),
            let file = try? directory.openFile("max_user_instances", .read)
        else { return 0 }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count =
            // A limit that cannot be read counts as 0, as one that cannot be opened.
            unsafe bytes.withUnsafeMutableBytes { try? unsafe file.read(into: $0, at: 0) } ?? 0
        let digits = bytes.prefix(count).prefix { (48...57).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }
}
