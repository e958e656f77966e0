// SPDX-License-Identifier: Apache-2.0
//
// Converts the client's failures to the errors that callers get: errors of Foundation, of
// presenters, and ``FileCoordinationError``.

#if !canImport(Darwin)
import FileCoordinationArbiter
package import FileCoordinationClient
import FileCoordinationWire
import FileTree
package import Foundation
import FoundationCompatibility

extension FailureReason {
    /// The error domain of the coordination system.
    package static let domain = FileCoordinationErrorDomain

    /// The error that callers get.
    var error: FileCoordinationError {
        switch self {
        case .arbiterUnreachable: FileCoordinationError(.arbiterUnreachable, reason: sentence)
        case .limitReached: FileCoordinationError(.limitExceeded, reason: sentence)
        case .invalidOptions: FileCoordinationError(.invalidOptions, reason: sentence)
        }
    }

    /// The error that calls with Apple's signatures return.
    package var nsError: NSError { error.nsError }
}

extension AccessFailure {
    /// Converts the failure to the error that calls with Apple's signatures return.
    ///
    /// - Parameter items: the items of the call, and whether each was to be written.
    /// - Returns: an error of ``FileCoordinationErrorDomain``, of Foundation, or of the presenter
    ///   that refused.
    package func nsError(named items: [(url: URL, isWriting: Bool)]) -> NSError {
        if let own = ownError(items) { return own.nsError }
        switch self {
        case .place(let error, let index):
            let item = items.indices.contains(index) ? items[index] : nil
            let url = item?.url ?? URL(fileURLWithPath: "/")
            return error.nsError(url: url, writing: item?.isWriting ?? false)
        case .refused(let bytes):
            return PresenterRefusal.ofSystem(bytes)?.nsError ?? ErrorCoding.decode(bytes)
        case .unexamined(let error, let index) where items.indices.contains(index):
            return PlaceError(error).nsError(
                url: items[index].url, writing: items[index].isWriting)
        case .copy(let error as UploadError, let index) where items.indices.contains(index):
            return error.nsError(item: items[index].url)
        case .copy(let error, _): return error as NSError
        case .system, .deadlock, .timedOut, .dismissed, .cancelled, .stale, .unexamined:
            return NSError(domain: NSCocoaErrorDomain, code: CocoaError.userCancelled.rawValue)
        }
    }

    /// Returns the error for items that were requested by their paths.
    package func nsError(_ items: [RequestedItem] = []) -> NSError {
        nsError(named: items.map { (URL($0.name), $0.access.isWriting) })
    }

    /// Returns the error that the throwing calls throw.
    func thrown(_ items: [(url: URL, isWriting: Bool)]) -> any Error {
        if let own = ownError(items) { return own }
        let error = nsError(named: items)
        if let own = error.userInfo[FileCoordinationError.userInfoKey] as? FileCoordinationError {
            return own
        }
        guard error.domain == NSCocoaErrorDomain, error.code == CocoaError.userCancelled.rawValue
        else { return error }
        // A presenter may have refused with this code, and said why (Rule 9.2).
        return CocoaError(.userCancelled, userInfo: error.userInfo)
    }

    /// Returns the error of the coordination system; nil if the failure is another one.
    private func ownError(_ items: [(url: URL, isWriting: Bool)]) -> FileCoordinationError? {
        switch self {
        case .system(let reason): return reason.error
        case .deadlock(let parties):
            let parties = parties.map { FileCoordinationError.Party($0) }
            return FileCoordinationError(
                .deadlock, url: parties.first?.url, parties: parties, reason: CycleText.reason)
        case .timedOut(let timeout, let parties):
            let paths = items.prefix(3).map { UserText.line($0.url.path) }
            let what =
                (paths.isEmpty ? "nothing" : paths.joined(separator: ", "))
                + (items.count > 3 ? " and \(items.count - 3) more" : "")
            let time = DurationText.text(timeout)
            return FileCoordinationError(
                .timedOut, url: items.first?.url, parties: parties.map { .init($0) },
                reason: "Access to \(what) was not granted within \(time).")
        case .dismissed(let author, let reason):
            return FileCoordinationError(
                .dismissed, url: items.first?.url,
                reason: UserText.dismissal(by: author, reason: reason))
        case .stale(let staleness, let index):
            let url = items.indices.contains(index) ? items[index].url : nil
            let path = UserText.line(url?.path ?? "The item")
            return FileCoordinationError(
                .stale, url: url,
                parties: staleness.writer.map { [.init(writer: $0, of: url)] } ?? [],
                reason: "\(path) is not as it was seen: \(staleness.difference.text).")
        case .refused(PresenterFailure.noAnswer.payload):
            return FileCoordinationError(
                .unanswered, url: items.first?.url,
                reason: PresenterRefusal.noAnswer.description)
        case .place, .refused, .copy, .cancelled, .unexamined: return nil
        }
    }
}

extension PresenterRefusal {
    /// The error for programs with Foundation.
    fileprivate var nsError: NSError {
        var userInfo = [NSLocalizedDescriptionKey: description]
        userInfo[NSLocalizedRecoverySuggestionErrorKey] = advice
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}
#endif
