// SPDX-License-Identifier: Apache-2.0
//
// Where things are by now. A claim's or a presenter's record is its client's, and says where the
// item was when it was written; what has moved since then is in the host's book, a file beside the
// ledgers. So the next host knows it too, and a claimant looks up there where its item is.
//
//     RUNTIME/places.EPOCH     one entry behind the other; the last one about a record counts
//
// Each host has a file of its own, which begins with what is still true of the former one's. A host
// that was deposed goes on writing into a file that nobody reads.

package import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// The host's book of places.
///
/// Entries of records that are over do no harm, since no ticket is given twice; they go when the
/// file is written anew.
package final class PlaceBook {
    private var directory: Directory
    private let epoch: UInt32
    private var file: Descriptor?
    private var length: UInt64 = 0
    private var rewriteAt = firstRewrite
    private var places: [UInt64: PlaceEntry.Whereabouts] = [:]
    private var heard: [UInt64: UInt32] = [:]

    private static let prefix = "places."
    /// A file up to this length is not worth writing anew.
    private static let firstRewrite: UInt64 = 256 << 10

    /// The book of a host that takes over, with what the former host wrote.
    init(in directory: Directory, epoch: HostEpoch) throws(SystemError) {
        self.directory = directory
        self.epoch = epoch.rawValue
        for entry in try Self.newestEntries(in: directory, below: epoch.rawValue) { note(entry) }
    }

    // MARK: What is known

    /// The items of a claim that were moved while it waited.
    func items(ofClaim ticket: UInt64) -> [AccessItem]? {
        guard case .claim(let items) = places[ticket] else { return nil }
        return items
    }

    /// The place of a presenter that was moved, and whether it is to hear of it.
    func presenter(_ ticket: UInt64) -> (place: ItemPath, isTold: Bool)? {
        guard case .presenter(let place, let isTold) = places[ticket] else { return nil }
        return (place, isTold)
    }

    /// How many bytes of a claim's log have been acted on.
    func heardBytes(ofClaim ticket: UInt64) -> Int { Int(heard[ticket] ?? 0) }

    // MARK: Writing

    /// Notes something down; it is in the file when this returns.
    func write(_ entry: PlaceEntry) throws {
        let bytes = try entry.encodeChecked()
        note(entry)
        guard let file, length < rewriteAt else { return try rewrite() }
        try append(bytes, to: file)
    }

    /// Forgets a record that is over.
    func forget(_ ticket: UInt64) {
        places[ticket] = nil
        heard[ticket] = nil
    }

    /// Forgets all records but these, and begins this host's own file; removes the former hosts'.
    func settle(living: Set<UInt64>) throws(SystemError) {
        places = places.filter { living.contains($0.key) }
        heard = heard.filter { living.contains($0.key) }
        if !places.isEmpty || !heard.isEmpty { try rewrite() }
        let own = Self.name(epoch)
        for name in (try? directory.names()) ?? []
        where name.hasPrefix(Self.prefix) && name != own {
            try? directory.remove(name)
        }
    }

    /// Goes on in another directory.
    func move(to directory: Directory) throws(SystemError) {
        self.directory = directory
        if file != nil { try rewrite() }
    }

    /// Removes the file: nobody is left to read it.
    func remove() { if file != nil { try? directory.remove(Self.name(epoch)) } }

    private func note(_ entry: PlaceEntry) {
        switch entry.whereabouts {
        case .presenter, .claim: places[entry.ticket] = entry.whereabouts
        case .heard(let bytes): heard[entry.ticket] = bytes
        }
    }

    /// Writes all that is known into a new file, and puts it in the old one's place.
    private func rewrite() throws(SystemError) {
        let temporary = Self.name(epoch) + ".new"
        let fresh = try directory.openFile(
            temporary, [.read, .write, .create, .truncate], mode: 0o600)
        length = 0
        var bytes: [UInt8] = []
        for (ticket, whereabouts) in places.sorted(by: { $0.key < $1.key }) {
            bytes += (try? PlaceEntry(ticket: ticket, whereabouts).encodeChecked()) ?? []
        }
        for (ticket, count) in heard.sorted(by: { $0.key < $1.key }) {
            bytes += (try? PlaceEntry(ticket: ticket, .heard(count)).encodeChecked()) ?? []
        }
        try append(bytes, to: fresh)
        try directory.rename(temporary, to: Self.name(epoch))
        file = fresh
        rewriteAt = max(Self.firstRewrite, 2 * length)
    }

    private func append(_ bytes: [UInt8], to file: Descriptor) throws(SystemError) {
        let start = length
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try file.write(buffer, at: start) }
        }
        try result.get()
        length += UInt64(bytes.count)
    }

    // MARK: Reading

    /// Where the items of a claim are by now, for the claimant; nil if the book does not say.
    package static func items(
        ofClaim ticket: UInt64, in runtime: RuntimeDirectory
    ) -> [AccessItem]? {
        // The file may be another host's by the time it is opened: then that one's says the same.
        for _ in 0..<100 {
            guard let entries = try? newestEntries(in: runtime.directory, below: .max) else {
                continue
            }
            let found = entries.last { entry in
                if case .claim = entry.whereabouts { entry.ticket == ticket } else { false }
            }
            if case .claim(let items) = found?.whereabouts { return items }
        }
        return nil
    }

    /// What the newest book says that is older than an epoch.
    private static func newestEntries(
        in directory: Directory, below epoch: UInt32
    ) throws(SystemError) -> [PlaceEntry] {
        let epochs = try directory.names().compactMap { name in
            name.hasPrefix(prefix) ? UInt32(name.dropFirst(prefix.count)) : nil
        }
        guard let newest = epochs.filter({ $0 < epoch }).max() else { return [] }
        let file = try directory.openFile(name(newest), [.read])
        var bytes = [UInt8](repeating: 0, count: Int(try file.status().size))
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try fill(buffer, from: file) }
        }
        return PlaceEntry.entries(decoding: Array(bytes.prefix(try count.get())))
    }

    /// Reads as much as there is; says how much that was.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing Descriptor
    ) throws(SystemError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let more = try file.read(into: rest, at: UInt64(count))
            if more == 0 { break }
            count += more
        }
        return count
    }

    private static func name(_ epoch: UInt32) -> String { prefix + String(epoch) }
}
