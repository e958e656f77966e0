// SPDX-License-Identifier: Apache-2.0
//
// The errors of the coordination system itself: why a call got no access, which processes are
// involved, and what to do next (Rule 18.12). Errors of Foundation and of presenters are passed on
// unchanged.

import FileCoordinationClient
import FileCoordinationWire
public import Foundation
import FoundationCompatibility

/// The domain of ``FileCoordinationError`` as an `NSError` (Rule 17.5).
///
/// Compare the domain as well as the code: a deadline that has passed has code 4, and so has a
/// missing file in Foundation's domain. `catch FileCoordinationError.timedOut` compares both.
public let FileCoordinationErrorDomain = "FileCoordinationErrorDomain"

/// An error that ended a wait without access.
///
/// The throwing and `async` calls throw it. The calls with Apple's signatures return an `NSError`
/// with the same domain and code, whose `userInfo` contains this error under ``userInfoKey``. Both
/// can be matched by kind in `catch` and `switch`: `catch FileCoordinationError.timedOut`. The
/// accessor has not run, and nothing was read or written. The exception is ``Code/notHandedDown``,
/// after which this process still has access (Rule 18.12).
///
/// ```swift
/// func explain(_ error: any Error) {
///     guard let error = error as? FileCoordinationError else { return }
///     for party in error.parties where party.role == .holder { print(party) }
/// }
/// ```
///
/// **Threads and cost.** A value, for any thread. What it says of other processes was asked when
/// the wait ended, and may be out of date; reading it takes no message.
public struct FileCoordinationError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error.
    ///
    /// Later versions may add kinds, so handle unknown ones as a failed access.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code of the `NSError`.
        public let rawValue: Int

        /// Creates a code from its number.
        ///
        /// - Parameter rawValue: the number of the code.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// No server can be reached or started (Rule 18.12).
        ///
        /// Make sure that the runtime directory can be written; `filecoord doctor` names the cause.
        public static let arbiterUnreachable = Self(rawValue: 1)
        /// A limit was reached, for example of claims, presenters, processes or descriptors; the
        /// text says which (Rule 18.12).
        ///
        /// Try again when programs that use it up have ended.
        public static let limitExceeded = Self(rawValue: 2)
        /// The options of the call cannot be used together, or an argument has no meaning (Rule
        /// 2.8b).
        ///
        /// Correct the call: trying again leads to the same error.
        public static let invalidOptions = Self(rawValue: 3)
        /// The deadline passed before access was granted (Rule 18.1).
        ///
        /// ``FileCoordinationError/parties`` names the processes in the way. Show them, try again
        /// later, or give the call more time.
        public static let timedOut = Self(rawValue: 4)
        /// The waiting processes form a cycle (Rule 18.4).
        ///
        /// One call of the cycle fails with this error, so that the others go on. Make one call for
        /// all items, or end the accesses that the program has around this call and try again. The
        /// text says what helps if a presenter is on the cycle.
        public static let deadlock = Self(rawValue: 5)
        /// A hold cannot be shared: no process can be started that keeps it (Rule 18.13).
        ///
        /// This process still has access. Install `filecoord` where this program finds it, or keep
        /// the hold until the other process has ended.
        public static let notHandedDown = Self(rawValue: 6)
        /// A user ended the wait by hand, with `filecoord release` (Rule 18.12).
        ///
        /// The text has the user's reason. Do not try again by yourself.
        ///
        /// ```swift
        /// func isWorthAnotherTry(_ error: any Error) -> Bool {
        ///     switch error {
        ///     case FileCoordinationError.timedOut, FileCoordinationError.deadlock: true
        ///     case _: false  // dismissed by a user, among others
        ///     }
        /// }
        /// ```
        public static let dismissed = Self(rawValue: 7)
        /// An item is not as the caller has seen it, and the call was to run only if it is (Rule
        /// 18.16).
        ///
        /// Read the item again, and make the change anew. ``FileCoordinationError/parties`` names
        /// the last coordinated writer, if it is known: it has the role ``Party/Role/writer``.
        public static let stale = Self(rawValue: 8)
        /// A presenter has not answered whether it has unsaved changes of an item, and the call was
        /// to run only if the item is as the caller has seen it (Rule 18.16).
        public static let unanswered = Self(rawValue: 9)
    }

    /// A process involved in the wait.
    ///
    /// It prints as a sentence that says what the process does: see ``description``.
    public struct Party: Hashable, Sendable {
        /// The role of a process in the wait.
        public enum Role: Hashable, Sendable {
            /// The process has access, and keeps it until it is done (Rule 2.22).
            case holder
            /// The process waits, and has filed its claim earlier, so it gets access first.
            case waiter
            /// The process presents the item and has not answered; it is waited for until
            /// ``NSFileCoordinator/filePresenterTimeout`` of that process has passed (Rule 18.3).
            case presenter
            /// The process has written the item last, before the call (Rule 18.16).
            case writer
        }

        /// The process ID, in the process's own PID namespace (see ``isInAnotherNamespace``).
        public let processIdentifier: Int32
        /// Whether the process is in another PID namespace, for example in a container.
        ///
        /// The process ID then means another process here, or none: do not send signals to it.
        public let isInAnotherNamespace: Bool
        /// The name of the process's program: the file name of its executable.
        public let processName: String
        /// The name to show to people: the label, or else the program's name (Rule 18.15).
        ///
        /// Another program has chosen it, so escape control characters before you show it.
        public let label: String
        /// The purpose of the claim or presenter (Rule 4.1).
        ///
        /// Compare it with ``NSFileCoordinator/purposeIdentifier`` to find your own accesses.
        public let purposeIdentifier: String
        /// The item, or the first of several; nil if it is unknown.
        public let url: URL?
        /// The role of the process in the wait.
        public let role: Role
        /// How long the process had been in this role when the wait ended: a duration, not a point
        /// in time; zero for a writer.
        public let since: Duration
        /// The Swift name of the message that the presenter has not answered, such as
        /// `savePresentedItemChanges`; nil for the other roles.
        public let message: String?
    }

    /// The kind of the error: what the program should do next.
    public var code: Code
    /// The requested item, or the first of several; for a deadlock, the item of the first process.
    ///
    /// Nil if the error is about no item: no server, a limit, an invalid call, or a hold that
    /// cannot be shared.
    public var url: URL?
    /// The processes that held the items or waited when the deadline passed; for a deadlock, the
    /// cycle in order, in which each process waits for the next one, and the last for the first.
    ///
    /// Empty for the other kinds, and if the server could not say it.
    public var parties: [Party]
    /// A sentence that says what happened.
    let reason: String

    init(_ code: Code, url: URL? = nil, parties: [Party] = [], reason: String) {
        self.code = code
        self.url = url
        self.parties = parties
        self.reason = reason
    }

    /// The key of this error in the `userInfo` of an `NSError`, for ``parties`` after a call with
    /// Apple's signature.
    ///
    /// ```swift
    /// if let failure, let error = failure.userInfo[FileCoordinationError.userInfoKey] {
    ///     print((error as? FileCoordinationError)?.parties ?? [])
    /// }
    /// ```
    public static let userInfoKey = "FileCoordinationError"

    /// What happened, which processes are involved, and what to do next: for a log (Rule 18.12).
    ///
    /// Names and paths have their control characters escaped. The text may change between versions.
    public var description: String {
        ([reason] + sentences + [advice]).joined(separator: " ")
    }

    /// What the processes do; in a cycle of waits, who waits for whom.
    private var sentences: [String] {
        code == .deadlock ? cycle().sentences : parties.map(\.description)
    }

    /// What happened to an access of this process, for people who read of it in another process: a
    /// presenter passes its own failure on (Rule 9.2).
    ///
    /// "This program" would be another one there.
    func description(by presenter: String) -> String {
        let own = code == .deadlock ? cycle(isNamed: true).sentences : parties.map(\.description)
        let start = "\(presenter), which presents an item there, could not get access itself:"
        return ([start, reason] + own).joined(separator: " ")
    }

    /// The cycle of waits; with the name of this process, if other processes read it.
    private func cycle(isNamed: Bool = false) -> CycleText {
        CycleText(
            parties.map { party in
                let role: PartyRole =
                    switch party.role {
                    case .holder: .holder
                    case .waiter: .waiter
                    case .presenter: .presenter
                    // Of no cycle.
                    case .writer: .holder
                    }
                return CycleMember(
                    processID: party.isInAnotherNamespace
                        ? -party.processIdentifier : party.processIdentifier,
                    isOwn: !isNamed && !party.isInAnotherNamespace
                        && party.processIdentifier == getpid(),
                    who: party.who, path: party.path, role: role,
                    time: DurationText.text(party.since), message: party.message)
            })
    }

    private var advice: String {
        switch code {
        case .timedOut: "Nothing was read or written. Try again, or ask them to finish."
        case .deadlock: cycle().advice
        case .limitExceeded:
            "Nothing was read or written. End programs, claims or presenters that use up this "
                + "limit, and try again."
        case .invalidOptions: "Nothing was read or written. Correct the call."
        case .dismissed:
            "Nothing was read or written. A user ended this wait by hand; try again when the "
                + "reason no longer holds."
        case .stale: "Nothing was done. Read it again, and make the change anew."
        case .unanswered:
            "Nothing was done. Save there, or end the program that does not answer, and try again."
        case .notHandedDown: "This process still has access. Remove the cause and try again."
        case _: "Nothing was read or written. Remove the cause and try again."
        }
    }
}

