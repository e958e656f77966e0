// SPDX-License-Identifier: Apache-2.0
//
// Failures in words for people: what failed, who is in the way, what to do now.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import FileTree

extension CallFailure {
    /// What happened, who is in the way, and what to do; `paths` are those of the call.
    func message(_ paths: [[UInt8]]) -> String {
        let who = cycle?.sentences ?? parties.map { Sentence.of($0) }
        return ([reason(paths)] + who + (advice.map { [$0] } ?? [])).joined(separator: " ")
    }

    /// The cycle of waits, if there was one.
    private var cycle: CycleText? {
        guard case .access(.deadlock(let parties)) = self else { return nil }
        return CycleText(parties.map { Sentence.member($0) })
    }

    private func reason(_ paths: [[UInt8]]) -> String {
        switch self {
        case .usage(let text): return "The call means nothing: \(text)."
        case .access(.system(let reason)): return reason.sentence
        case .access(.place(let error, let item)):
            return Sentence.of(error, paths.indices.contains(item) ? paths[item] : [])
        case .access(.refused(let bytes)): return Refusal(bytes).sentence
        case .access(.copy(let error as UploadError, _)): return error.text
        case .access(.copy(let error, _)): return "The copy could not be made: \(error)."
        case .access(.deadlock):
            return CycleText.reason
        case .access(.timedOut(let timeout, _)):
            return "Access to \(Sentence.paths(paths)) was not granted within "
                + "\(DurationText.text(timeout))."
        case .access(.dismissed(let author, let reason)):
            return UserText.dismissal(by: author, reason: reason)
        case .access(.stale(let staleness, let item)):
            let path = paths.indices.contains(item) ? Sentence.path(paths[item]) : "An item"
            let writer = staleness.writer.map {
                " It was written last by \(UserText.who($0.label, "", $0.processID))."
            }
            return "\(path) is not as it was seen: \(staleness.difference.text)." + (writer ?? "")
        case .access(.unexamined(let error, let item)):
            let path = paths.indices.contains(item) ? Sentence.path(paths[item]) : "an item"
            return "Cannot look at \(path): \(ErrorNumber.reason(error.code))."
        case .differs(let difference):
            let path = paths.first.map { Sentence.path($0) } ?? "The item"
            return "\(path) is not as it was seen: \(difference.text)."
        case .replacing(let error): return Sentence.of(error)
        case .access(.cancelled):
            return "The wait for access to \(Sentence.paths(paths)) was cancelled."
        }
    }

    private var advice: String? {
        switch self {
        case .access(.timedOut):
            "Nothing was read or written. Try again, or ask them to finish."
        case .access(.deadlock): cycle?.advice
        case .access(.dismissed):
            "Nothing was read or written. A user ended this wait by hand; try again when the "
                + "reason no longer holds."
        case .access(.system(.limitReached)):
            "Nothing was read or written. End programs, claims or presenters that use up this "
                + "limit, and try again."
        case .access(.system): "Nothing was read or written. Remove the cause and try again."
        case .access(.copy(let error as UploadError, _)): error.advice
        case .access(.stale), .differs, .replacing(.changed):
            "Nothing was done. Read it again, and make the change anew."
        case .access(.refused(PresenterFailure.noAnswer.payload)): PresenterRefusal.noAnswer.advice
        case .access, .usage, .replacing: nil
        }
    }
}

/// Sentences about paths and processes.
enum Sentence {
    /// A process that is waited for, and what it does.
    static func of(_ party: Party) -> String {
        let (who, path) = (who(party), path(party))
        let time = DurationText.text(party.since)
        return switch party.role {
        case .holder: "\(who) has held \(path) for \(time)."
        case .waiter: "\(who) has waited for \(path) for \(time), and is ahead in the queue."
        case .presenter:
            "\(who) presents \(path) and has not answered \(party.message ?? "yet")."
        }
    }

    /// A process in a cycle of waits.
    static func member(_ party: Party) -> CycleMember {
        CycleMember(
            processID: party.processID,
            isOwn: party.processID == CurrentProcess.id, who: who(party), path: path(party),
            role: party.role, time: DurationText.text(party.since),
            message: party.message)
    }

    private static func who(_ party: Party) -> String {
        let label = UserText.line(party.label.isEmpty ? party.processName : party.label)
        let isElsewhere = ProcessNumber.isOfAnotherNamespace(party.processID)
        let number = "\(ProcessNumber.plain(party.processID))"
        return "\(label) (pid \(number)\(isElsewhere ? " in another namespace" : ""))"
    }

    private static func path(_ party: Party) -> String {
        party.path.isEmpty ? "something" : text(party.path)
    }

    /// Why new contents were not put in place.
    static func of(_ error: ReplacingError) -> String {
        switch error {
        case .changed(let path, let difference):
            "\(path) is not as it was seen: \(difference.text)."
        case .failed(let error, let verb, let path):
            "Cannot \(verb) \(path): \(ErrorNumber.reason(error.code))."
        case .unsuitable(let path, .directory): "\(path) is a directory: name a file in it."
        case .unsuitable(let path, .symbolicLink): "\(path) is a symbolic link."
        case .unsuitable(let path, .noRegularFile):
            "\(path) is not a regular file: only those can be replaced."
        case .unsuitable(let path, .severalNames(let count)):
            "\(path) is one of \(count) names of its file (hard links), and the others would keep "
                + "the old contents: write it in place."
        }
    }

    /// A path, for people.
    static func path(_ path: [UInt8]) -> String { text(path) }

    /// A path that names no place.
    static func of(_ error: PlaceError, _ path: [UInt8]) -> String {
        switch error {
        case .unsupportedScheme, .invalidName: "The path is empty."
        case .tooLong: "The path \(text(path)) is too long; shorten it or a directory's name."
        case .linkLoop: "The links on the way to \(text(path)) form a loop; remove one of them."
        case .notPermitted: "A directory on the way to \(text(path)) may not be entered."
        case .unreadable: "The directory of \(text(path)) cannot be looked at."
        }
    }

    /// The items of a call: all of a few, the first of many.
    static func paths(_ paths: [[UInt8]]) -> String {
        let shown = paths.prefix(3).map { text($0) }.joined(separator: ", ")
        return paths.count > 3 ? "\(shown) and \(paths.count - 3) more" : shown
    }

    private static func text(_ path: [UInt8]) -> String {
        UserText.line(String(decoding: path, as: UTF8.self))
    }
}
