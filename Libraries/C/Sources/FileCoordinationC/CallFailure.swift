// SPDX-License-Identifier: Apache-2.0
//
// Why a call failed: the client's reasons, and the one that is C's own, in the codes and sentences
// of the header.

import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import FileTree

/// Why a call failed.
enum CallFailure: Error {
    /// The client's reason.
    case access(AccessFailure)
    /// New contents were not put in place.
    case replacing(ReplacingError)
    /// The item is not as the caller has seen it, which asked for just that.
    case differs(ItemDifference)
    /// The call means nothing; a sentence without its capital and its full stop.
    case usage(String)
}

extension CallFailure {
    /// What it is, as `fc_error_code` returns it.
    var code: Int32 {
        switch self {
        case .usage: FC_ERROR_USAGE
        case .access(.timedOut): FC_ERROR_TIMED_OUT
        case .access(.cancelled): FC_ERROR_CANCELLED
        case .access(.deadlock): FC_ERROR_DEADLOCK
        case .access(.dismissed): FC_ERROR_REFUSED
        case .access(.place): FC_ERROR_PATH
        case .access(.copy): FC_ERROR_COPY
        case .access(.system(let reason)): Self.code(of: reason)
        case .access(.refused(let bytes)): Refusal(bytes).code
        case .access(.stale), .differs, .replacing(.changed): FC_ERROR_STALE
        case .access(.unexamined), .replacing(.failed), .replacing(.unsuitable): FC_ERROR_FILE
        }
    }

    private static func code(of reason: FailureReason) -> Int32 {
        switch reason {
        case .arbiterUnreachable: FC_ERROR_UNAVAILABLE
        case .limitReached: FC_ERROR_LIMIT
        case .invalidOptions: FC_ERROR_USAGE
        }
    }

    /// Whose number it is, and the number.
    var number: (domain: String, number: Int) {
        let own = ("filecoordination", Int(code))
        return switch self {
        case .access(.refused(let bytes)):
            Refusal(bytes).presenter.map { ($0.domain, $0.code) } ?? own
        case .access(.place(let error, _)):
            error.errorNumber.map { ("errno", Int($0)) } ?? own
        case .access(.copy(let error as UploadError, _)):
            error.number.map { ("errno", Int($0)) } ?? own
        case .access(.unexamined(let error, _)), .replacing(.failed(let error, _, _)):
            ("errno", Int(error.code))
        case .access, .usage, .replacing, .differs: own
        }
    }

    /// Which item of the call is at fault; nil if that is not known.
    var item: Int? {
        switch self {
        case .access(.place(_, let item)), .access(.copy(_, let item)): item
        case .access(.stale(_, let item)), .access(.unexamined(_, let item)): item
        case .access, .usage, .replacing, .differs: nil
        }
    }

    /// The processes in the way.
    var parties: [Party] {
        switch self {
        case .access(.timedOut(_, let parties)), .access(.deadlock(let parties)): parties
        case .access, .usage, .replacing, .differs: []
        }
    }
}

/// A refusal, by a presenter or by the system in its name.
struct Refusal {
    /// What kind of failure it is to the caller.
    let code: Int32
    /// What the presenter said; nil if it was no presenter, or nothing that can be read.
    let presenter: PresenterRefusal?
    /// What happened, for people.
    let sentence: String

    /// The refusal that was sent as these bytes.
    init(_ bytes: [UInt8]) {
        guard bytes != PresenterFailure.noAnswer.payload else {
            (code, presenter) = (FC_ERROR_REFUSED, nil)
            sentence = PresenterRefusal.noAnswer.description
            return
        }
        guard let refusal = PresenterRefusal(decoding: bytes) else {
            (code, presenter) = (FC_ERROR_REFUSED, nil)
            sentence = PresenterRefusal.unreadable.description
            return
        }
        guard refusal.domain == PresenterRefusal.domainOfSystem else {
            (code, presenter) = (FC_ERROR_REFUSED, refusal)
            sentence = "A presenter refused: \(refusal.description)"
            return
        }
        presenter = nil
        sentence = refusal.description
        switch refusal.code {
        case 1: code = FC_ERROR_UNAVAILABLE
        case 2: code = FC_ERROR_LIMIT
        case 3: code = FC_ERROR_USAGE
        case _: code = FC_ERROR_REFUSED
        }
    }
}
