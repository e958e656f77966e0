// SPDX-License-Identifier: Apache-2.0
//
// Where things are by now. A claim's or a presenter's record is its client's, and says where the
// item was when it was written; what has moved since then is in the server's log, a file beside the
// ledgers. So the next server knows it too, and a claimant looks up there where its item is.
//
//     RUNTIME/places.EPOCH     one entry behind the other; the last one about a record counts
//
// Each server has a file of its own, which begins with what is still true of the former one's. A
// server that was deposed goes on writing into a file that no process reads.

package import FileCoordinationArbiter
package import FileCoordinationLedger
package import FileCoordinationSystem
package import FileCoordinationWire

/// The log of what has moved, as a file and as what it says.
///
/// Entries of records that are over do no harm, since no serial number is given twice; they go when
/// the file is written anew.
package final class RelocationLog {
    private var directory: Directory
    private let epoch: UInt32
    private var file: Descriptor?
    private var length: UInt64 = 0
    private var rewriteAt = firstRewrite
    private var places: [UInt64: RelocationEntry.Relocation] = [:]
    private var handled: [UInt64: UInt32] = [:]
    /// Records that are over, and still say so: their clients do not have them back.
    private var over: Set<UInt64> = []
    /// What clients have added to the package policy: the next server announces it, too.
    package private(set) var addedPackages: [UInt8] = []

    private static let prefix = "places."
    private static let temporarySuffix = ".new"
    /// A file up to this length is not worth writing anew.
    private static let firstRewrite: UInt64 = 256 << 10
    /// What is behind this in a file is not read: no server writes so much.
    private static let longestRead: UInt64 = 128 << 20
    /// How often to look again for a file that is being replaced.
    private static let patience = 100

    /// The relocation log of a server that takes over, with what the former server wrote.
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

    /// The items of a claim that were moved while it waited.
    package func items(ofClaim serial: UInt64) -> [AccessItem]? {
        guard case .claim(let items) = places[serial] else { return nil }
        return items
    }

    /// The place of a presenter that was moved, and whether it is to be told of it.
    package func presenter(_ serial: UInt64) -> (place: ItemPath, isTold: Bool)? {
        guard case .presenter(let place, let isTold) = places[serial] else { return nil }
        return (place, isTold)
    }

    /// How many bytes of a claim's log have been acted on.
    package func handledBytes(ofClaim serial: UInt64) -> Int { Int(handled[serial] ?? 0) }

    // MARK: Writing

    /// Notes something down; all of it is in the file when this returns, or nothing.
    package func write(_ entries: [RelocationEntry]) throws {
        Failpoint.reach(.before, .writesRelocations)
        defer { Failpoint.reach(.after, .writesRelocations) }
        let bytes = try RelocationEntry.encodeChecked(entries)
        for entry in entries { apply(entry) }
        guard let file, length < rewriteAt else { return try rewrite() }
        do {
            try append(bytes, to: file)
        } catch {
            // No reader reads beyond half an entry: the next one goes into a new file.
            rewriteAt = 0
            throw error
        }
    }

    /// Records that a record is over.
    ///
    /// What is known of it stays until its client has it back: a server that takes over before that
    /// finds the record, and must not act again on what it announced.
    package func end(_ serial: UInt64) { over.insert(serial) }

    /// Forgets the records that are over: their clients have them back.
    package func forgetOver() {
        for serial in over {
            places[serial] = nil
            handled[serial] = nil
        }
        over = []
    }

    /// Forgets all records but these and those that are over, begins this server's own file, and
    /// removes former ones.
    ///
    /// The file is there even if it says nothing: so that of a deposed server, which may yet write
    /// one anew, is not taken for the newest.
    ///
    /// If it cannot be made the former ones stay, and it is made when there is something to write.
    package func begin(living: Set<UInt64>) throws(SystemError) {
        let kept = living.union(over)
        places = places.filter { kept.contains($0.key) }
        handled = handled.filter { kept.contains($0.key) }
        try rewrite()
        for name in (try? directory.names()) ?? [] {
            let isUnfinished = name.hasSuffix(Self.temporarySuffix)
            let finished = isUnfinished ? name.dropLast(Self.temporarySuffix.count) : name[...]
            if let other = Self.epoch(of: finished), other < epoch { try? directory.remove(name) }
        }
    }

    /// Goes on in another directory.
    func move(to directory: Directory) throws(SystemError) {
        self.directory = directory
        if file != nil { try rewrite() }
    }

    /// Removes the file: no process is left to read it.
    func remove() { if file != nil { try? directory.remove(Self.name(epoch)) } }

    /// Removes the files of all servers, with their ticket queues: there is no ledger that means
    /// them.
    static func removeAll(from directory: Directory) {
        for name in (try? directory.names()) ?? [] where name.hasPrefix(prefix) {
            try? directory.remove(name)
        }
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
        case .packages(let lines): addedPackages = lines
        }
    }

    /// Writes all that is known into a new file, and puts it in the old one's place.
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
        if !addedPackages.isEmpty {
            entries.append(RelocationEntry(serial: 0, .packages(addedPackages)))
        }
        // What cannot be said could not be noted.
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
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try file.write(buffer, at: start) }
        }
        try result.get()
    }

    // MARK: Reading

    /// Where the items of a claim are by now, for the claimant; nil if the log does not say.
    package static func items(
        ofClaim serial: UInt64, in runtime: RuntimeDirectory
    ) -> [AccessItem]? {
        // A listing may miss a file that is put in another's place meanwhile.
        for _ in 0..<patience {
            // By its path: the server may have had to make the directory anew.
            let directory = (try? Directory.open(runtime.path)) ?? runtime.directory
            guard let entries = try? newestEntries(in: directory, below: .max) else { continue }
            let found = entries.last { entry in
                if case .claim = entry.relocation { entry.serial == serial } else { false }
            }
            if case .claim(let items) = found?.relocation { return items }
        }
        return nil
    }

    /// What the newest log says that is older than an epoch.
    private static func newestEntries(
        in directory: Directory, below epoch: UInt32
    ) throws(SystemError) -> [RelocationEntry] {
        guard let file = try newestFile(in: directory, below: epoch) else { return [] }
        let length = min(try file.status().size, longestRead)
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try fill(buffer, from: file) }
        }
        bytes.removeLast(bytes.count - (try count.get()))
        return RelocationEntry.entries(decoding: bytes)
    }

    /// The newest log that is older than an epoch; nil if there is none.
    private static func newestFile(
        in directory: Directory, below limit: UInt32
    ) throws(SystemError) -> Descriptor? {
        var attempts = 0
        while true {
            let epochs = try directory.names().compactMap { name -> UInt32? in
                guard let epoch = epoch(of: name[...]), epoch < limit,
                    (try? directory.status(of: name))?.kind == .regular
                else { return nil }
                return epoch
            }
            guard let newest = epochs.max() else { return nil }
            do throws(SystemError) {
                // No open waits for the other end of a pipe that has just been put there.
                return try directory.openFile(name(newest), [.read, .nonBlocking])
            } catch {
                // Its server has removed it meanwhile, for there is a newer one, or nothing to say.
                attempts += 1
                guard error.code == ErrorNumber.noSuchFile, attempts < patience else { throw error }
            }
        }
    }

    /// Reads as much as there is; returns how much that was.
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

    /// The epoch of the server whose log has this name; nil if it is no log's.
    private static func epoch(of name: Substring) -> UInt32? {
        guard name.hasPrefix(prefix), let epoch = UInt32(name.dropFirst(prefix.count)),
            name == Self.name(epoch)
        else { return nil }
        return epoch
    }
}
