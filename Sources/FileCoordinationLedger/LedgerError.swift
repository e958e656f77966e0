// SPDX-License-Identifier: Apache-2.0
//
// The errors of a ledger, as far as a caller can react to them.

public import FileCoordinationSystem

/// An error of an operation on a ledger.
public enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// All records of the ledger are in use.
    ///
    /// End some claims, or wait until the server has returned the records of ended ones.
    case full
    /// The ledger has no room for this many bytes.
    ///
    /// `limit` is the most that an empty ledger takes.
    case bodyTooLarge(Int, limit: Int)
    /// The file system has no room to extend the ledger.
    case noSpace(SystemError)
    /// A system call failed.
    case system(SystemError)
    /// The file is not a valid ledger; `reason` says why.
    case notALedger(name: String, reason: String)
    /// The file is a ledger of another layout, of a program with this process ID.
    case otherLayout(name: String, version: UInt32, processID: Int32)
    /// The client keeps changing words while the server uses them, or has truncated the file.
    case damaged
    /// Another process has truncated or overwritten this process's ledger.
    case cutOff
    /// A later server has taken the role.
    case deposed
    /// All 16,777,215 epochs are used.
    ///
    /// Remove the runtime directory while no program uses it.
    case epochsExhausted
    /// The record has been reused for another claim or presenter.
    case staleReference

    /// A sentence for logs: what failed and what to do.
    public var description: String {
        switch self {
        case .full:
            "all \(LedgerLayout.recordCount) records of this process's ledger are in use"
        case .bodyTooLarge(let length, let limit):
            "no room for \(length) bytes in this process's ledger (at most \(limit) fit)"
        case .noSpace(let error): "no room for this process's ledger: \(error)"
        case .system(let error): error.description
        case .notALedger(let name, let reason): "\"\(name)\" is not a ledger: \(reason)"
        case .otherLayout(let name, let version, let processID):
            "\"\(name)\" has layout \(version), and only \(LedgerLayout.version) is known here: "
                + "process \(processID) is of another version of file coordination"
        case .damaged: "the ledger was damaged by its own process"
        case .cutOff:
            "another process has truncated or overwritten this process's ledger: start the program"
                + " again"
        case .deposed: "another server has taken over"
        case .epochsExhausted:
            "the epochs are used up: remove the runtime directory when no program uses it"
        case .staleReference: "the record is in use by another claim"
        }
    }

    /// Distinguishes a full disk from other errors.
    init(_ error: SystemError) {
        switch error.code {
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded: self = .noSpace(error)
        default: self = .system(error)
        }
    }

    /// Runs `body`, and converts its system errors.
    static func wrapping<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(LedgerError) -> Result {
        do { return try body() } catch { throw LedgerError(error) }
    }
}
