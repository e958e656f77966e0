// SPDX-License-Identifier: Apache-2.0
//
// The relocation log has the current paths of items that were moved. A record in a client's ledger
// says where an item was when the client wrote the record. The server writes later moves into this
// log, a file beside the ledgers. The next server reads it, and a claimant looks up the paths of
// its items in it.
//
//     RUNTIME/places.EPOCH     entries in order of writing; the last one about a record counts
//
// Each server has its own file, which begins with the valid entries of the former one. A deposed
// server may go on writing to a file that no process reads any more.

package import FileCoordinationArbiter
package import FileCoordinationLedger
package import FileCoordinationSystem
package import FileCoordinationWire

/// The relocation log, in memory and as a file.
///
/// Only the server's thread writes to it.
///
/// Entries about ended records are harmless, because no serial number is used twice. They are
/// dropped when the file is rewritten.
package final class RelocationLog {
    private var directory: Directory
    private let epoch: UInt32
    private var file: Descriptor?
    private var length: UInt64 = 0
    private var rewriteAt = firstRewrite
    private var places: [UInt64: RelocationEntry.Relocation] = [:]
    private var handled: [UInt64: UInt32] = [:]
    private var moved: [UInt64: MovedItems] = [:]
    /// Ended records that their clients do not have back yet.
    private var over: Set<UInt64> = []
    /// What clients have added to the package policy, so that the next server announces it, too.
    package private(set) var addedPackages: [UInt8] = []

    private static let prefix = "places."
    private static let temporarySuffix = ".new"
    /// A file up to this length is not rewritten.
    private static let firstRewrite: UInt64 = 256 << 10
    /// The file is read up to this length; no server writes as much.
    private static let longestRead: UInt64 = 128 << 20
    /// How often a reader looks again for a file that is being replaced.
    private static let mostAttempts = 100
    /// The pause before it looks again: a server replaces the file meanwhile.
    private static let pause: Duration = .milliseconds(1)

    /// Creates the log of a new server and reads what the former server wrote.
    package init(in directory: Directory, epoch: ServerEpoch) throws(SystemError) {
        self.directory = directory
        self.epoch = epoch.rawValue
        try read()
    }

    /// Reads what the former server has written until now.
    package func read() throws(SystemError) {
        for entry in try Self.newestEntries(in: directory, below: epoch) { apply(entry) }
    }

    // MARK: What is known

    /// The current items of a claim whose items were moved while it waited, or nil.
    package func items(ofClaim serial: UInt64) -> [AccessItem]? {
        guard case .claim(let items) = places[serial] else { return nil }
        return items
    }

    /// Where the items of a running claim are that a claim inside it has moved; nil if none has.
    package func movedItems(ofClaim serial: UInt64) -> MovedItems? { moved[serial] }

    /// The current path of a presenter that was moved, and whether it is told about the move.
    package func presenter(_ serial: UInt64) -> (place: ItemPath, isTold: Bool)? {
        guard case .presenter(let place, let isTold) = places[serial] else { return nil }
        return (place, isTold)
    }

    /// The number of bytes of a claim's log that have been handled.
    package func handledBytes(ofClaim serial: UInt64) -> Int { Int(handled[serial] ?? 0) }

    // MARK: Writing

    /// Writes entries, all or none: when this returns, they are in the file.
    package func write(_ entries: [RelocationEntry]) throws {
        Failpoint.reach(.before, .writesRelocations)
        defer { Failpoint.reach(.after, .writesRelocations) }
        let bytes = try RelocationEntry.encodeChecked(entries)
        for entry in entries { apply(entry) }
        guard let file, length < rewriteAt else { return try rewrite() }
        do {
            try append(bytes, to: file)
        } catch {
            // No reader reads beyond an incomplete entry, so the next write creates a new file.
            rewriteAt = 0
            throw error
        }
    }

    /// Marks a record as ended.
    ///
    /// What is known of it stays until its client has the record back. If another server takes over
    /// before that, it finds the record and must not handle its announcements again.
    package func end(_ serial: UInt64) {
        // In most cases nothing has moved.
        if places.isEmpty, handled.isEmpty, moved.isEmpty { return }
        over.insert(serial)
    }

    /// Discards the ended records, because their clients have them back.
    package func forgetOver() {
        if over.isEmpty { return }
        for serial in over {
            places[serial] = nil
            handled[serial] = nil
            moved[serial] = nil
        }
        over = []
    }

    /// Discards all records except the given and the ended ones, creates this server's own file and
    /// removes former ones.
    ///
    /// The file is created even if it is empty. Otherwise the file of a deposed server, which may
    /// be rewritten at any time, could be taken for the newest.
    ///
    /// If it cannot be created, the former files stay, and the next write creates it.
    package func begin(living: Set<UInt64>) throws(SystemError) {
        let kept = living.union(over)
        places = places.filter { kept.contains($0.key) }
        handled = handled.filter { kept.contains($0.key) }
        moved = moved.filter { kept.contains($0.key) }
        try rewrite()
        // Files that cannot be removed now are removed at the next takeover; here and below.
        for name in (try? directory.names()) ?? [] {
            // A file that stays is removed at the next takeover.
            if let other = Self.epoch(ofFile: name), other < epoch { try? directory.remove(name) }
        }
    }

    /// Continues in another directory.
    func move(to directory: Directory) throws(SystemError) {
        self.directory = directory
        if file != nil { try rewrite() }
    }

    /// Removes the file, because no process is left to read it.
    func remove() { if file != nil { try? directory.remove(Self.name(epoch)) } }

    /// Removes the files of all servers, including their ticket queues, because no ledger refers to
    /// them.
    static func removeAll(from directory: Directory) {
        // Logs that cannot be removed are ignored, because no ledger refers to them. Here and
        // below.
        for name in (try? directory.names()) ?? [] where name.hasPrefix(prefix) {
            try? directory.remove(name)
        }
        // A directory that cannot be listed keeps files to which no ledger refers.
        for name in (try? directory.names()) ?? [] {
            if let epoch = TicketQueueFile.epoch(ofFile: name) {
                TicketQueueFile.remove(epoch: epoch, from: directory)
            }
        }
    }

    private func apply(_ entry: RelocationEntry) {
        switch entry.relocation {
        case .presenter, .claim: places[entry.serial] = entry.relocation
        case .handled(let bytes): handled[entry.serial] = bytes
        case .moved(let items): moved[entry.serial] = items
        case .packages(let lines): addedPackages = lines
        }
    }

    /// Writes everything that is valid into a new file and renames that over the old one.
    private func rewrite() throws(SystemError) {
        let temporary = Self.name(epoch) + Self.temporarySuffix
        let fresh = try directory.openFile(
            temporary, [.read, .write, .create, .truncate], mode: 0o600)
        var entries = places.sorted { $0.key < $1.key }.map {
            RelocationEntry(serial: $0.key, $0.value)
        }
        entries += handled.sorted { $0.key < $1.key }.map {
            RelocationEntry(serial: $0.key, .handled($0.value))
        }
        entries += moved.sorted { $0.key < $1.key }.map {
            RelocationEntry(serial: $0.key, .moved($0.value))
        }
        if !addedPackages.isEmpty {
            entries.append(RelocationEntry(serial: 0, .packages(addedPackages)))
        }
        // An entry that cannot be encoded cannot have been written before.
        let bytes = entries.flatMap { (try? RelocationEntry.encodeChecked([$0])) ?? [] }
        try Self.write(bytes, to: fresh, at: 0)
        Failpoint.reach(.before, .replacesRelocations)
        try directory.rename(temporary, to: Self.name(epoch))
        Failpoint.reach(.after, .replacesRelocations)
        file = fresh
        length = UInt64(bytes.count)
        rewriteAt = max(Self.firstRewrite, 2 * length)
    }

    private func append(_ bytes: [UInt8], to file: Descriptor) throws(SystemError) {
        try Self.write(bytes, to: file, at: length)
        length += UInt64(bytes.count)
    }

    private static func write(
        _ bytes: [UInt8], to file: borrowing Descriptor, at start: UInt64
    ) throws(SystemError) {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try unsafe file.write(buffer, at: start) }
        }
        try result.get()
    }

    // MARK: Reading

    /// Returns the current items of a claim, for the claimant; nil if the log does not have them.
    package static func items(
        ofClaim serial: UInt64, in runtime: RuntimeDirectory
    ) -> [AccessItem]? {
        // A directory listing may miss a file that replaces another one concurrently.
        for _ in 0..<mostAttempts {
            // The path is opened anew, because the server may have had to create the directory
            // again.
            let directory = (try? Directory.open(runtime.path)) ?? runtime.directory
            // A log that cannot be read is treated as missing.
            let entries = try? newestEntries(in: directory, below: .max)
            let found = entries?.last { entry in
                if case .claim = entry.relocation { entry.serial == serial } else { false }
            }
            if case .claim(let items) = found?.relocation { return items }
            Pause.sleep(pause)
        }
        return nil
    }

    /// Reads the newest log that is older than an epoch.
    private static func newestEntries(
        in directory: Directory, below epoch: UInt32
    ) throws(SystemError) -> [RelocationEntry] {
        guard let file = try newestFile(in: directory, below: epoch) else { return [] }
        let length = min(try file.status().size, longestRead)
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try unsafe fill(buffer, from: file) }
        }
        bytes.removeLast(bytes.count - (try count.get()))
        return RelocationEntry.entries(decoding: bytes)
    }

    /// Opens the newest log that is older than an epoch; returns nil if there is none.
    private static func newestFile(
        in directory: Directory, below limit: UInt32
    ) throws(SystemError) -> Descriptor? {
        var attempts = 0
        while true {
            let epochs = try directory.names().compactMap { name -> UInt32? in
                guard let epoch = epoch(of: name[...]), epoch < limit,
                    // It has just been removed by a newer server.
                    (try? directory.status(of: name))?.kind == .regular
                else { return nil }
                return epoch
            }
            guard let newest = epochs.max() else { return nil }
            do throws(SystemError) {
                // Non-blocking, in case a named pipe has that name.
                return try directory.openFile(name(newest), [.read, .nonBlocking])
            } catch {
                // The file's server has removed it, because a newer one exists or nothing is left
                // to store.
                attempts += 1
                guard error.code == ErrorNumber.noSuchFile, attempts < mostAttempts else {
                    throw error
                }
            }
        }
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// Returns the number of bytes.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing Descriptor
    ) throws(SystemError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let more = try unsafe file.read(into: rest, at: UInt64(count))
            if more == 0 { break }
            count += more
        }
        return count
    }

    private static func name(_ epoch: UInt32) -> String { prefix + String(epoch) }

    /// Returns the epoch in the name of a log, or of one that is not complete; nil if it is the
    /// name of another file.
    static func epoch(ofFile name: String) -> UInt32? {
        let isUnfinished = name.hasSuffix(temporarySuffix)
        return epoch(of: isUnfinished ? name.dropLast(temporarySuffix.count) : name[...])
    }

    /// Returns the epoch in the name of a log, or nil if the name is not a log's.
    private static func epoch(of name: Substring) -> UInt32? {
        guard name.hasPrefix(prefix), let epoch = UInt32(name.dropFirst(prefix.count)),
            name == Self.name(epoch)
        else { return nil }
        return epoch
    }
}
