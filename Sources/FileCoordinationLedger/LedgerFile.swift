// SPDX-License-Identifier: Apache-2.0
//
// Creates a ledger file. The order of steps is essential: the file is complete and locked before it
// gets the name by which servers find it. The lock then survives in the mapping only, after the
// descriptor is closed.

internal import FileCoordinationSystem

/// A new, locked ledger file of this process.
struct LedgerFile: Sendable {
    /// The name in the `ledgers` directory.
    let name: String
    /// The mapped ledger, which also holds the lock.
    ///
    /// A forked child has neither.
    let mapping: SharedMapping
    /// A second open file description of the file.
    ///
    /// It has no lock, and does not depend on the file's name.
    let unlocked: Descriptor
    private let identity: FileStatus

    /// The number of records for which space is reserved at a time.
    static let recordChunk = 128

    init(
        in directory: Directory, programName: String, token: (UInt64, UInt64)
    ) throws(LedgerError) {
        let names = LedgerName(processID: CurrentProcess.id, token: token.0)
        name = names.final
        do throws(SystemError) {
            // Forks are held back until the file is mapped and closed: a child with the descriptor
            // would hold the lock.
            var file: Descriptor? = try ForkGuard.holdingForks { () throws(SystemError) in
                let file = try directory.openFile(
                    names.temporary, [.read, .write, .create, .exclusive])
                ForkGuard.closeInChild(file.number)
                return file
            }
            let number = file?.number ?? 0
            defer {
                ForkGuard.holdingForks {
                    ForkGuard.keepInChild(number)
                    file = nil
                }
            }
            let made = try file.map { (file) throws(SystemError) in
                let mapping = try Self.lockedMapping(of: file)
                Self.writeHeader(to: mapping, token: token, programName: programName)
                return (mapping, try file.status())
            }
            guard let made else { preconditionFailure("It was opened just now") }
            unlocked = try directory.openFile(
                names.temporary, [.read, .write], inForkedChild: .closed)
            (mapping, identity) = made
            try directory.rename(names.temporary, to: names.final, ifTaken: .refuse)
        } catch {
            // The first error counts. Servers remove such files when they are not locked.
            try? directory.remove(names.temporary)
            throw LedgerError(error)
        }
    }

    private static func lockedMapping(of file: Descriptor) throws(SystemError) -> SharedMapping {
        let room = LedgerLayout.record(recordChunk)
        try FileSpace.reserve(file, length: UInt64(room))
        try FileSpace.truncate(file, length: UInt64(LedgerLayout.fileLength))
        let mapping = try SharedMapping(
            file: file, length: LedgerLayout.fileLength, writable: true, inheritedByFork: false)
        // Another process of the user may truncate the file.
        try MappingGuard.protect(mapping)
        guard try FileLock.tryLock(file) else {
            throw SystemError(code: ErrorNumber.alreadyExists, operation: "lock a new ledger")
        }
        return mapping
    }

    /// Reserves space in the file from `start` to `end`, which was never used.
    ///
    /// Works even if the file's name was removed.
    func makeRoom(from start: Int, to end: Int) throws(LedgerError) {
        do throws(SystemError) {
            let zeros = UnsafeMutableRawBufferPointer.allocate(
                byteCount: end - start, alignment: 8)
            defer { unsafe zeros.deallocate() }
            unsafe zeros.initializeMemory(as: UInt8.self, repeating: 0)
            try unsafe unlocked.write(UnsafeRawBufferPointer(zeros), at: UInt64(start))
        } catch {
            throw LedgerError(error)
        }
    }

    /// Whether the file has its name in `directory`.
    func isInPlace(in directory: Directory) -> Bool {
        // This is the question.
        guard let there = try? directory.status(of: name) else { return false }
        return there.inode == identity.inode && there.device == identity.device
    }

    private static func writeHeader(
        to mapping: SharedMapping, token: (UInt64, UInt64), programName: String
    ) {
        typealias Header = LedgerLayout.Header
        let base = unsafe mapping.base
        unsafe base.store(UInt32(LedgerLayout.version), at: Header.version)
        unsafe base.store(UInt32(LedgerLayout.recordCount), at: Header.recordCount)
        unsafe base.store(UInt64(LedgerLayout.fileLength), at: Header.fileLength)
        unsafe base.store(UInt32(LedgerLayout.recordLength), at: Header.recordLength)
        unsafe base.store(UInt32(LedgerLayout.slotCount), at: Header.slotCount)
        unsafe base.store(UInt32(bitPattern: CurrentProcess.id), at: Header.processID)
        unsafe base.store(CurrentProcess.effectiveUserID, at: Header.userID)
        unsafe base.store(CurrentProcess.processNamespace, at: Header.processNamespace)
        unsafe base.store(token.0, at: Header.token)
        unsafe base.store(token.1, at: Header.token + 8)
        let bytes = truncated(programName, to: LedgerLayout.maximumNameLength)
        unsafe base.store(UInt32(bytes.count), at: Header.nameLength)
        unsafe base.copy(bytes, to: Header.name)
        unsafe base.store(LedgerLayout.magic, at: Header.magic)
    }

    /// Returns the longest prefix of whole characters that fits.
    private static func truncated(_ text: String, to limit: Int) -> [UInt8] {
        var rest = text[...]
        while rest.utf8.count > limit { rest = rest.dropLast() }
        return Array(rest.utf8)
    }
}

/// The names of a ledger file: the temporary one while it is created, and the final one.
public struct LedgerName: Hashable, Sendable {
    /// The name by which servers find the ledger.
    public let final: String
    /// The name during creation.
    ///
    /// Servers ignore such files, and remove them if they are not locked.
    public let temporary: String

    private static let finalSuffix = ".ledger"
    private static let temporarySuffix = ".new"

    init(processID: Int32, token: UInt64) {
        let stem = "\(processID)-" + Self.hexadecimal(token)
        final = stem + Self.finalSuffix
        temporary = stem + Self.temporarySuffix
    }

    /// Like `String(_:radix:)`, which would take a hundredth of a first access.
    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = stride(from: 60, through: 0, by: -4).map { UInt8(number >> UInt64($0) & 15) }
            .drop { $0 == 0 }
        let text = digits.map { $0 + ($0 < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        return text.isEmpty ? "0" : String(decoding: text, as: UTF8.self)
    }

    /// Whether this is the name of a complete ledger; the contents are not checked.
    public static func isFinal(_ name: String) -> Bool { name.hasSuffix(finalSuffix) }

    /// Whether this is the name of an incomplete ledger or of the remains of one.
    public static func isTemporary(_ name: String) -> Bool { name.hasSuffix(temporarySuffix) }
}
