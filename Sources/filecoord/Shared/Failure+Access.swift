// SPDX-License-Identifier: Apache-2.0
//
// Translates failures of the client library into an exit status and lines that say what happened
// and what the user can do.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import FileTree

extension Failure {
    /// The failure of an access to the items at `paths`.
    init(_ failure: AccessFailure, of paths: [NativePath]) {
        switch failure {
        case .system(let reason):
            self.init(status: Self.status(reason), lines: [reason.sentence, Self.advice(reason)])
        case .place(let error, let item):
            let path = paths.indices.contains(item) ? paths[item] : NativePath([])
            self.init(place: error, path)
        case .refused(let bytes):
            let refusal =
                PresenterRefusal.ofSystem(bytes) ?? PresenterRefusal(decoding: bytes) ?? .unreadable
            self.init(refusal: refusal, of: paths)
        case .copy(let error as UploadError, _):
            let status = error.number.map { Failure(errorNumber: $0, doing: "", path: "").status }
            self.init(
                status: status ?? ExitStatus.badPath.rawValue, lines: [error.text, error.advice])
        case .copy(let error, _): self.init(.inputOutput, "\(error)")
        case .deadlock(let parties):
            let cycle = UserText.cycle(parties)
            self.init(
                status: ExitStatus.refused.rawValue,
                lines: [CycleText.reason] + cycle.sentences.map { "  " + $0 } + [cycle.advice])
        case .dismissed(let author, let reason):
            self.init(
                .refused, UserText.dismissal(by: author, reason: reason),
                "Nothing was read or written. A user ended this wait by hand; try again when the "
                    + "reason no longer holds.")
        case .stale(let staleness, let item):
            self.init(staleness, paths.indices.contains(item) ? paths[item] : NativePath([]))
        case .unexamined(let error, let item):
            let path = paths.indices.contains(item) ? paths[item] : NativePath([])
            self.init(errorNumber: error.code, doing: "look at", path: path)
        case .timedOut, .cancelled:
            self.init(.refused, "Access was not granted.")
        }
    }

    /// The failure of an access to an item that is not as the user has seen it (Rule 18.16).
    private init(_ staleness: Staleness, _ path: NativePath) {
        let writer = staleness.writer.map { UserText.who($0.label, "", $0.processID) }
        self.init(
            .stale,
            "\(path) is not as it was when the token was taken: \(staleness.difference.text).",
            writer.map { "It was written last by \($0)." }
                ?? "Which program has changed it is not known.",
            "Nothing was done. Read it again, and make the change anew.")
    }

    /// The failure of a path that cannot be resolved.
    init(place error: PlaceError, _ path: NativePath) {
        let sentence =
            switch error {
            case .unsupportedScheme, .invalidName: "The path is empty or contains a NUL byte."
            case .tooLong: "The path \(path) is too long; shorten it or a directory's name."
            case .linkLoop: "The links on the way to \(path) form a loop; remove one of them."
            case .notPermitted: "A directory on the way to \(path) may not be entered."
            case .unreadable: "The directory of \(path) cannot be looked at."
            }
        self.init(.badPath, sentence)
    }

    /// A claim that a presenter refused (Rule 9.1).
    private init(refusal: PresenterRefusal, of paths: [NativePath]) {
        let isOfProvider =
            refusal.domain == PresenterRefusal.noProvider.domain
            && PresenterRefusal.codesOfProviders.contains(refusal.code)
        guard refusal.domain != PresenterRefusal.domainOfSystem, !isOfProvider else {
            let status: ExitStatus =
                switch refusal.code {
                case 1, 2: .unavailable
                case 3: .usage
                case _: isOfProvider ? .unavailable : .refused
                }
            self.init(
                status: status.rawValue,
                lines: [refusal.description] + (refusal.advice.map { [$0] } ?? []))
            return
        }
        let presenters = ItemPresenters(of: paths)
        self.init(
            status: ExitStatus.refused.rawValue,
            lines: [
                "\(presenters.author) refused: \(refusal.description) "
                    + "(\(refusal.domain) \(refusal.code))"
            ] + presenters.candidates + [
                "Nothing was read or written. The presenter could not save or give up its item; "
                    + "remove the cause there, and try again."
            ])
    }

    private static func status(_ reason: FailureReason) -> Int32 {
        switch reason {
        case .arbiterUnreachable, .limitReached: ExitStatus.unavailable.rawValue
        case .invalidOptions: ExitStatus.usage.rawValue
        }
    }

    private static func advice(_ reason: FailureReason) -> String {
        switch reason {
        case .arbiterUnreachable: "Nothing was read or written. Remove the cause and try again."
        case .limitReached:
            "Nothing was read or written. End programs, claims or presenters that use up this "
                + "limit, and try again."
        case .invalidOptions: "Nothing was read or written. Correct the call."
        }
    }
}

extension UserText {
    /// A cycle of waits.
    static func cycle(_ parties: [Party]) -> CycleText {
        CycleText(
            parties.map { party in
                CycleMember(
                    processID: party.processID,
                    isOwn: party.processID == CurrentProcess.id,
                    who: who(party.label, party.processName, party.processID),
                    path: party.path.isEmpty ? "something" : text(party.path), role: party.role,
                    time: DurationText.text(party.since), message: party.message)
            })
    }
}
