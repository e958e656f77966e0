// SPDX-License-Identifier: Apache-2.0
//
// Validates the header of a client's ledger, and the offsets and lengths in it.

internal import FileCoordinationSystem

/// The header of a client's ledger.
///
/// It is copied first and validated afterwards, because the client can change it at any time.
struct LedgerHeader {
    let processID: Int32
    let processNamespace: UInt64
    let token: [UInt64]
    let programName: String

    init(_ mapping: SharedMapping, name: String) throws(LedgerError) {
        typealias Header = LedgerLayout.Header
        let base = unsafe mapping.base
        guard unsafe base.load(UInt64.self, at: Header.magic) == LedgerLayout.magic else {
            throw .notALedger(name: name, reason: "no ledger at all")
        }
        guard
            unsafe base.load(UInt32.self, at: Header.recordCount)
                == UInt32(LedgerLayout.recordCount),
            unsafe base.load(UInt64.self, at: Header.fileLength) == UInt64(LedgerLayout.fileLength),
            unsafe base.load(UInt32.self, at: Header.recordLength)
                == UInt32(LedgerLayout.recordLength),
            unsafe base.load(UInt32.self, at: Header.slotCount) == UInt32(LedgerLayout.slotCount)
        else { throw .notALedger(name: name, reason: "its sizes are not those of its version") }
        processID = unsafe Int32(bitPattern: base.load(UInt32.self, at: Header.processID))
        processNamespace = unsafe base.load(UInt64.self, at: Header.processNamespace)
        token = unsafe [
            base.load(UInt64.self, at: Header.token), base.load(UInt64.self, at: Header.token + 8),
        ]
        let length = unsafe base.load(UInt32.self, at: Header.nameLength)
        guard length <= UInt32(LedgerLayout.maximumNameLength) else {
            throw .notALedger(name: name, reason: "its program name has \(length) bytes")
        }
        let bytes = unsafe base.bytes(at: Header.name, count: Int(length))
        programName = String(decoding: bytes, as: UTF8.self)
    }
}

extension LedgerHeader {
    /// Returns the error for a ledger of another layout; nil for any other file.
    ///
    /// It reads only what is the same in all layouts.
    static func otherLayout(of file: borrowing Descriptor, name: String) -> LedgerError? {
        typealias Header = LedgerLayout.Header
        var bytes = [UInt8](repeating: 0, count: Header.processID + 4)
        let count = unsafe bytes.withUnsafeMutableBytes {
            // A file that cannot be read is no ledger, which the caller finds out.
            unsafe (try? file.read(into: $0, at: 0)) ?? 0
        }
        guard count == bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes { raw in
            let version = UInt32(
                littleEndian: unsafe raw.loadUnaligned(
                    fromByteOffset: Header.version, as: UInt32.self))
            let magic = UInt64(
                littleEndian: unsafe raw.loadUnaligned(
                    fromByteOffset: Header.magic, as: UInt64.self))
            guard magic == LedgerLayout.magic, version != LedgerLayout.version else { return nil }
            let process = unsafe raw.loadUnaligned(
                fromByteOffset: Header.processID, as: Int32.self)
            return .otherLayout(
                name: name, version: version, processID: Int32(littleEndian: process))
        }
    }
}

/// A range of bytes, as a client has written it.
struct LedgerExtent {
    /// The offset in the file or in the record.
    let offset: Int
    let length: Int
    let isInHeap: Bool

    init(heap offset: Int, length: Int) {
        self.offset = offset
        self.length = length
        isInHeap = true
    }

    init(inline offset: Int, length: Int) {
        self.offset = offset
        self.length = length
        isInHeap = false
    }

    /// Whether the range is where it may be.
    ///
    /// The sums cannot overflow, because all parts have 32 bits.
    var isValid: Bool {
        guard length <= LedgerLayout.maximumBodyLength else { return false }
        return isInHeap
            ? offset >= LedgerLayout.heap && offset + length <= LedgerLayout.fileLength
            : offset >= LedgerLayout.Record.inline && offset + length <= LedgerLayout.recordLength
    }
}
