// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: which processes hold an item, wait for it and present it (Rule 18.5). This is
// what `filecoord status` shows, as a value for programs.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
public import Foundation
import FoundationCompatibility

/// Which processes hold an item, wait for it and present it at one moment.
///
/// ```swift
/// let status = try FileCoordinationStatus(ofItemAt: document)
/// for holder in status.holders { print(holder) }
/// ```
///
/// The status may be outdated when it arrives. Show it to people, but do not use it to decide
/// whether to access the item; use a deadline for that.
///
/// **Threads and cost.** A value, for any thread. ``init(ofItemAt:)`` asks the server; reading the
/// result asks nothing.
public struct FileCoordinationStatus: Sendable {
    /// A process that takes part in coordination, possibly this one.
    public struct Participant: Hashable, Sendable {
        /// The process ID; in another PID namespace than this process's if
        /// ``isInAnotherNamespace``.
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
        /// Whether the process is stopped, for example by Control-Z (Rule 18.6): it does nothing
        /// until a user continues it.
        public let isStopped: Bool
    }

    /// A granted or waiting access; it prints as a sentence.
    public struct Access: Hashable, Sendable {
        /// The process of the access.
        public let participant: Participant
        /// The purpose of the access (Rule 4.1).
        ///
        /// Compare it with ``NSFileCoordinator/purposeIdentifier`` to find your own accesses.
        public let purposeIdentifier: String
        /// All items of the call, also those that the status was not asked for.
        public let urls: [URL]
        /// Whether the access writes any of the items.
        public let isWriting: Bool
        /// How long the access had been held or had waited when the server answered: a duration,
        /// not a point in time.
        public let since: Duration
        /// Whether the access is held; otherwise it waits.
        let isGranted: Bool
    }

    /// A registered presenter that presents the item or something inside it.
    public struct Presenter: Hashable, Sendable {
        /// The process of the presenter.
        public let participant: Participant
        /// The presented item, where it is at present (Rule 5.6).
        public let url: URL
        /// Whether the presenter did not answer in time, so that claims continue without it (Rule
        /// 18.3).
        public let isUnresponsive: Bool
    }

    /// The granted accesses, also those that programs have granted themselves by delegation.
    public let holders: [Access]
    /// The accesses that wait for others or for presenters, in the order of their claims.
    ///
    /// As a rule, a later one waits for earlier ones that conflict with it (Rule 2.14).
    public let waiters: [Access]
    /// The presenters of the item and of what is inside it, in the order of registration.
    public let presenters: [Presenter]

    /// Asks the server for the status of an item and, if it is a directory, of everything inside
    /// it.
    ///
    /// Accesses to directories around the item are not part of it, even if they cover the item, and
    /// neither are presenters of such directories. Their status is that of the directory.
    ///
    /// ```swift
    /// for presenter in try FileCoordinationStatus(ofItemAt: folder).presenters {
    ///     print(presenter.participant.label, "presents", presenter.url.path)
    /// }
    /// ```
    ///
    /// **Threads.** Any thread. Blocks it until the server has answered: usually for less than a
    /// millisecond, at most for a few seconds.
    ///
    /// **Cost.** A connection to the server, one question and its answer. The server reads the
    /// ledgers of all clients for it, beside its other work, so do not ask in a loop. It recalls no
    /// delegation (Rule 18.5).
    ///
    /// - Parameter url: the item; it need not exist. Symbolic links on the way are followed; one at
    ///   the end is not (Rules 1.3, 1.4).
    /// - Throws: an error of Foundation if the URL cannot be resolved (Rule 1.10), or
    ///   ``FileCoordinationError`` of the kind `arbiterUnreachable` if the server does not answer.
    ///   If there is no server, no process coordinates: the status is empty.
    public init(ofItemAt url: URL) throws {
        let place = try PlaceResolver.canonicalBytes(of: url)
        let report: StatusReport?
        do {
            report = try StatusClient.ask(environment: CurrentProcess.environment)
        } catch {
            throw FailureReason.arbiterUnreachable("it does not say who holds what: \(error)").error
        }
        self.init(report, at: place)
    }

    /// Extracts the part of a report that concerns a path.
    ///
    /// If there is no report, the status is empty.
    init(_ report: StatusReport?, at place: [UInt8]) {
        let claims = (report?.claims ?? []).filter { claim in
            claim.items.contains { Self.isWithin($0.path.bytes, place) }
        }
        holders = claims.filter { $0.stage == .granted }.map { Access($0) }
        waiters = claims.filter { $0.stage != .granted }.map { Access($0) }
        presenters = (report?.presenters ?? []).compactMap { presenter in
            guard let path = presenter.path, Self.isWithin(path, place) else { return nil }
            return Presenter(presenter, at: path)
        }
    }

    private static func isWithin(_ path: [UInt8], _ place: [UInt8]) -> Bool {
        path.starts(with: place)
            && (path.count == place.count || place.count == 1
                || path[place.count] == UInt8(ascii: "/"))
    }
}

extension FileCoordinationStatus.Participant {
    fileprivate init(_ processID: Int32, _ name: String, _ label: String, isStopped: Bool) {
        self.init(
            processIdentifier: ProcessNumber.plain(processID),
            isInAnotherNamespace: ProcessNumber.isOfAnotherNamespace(processID),
            processName: name, label: label.isEmpty ? name : label, isStopped: isStopped)
    }
}

extension FileCoordinationStatus.Access {
    fileprivate init(_ claim: FileCoordinationWire.ClaimStatus) {
        self.init(
            participant: .init(
                claim.processID, claim.processName, claim.label, isStopped: claim.isStopped),
            purposeIdentifier: String(decoding: claim.purpose, as: UTF8.self),
            urls: claim.items.map {
                URL(pathBytes: $0.path.bytes, isDirectory: $0.isDirectory)
            },
            isWriting: claim.items.contains { $0.access.isWriting },
            since: claim.since, isGranted: claim.stage == .granted)
    }
}

extension FileCoordinationStatus.Access: CustomStringConvertible {
    /// The process, and what it holds or waits for: one sentence, without control characters.
    public var description: String {
        let place = participant.isInAnotherNamespace ? " in another namespace" : ""
        let label = UserText.line(participant.label)
        let who = "\(label) (pid \(participant.processIdentifier)\(place))"
        let paths = urls.map { UserText.line($0.path) }.joined(separator: " and ")
        let time = DurationText.text(since)
        return isGranted
            ? "\(who) has held \(paths) for \(isWriting ? "writing" : "reading") for \(time)."
            : "\(who) has waited to \(isWriting ? "write" : "read") \(paths) for \(time)."
    }
}

extension FileCoordinationStatus.Presenter {
    fileprivate init(_ presenter: FileCoordinationWire.PresenterStatus, at path: [UInt8]) {
        self.init(
            participant: .init(
                presenter.processID, presenter.processName, presenter.label,
                isStopped: presenter.isStopped),
            url: URL(pathBytes: path, isDirectory: false), isUnresponsive: presenter.isUnresponsive)
    }
}
#endif
