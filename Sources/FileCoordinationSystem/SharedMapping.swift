// SPDX-License-Identifier: Apache-2.0
//
// A mapped file as memory that processes share. The mapping keeps the open file description and its
// lock alive. So the descriptor can and should be closed: a forked child would inherit a
// descriptor, but not a mapping that is marked accordingly.

internal import CFileCoordinationSystem

/// A file that is mapped, shared, from its beginning.
///
/// `@unchecked` because it gives out raw memory, which other processes write to as well: callers
/// must use ``AtomicWord``, or know that no process writes at the same time.
@safe public final class SharedMapping: @unchecked Sendable {
    /// The address of the mapping, aligned to a page.
    public let base: UnsafeMutableRawPointer
    /// The number of mapped bytes.
    public let length: Int
    /// The process that has the mapping; 0 if forked children have it, too.
    private let mappedIn: UInt64

    /// Maps the first `length` bytes of `file`, which must have that length when they are accessed.
    ///
    /// With `inheritedByFork: false`, the memory does not exist in a forked child, which keeps
    /// neither the file nor its lock.
    public init(
        file: Descriptor, length: Int, writable: Bool, inheritedByFork: Bool
    ) throws(SystemError) {
        var mapped: UnsafeMutableRawPointer?
        try unsafe check(
            fcs_map(
                file.number, max(length, 0), writable ? 1 : 0, inheritedByFork ? 1 : 0, &mapped),
            "map \(length) bytes")
        guard let mapped = unsafe mapped else {
            preconditionFailure("A successful mapping has an address")
        }
        unsafe base = mapped
        self.length = length
        mappedIn = inheritedByFork ? 0 : ForkGuard.processToken
    }

    deinit {
        // In a forked child without the mapping, the address may be used for something else.
        guard mappedIn == 0 || mappedIn == ForkGuard.processToken else { return }
        // Done first, because the address may be reused as soon as it is free.
        unsafe fcs_mapping_unprotect(base)
        _ = unsafe fcs_unmap(base, length)
    }

    /// Returns the 8-byte word at `offset`.
    ///
    /// It is valid as long as the mapping, which the word does not retain.
    public func word(at offset: Int) -> AtomicWord {
        precondition(
            offset >= 0 && offset <= length - 8, "Word \(offset) of a \(length) byte mapping")
        return unsafe AtomicWord(at: base, offset: offset)
    }
}