extension FileCoordinationError: LocalizedError, CustomNSError {
    /// What happened, and which processes are involved; `localizedDescription` returns it.
    public var errorDescription: String? {
        ([reason] + sentences).joined(separator: " ")
    }

    /// What happened, without the processes: one sentence.
    public var failureReason: String? {
        reason.hasSuffix(":") ? "\(reason.dropLast())." : reason
    }

    /// What to do next, for a person who reads the error.
    public var recoverySuggestion: String? { advice }

    /// The domain of the error as an `NSError`: ``FileCoordinationErrorDomain``.
    public static var errorDomain: String { FileCoordinationErrorDomain }

    /// The code of the error as an `NSError`: the number of ``code``.
    public var errorCode: Int { code.rawValue }

    /// The texts, the URL, the closest POSIX error as the underlying one, and this error itself
    /// under ``userInfoKey``.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: errorDescription ?? reason,
            // Foundation on Linux prints an error with this text, or else with "(null)".
            NSLocalizedFailureReasonErrorKey: failureReason ?? reason,
            NSLocalizedRecoverySuggestionErrorKey: advice,
            Self.userInfoKey: self,
        ]
        if let url { info[NSURLErrorKey] = url }
        if let number = posixCode {
            info[NSUnderlyingErrorKey] = NSError(
                domain: NSPOSIXErrorDomain, code: Int(number.rawValue))
        }
        return info
    }

    private var posixCode: POSIXErrorCode? {
        switch code {
        case .timedOut: .ETIMEDOUT
        case .deadlock: .EDEADLK
        case .limitExceeded: .EMFILE
        case .invalidOptions: .EINVAL
        case .arbiterUnreachable: .ECONNREFUSED
        case .dismissed: .ECANCELED
        case .stale: .ESTALE
        case .unanswered: .ETIMEDOUT
        case _: nil
        }
    }

    /// The error as calls with Apple's signatures return it.
    var nsError: NSError {
        NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
    }
}

