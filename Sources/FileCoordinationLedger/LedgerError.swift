// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong with a ledger, as far as a caller can do something about it.

public import FileCoordinationSystem

/// An operation on a ledger that failed.
public enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// All records of the ledger are in use.
    ///
    /// End some claims, or wait until the server has reaped those that are over.
    case full
    /// There is no room in the ledger for this many bytes, of which `limit` would be too many
    /// even in an empty one.
    case bodyTooLarge(Int, limit: Int)
    /// The file system has no room for more of the ledger.
    case noSpace(SystemError)
    /// The kernel refused something.
    case system(SystemError)
    /// The file is not a ledger that may be trusted to be one; the reason, in words.
    case notALedger(name: String, reason: String)
    /// The client keeps changing the words under the server's hands, or has cut off the file.
    case damaged
    /// Another process has cut off this process's ledger.
    case cutOff
    /// A later server reigns.
    case deposed
    /// All 16,777,215 epochs are used up: remove the runtime directory when no program uses it.
    case epochsExhausted
    /// The reference is to a record that is something else by now.
    case staleReference

    /// A sentence for logs: what failed, and what to do.
    public var description: String {
        switch self {
        case .full:
            "all \(LedgerLayout.recordCount) records of this process's ledger are in use"
        case .bodyTooLarge(let length, let limit):
            "no room for \(length) bytes in this process's ledger (at most \(limit) fit)"
        case .noSpace(let error): "no room for this process's ledger: \(error)"
        case .system(let error): error.description
        case .notALedger(let name, let reason): "\"\(name)\" is not a ledger: \(reason)"
        case .damaged: "the ledger was damaged by its own process"
        case .cutOff:
            "another process has truncated this process's ledger: start the program again"
        case .deposed: "another server has taken over"
        case .epochsExhausted:
            "the epochs are used up: remove the runtime directory when no program uses it"
        case .staleReference: "the record is in use by another claim"
        }
    }

    /// Tells a full disk from the rest.
    init(_ error: SystemError) {
        switch error.code {
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded: self = .noSpace(error)
        default: self = .system(error)
        }
    }

    /// Runs `body`, whose failures are the kernel's.
    static func wrapping<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(LedgerError) -> Result {
        do { return try body() } catch { throw LedgerError(error) }
    }
}
