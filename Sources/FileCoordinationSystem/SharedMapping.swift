// SPDX-License-Identifier: Apache-2.0
//
// A file as memory that processes share. The mapping keeps the open file description alive, and
// thereby its lock: closing the descriptor is allowed, and wanted, since a forked child would
// inherit a descriptor, but not a mapping that is marked so.

internal import CFileCoordinationSystem

/// A file that is mapped, shared, from its beginning.
///
/// `@unchecked` because it hands out raw memory, which other processes write to as well: callers
/// must access it through ``AtomicWord``, or know that no process writes meanwhile.
public final class SharedMapping: @unchecked Sendable {
    /// Where the mapping begins; aligned to a page.
    public let base: UnsafeMutableRawPointer
    /// How many bytes are mapped.
    public let length: Int
    /// The process that has the mapping; 0 if forked children have it too.
    private let mappedIn: UInt64

    /// Maps the first `length` bytes of `file`, which must be that long when they are touched.
    ///
    /// `inheritedByFork: false` means that a forked child has no such memory at all, and keeps
    /// neither the file nor its lock.
    public init(
        file: Descriptor, length: Int, writable: Bool, inheritedByFork: Bool
    ) throws(SystemError) {
        var mapped: UnsafeMutableRawPointer?
        try check(
            fcs_map(
                file.number, max(length, 0), writable ? 1 : 0, inheritedByFork ? 1 : 0, &mapped),
            "map \(length) bytes")
        guard let mapped else { preconditionFailure("A successful mapping has an address") }
        base = mapped
        self.length = length
        mappedIn = inheritedByFork ? 0 : ForkGuard.processToken
    }

    deinit {
        // In a forked child, which has no such mapping, the address may be used for something else.
        guard mappedIn == 0 || mappedIn == ForkGuard.processToken else { return }
        // First: the address may belong to another mapping as soon as it is free.
        fcs_mapping_unprotect(base)
        _ = fcs_unmap(base, length)
    }

    /// The word of 8 bytes at `offset`.
    ///
    /// Valid while the mapping lives, which the word does not see to.
    public func word(at offset: Int) -> AtomicWord {
        precondition(
            offset >= 0 && offset <= length - 8, "Word \(offset) of a \(length) byte mapping")
        return AtomicWord(at: base, offset: offset)
    }
}