extension FileCoordinationError.Party: CustomStringConvertible {
    /// The process, and what it does: one sentence, without control characters.
    public var description: String {
        let time = DurationText.text(since)
        return switch role {
        case .holder: "\(who) has held \(path) for \(time)."
        case .waiter: "\(who) has waited for \(path) for \(time), and is ahead in the queue."
        case .writer: "\(who) has written \(path) last."
        case .presenter: "\(who) presents \(path) and has not answered \(message ?? "yet")."
        }
    }

    fileprivate var who: String {
        let place = isInAnotherNamespace ? " in another namespace" : ""
        return "\(UserText.line(label)) (pid \(processIdentifier)\(place))"
    }

    fileprivate var path: String { UserText.line(url?.path ?? "something") }

    /// The last writer of an item.
    init(writer: ChangeAuthor, of url: URL?) {
        self.init(
            processIdentifier: ProcessNumber.plain(writer.processID),
            isInAnotherNamespace: ProcessNumber.isOfAnotherNamespace(writer.processID),
            processName: "", label: writer.label, purposeIdentifier: "", url: url, role: .writer,
            since: .zero, message: nil)
    }

    init(_ party: FileCoordinationWire.Party) {
        let role: Role =
            switch party.role {
            case .holder: .holder
            case .waiter: .waiter
            case .presenter: .presenter
            }
        self.init(
            processIdentifier: ProcessNumber.plain(party.processID),
            isInAnotherNamespace: ProcessNumber.isOfAnotherNamespace(party.processID),
            processName: party.processName,
            label: party.label.isEmpty ? party.processName : party.label,
            purposeIdentifier: String(decoding: party.purpose, as: UTF8.self),
            url: party.path.isEmpty ? nil : URL(pathBytes: party.path, isDirectory: false),
            role: role, since: party.since, message: party.message)
    }
}
