// SPDX-License-Identifier: Apache-2.0
//
// Matches errors by kind: `catch FileCoordinationError.timedOut`, and the same in a `switch`, as
// with Foundation's errors.

import Foundation

extension FileCoordinationError {
    /// The kind of errors that report that no server can be reached or started (Rule 18.12):
    /// coordination does not work in this environment.
    ///
    /// See ``Code/arbiterUnreachable``.
    public static var arbiterUnreachable: Code { .arbiterUnreachable }
    /// The kind of errors that report that a limit was reached (Rule 18.12).
    ///
    /// See ``Code/limitExceeded``.
    public static var limitExceeded: Code { .limitExceeded }
    /// The kind of errors that report that a call's options cannot be used together, or an argument
    /// has no meaning (Rule 2.8b): a fault of the program.
    ///
    /// See ``Code/invalidOptions``.
    public static var invalidOptions: Code { .invalidOptions }
    /// The kind of errors that report that a deadline passed (Rule 18.1).
    ///
    /// See ``Code/timedOut``.
    ///
    /// ```swift
    /// do {
    ///     try coordinator.coordinate(writingItemAt: url, timeout: .seconds(5)) {
    ///         try data.write(to: $0)
    ///     }
    /// } catch FileCoordinationError.timedOut {
    ///     print("the file is in use")
    /// }
    /// ```
    public static var timedOut: Code { .timedOut }
    /// The kind of errors that report that calls wait for each other in a cycle (Rule 18.4).
    ///
    /// See ``Code/deadlock``.
    public static var deadlock: Code { .deadlock }
    /// The kind of errors that report that a user ended the wait by hand, with `filecoord release`
    /// (Rule 18.12).
    ///
    /// See ``Code/dismissed``.
    public static var dismissed: Code { .dismissed }
    /// The kind of errors that report that an item is not as the caller has seen it (Rule 18.16).
    ///
    /// See ``Code/stale``.
    public static var stale: Code { .stale }
    /// The kind of errors that report that a presenter has not said whether it has unsaved changes
    /// of an item that the caller must have seen (Rule 18.16).
    ///
    /// See ``Code/unanswered``.
    public static var unanswered: Code { .unanswered }
    /// The kind of errors that report that a hold cannot be shared with other processes (Rule
    /// 18.13).
    ///
    /// See ``Code/notHandedDown``.
    public static var notHandedDown: Code { .notHandedDown }
}

extension FileCoordinationError.Code {
    /// Whether an error is of this kind (Rule 18.12).
    ///
    /// Also matches the `NSError` of a call with Apple's signature. `catch` and `switch` use this
    /// operator.
    ///
    /// ```swift
    /// switch error {
    /// case FileCoordinationError.deadlock: print("programs wait for each other")
    /// case FileCoordinationError.timedOut: print("the file is in use")
    /// default: throw error
    /// }
    /// ```
    ///
    /// **Threads and cost.** Any thread; compares two numbers.
    ///
    /// - Parameters:
    ///   - code: the kind.
    ///   - error: any error.
    /// - Returns: whether it is a ``FileCoordinationError`` of that kind, or the `NSError` of one.
    public static func ~= (code: Self, error: any Error) -> Bool {
        if let own = error as? FileCoordinationError { return own.code == code }
        let error = error as NSError
        return error.domain == FileCoordinationErrorDomain && error.code == code.rawValue
    }
}
