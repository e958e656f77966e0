// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: who holds an item, who waits for it, who presents it (Rule 18.5); what `filecoord
// status` shows, for programs.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
public import Foundation

/// Who holds an item, who waits for it and who presents it, at one moment.
///
/// ```swift
/// let status = try FileCoordinationStatus(ofItemAt: document)
/// for holder in status.holders { print(holder.participant.label, "for", holder.since) }
/// ```
///
/// It may be out of date when it arrives: show it to people, and do not decide by it whether to
/// access the item. A deadline does that.
public struct FileCoordinationStatus: Sendable {
    /// A process that takes part.
    public struct Participant: Hashable, Sendable {
        /// Its number; in another process namespace than this one if ``isInAnotherNamespace``.
        public let processIdentifier: Int32
        /// Whether the process is in another process namespace, as in a container.
        public let isInAnotherNamespace: Bool
        /// The name of its program.
        public let processName: String
        /// What people know it by: its label, else the name of its program (Rule 18.15).
        ///
        /// Another program's choice; escape control characters before you show it.
        public let label: String
        /// Whether the process is stopped, as by Control-Z (Rule 18.6).
        public let isStopped: Bool
    }

    /// An access that is held, or waits.
    public struct Access: Hashable, Sendable {
        /// Whose it is.
        public let participant: Participant
        /// What it is for.
        public let purposeIdentifier: String
        /// Its items: all of the call's.
        public let urls: [URL]
        /// Whether it writes any of them.
        public let isWriting: Bool
        /// For how long it has been held, or has waited.
        public let since: Duration
    }

    /// A presenter.
    public struct Presenter: Hashable, Sendable {
        /// Whose it is.
        public let participant: Participant
        /// What it presents.
        public let url: URL
        /// Whether it has not answered in time, and is passed over (Rule 18.3).
        public let isUnresponsive: Bool
    }

    /// The accesses that are granted.
    public let holders: [Access]
    /// The accesses that wait for others, or for presenters; in the order of their claims.
    public let waiters: [Access]
    /// The presenters, in the order of registration.
    public let presenters: [Presenter]

    /// Asks the arbiter about an item, and about what is inside of it if it is a directory.
    ///
    /// Blocks the thread until the arbiter has answered, as a rule for less than a millisecond, at
    /// most for some seconds. Not to be asked in a loop: for the answer, what was delegated to
    /// programs is taken back.
    ///
    /// - Parameter url: the item; it need not exist. Links on the way are followed, a final one is
    ///   not (Rules 1.3, 1.4).
    /// - Throws: an error of Foundation if the URL names no place (Rule 1.10), or
    ///   ``FileCoordinationError`` if the arbiter cannot be asked.
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

    /// The part of a report that is about a place; nothing if there is no report.
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
            since: .nanoseconds(claim.sinceNanoseconds))
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
