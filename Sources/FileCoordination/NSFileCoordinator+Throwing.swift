// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: calls that throw, return what the accessor returns, and can have a deadline. They
// are disfavoured beside their async overloads, so that in an async function, where a wait must not
// hold the thread, the compiler takes those.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationSystem
public import Foundation

extension NSFileCoordinator {
    /// Reads an item once nobody writes it, and once its presenters have saved it.
    ///
    /// In an `async` function the compiler takes the `async` overload of this call.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how it will be read.
    ///   - timeout: how long to wait; nil: without bound. It bounds the wait alone, not the
    ///     accessor (Rule 18.1).
    ///   - reader: runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error, or
    ///   ``FileCoordinationError``.
    @_disfavoredOverload
    public func coordinate<R>(
        readingItemAt url: URL, options: ReadingOptions = [], timeout: Duration? = nil,
        byAccessor reader: (URL) throws -> R
    ) throws -> R {
        try core.perform([RequestedItem(reading: url, options)], timeout) { try reader($0[0]) }
    }

    /// Writes an item once nobody else reads or writes it, and its presenters have let go of it.
    ///
    /// See ``coordinate(readingItemAt:options:timeout:byAccessor:)`` for what is returned and
    /// thrown.
    @_disfavoredOverload
    public func coordinate<R>(
        writingItemAt url: URL, options: WritingOptions = [], timeout: Duration? = nil,
        byAccessor writer: (URL) throws -> R
    ) throws -> R {
        try core.perform([RequestedItem(writing: url, options)], timeout) { try writer($0[0]) }
    }

    /// Reads one item and writes another, as one claim that is granted whole (Rule 2.13).
    ///
    /// See ``coordinate(readingItemAt:options:timeout:byAccessor:)`` for what is returned and
    /// thrown.
    @_disfavoredOverload
    public func coordinate<R>(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        timeout: Duration? = nil, byAccessor readerWriter: (URL, URL) throws -> R
    ) throws -> R {
        try core.perform(
            [
                RequestedItem(reading: readingURL, readingOptions),
                RequestedItem(writing: writingURL, writingOptions),
            ], timeout
        ) { try readerWriter($0[0], $0[1]) }
    }

    /// Writes two items, as one claim that is granted whole (Rule 2.13).
    ///
    /// See ``coordinate(readingItemAt:options:timeout:byAccessor:)`` for what is returned and
    /// thrown.
    @_disfavoredOverload
    public func coordinate<R>(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        timeout: Duration? = nil, byAccessor writer: (URL, URL) throws -> R
    ) throws -> R {
        try core.perform(
            [RequestedItem(writing: url1, options1), RequestedItem(writing: url2, options2)],
            timeout
        ) { try writer($0[0], $0[1]) }
    }
}

extension CoordinatorCore {
    /// Waits for access until a deadline, and runs `accessor` on this thread.
    func perform<R>(
        _ items: [RequestedItem], _ timeout: Duration?, _ accessor: ([URL]) throws -> R
    ) throws -> R {
        let access: CoordinatedAccess
        do {
            access = try begin(items)
        } catch {
            throw Self.thrown(error)
        }
        defer { placePresenter() }
        switch wait(for: access, timeout) {
        case .granted: return try run(access, accessor)
        case .failed(let error): throw Self.thrown(error)
        case .cancelled, .timedOut: throw CocoaError(.userCancelled)
        }
    }

    private func wait(for access: CoordinatedAccess, _ timeout: Duration?) -> AccessEnding {
        defer { endWaiting(access) }
        guard let timeout else { return access.wait() ?? .cancelled }
        if let ending = access.wait(until: MonotonicClock.after(timeout)) { return ending }
        let error = access.timeOutError(after: timeout)
        access.giveUp(.timedOut)
        switch access.wait() {
        case .timedOut, nil: return .failed(error.nsError)
        case let ending?: return ending
        }
    }

    /// The error as the throwing calls throw it.
    static func thrown(_ error: NSError) -> any Error {
        if let own = error.userInfo[FileCoordinationError.userInfoKey] as? FileCoordinationError {
            return own
        }
        let isCancelled =
            error.domain == NSCocoaErrorDomain && error.code == CocoaError.userCancelled.rawValue
        return isCancelled ? CocoaError(.userCancelled) : error
    }
}

extension CoordinatedAccess {
    /// How long the arbiter may take to say who is in the way.
    private static let explanationPatience = Duration.milliseconds(100)

    /// The error for a deadline that has passed: it names those in the way (Rule 18.1).
    func timeOutError(after timeout: Duration) -> FileCoordinationError {
        let parties = explain(until: MonotonicClock.after(Self.explanationPatience)) ?? []
        let path = requests.first?.url.path ?? "nothing"
        let time = timeout.credible.formatted(
            .units(allowed: [.minutes, .seconds, .milliseconds]))
        return FileCoordinationError(
            .timedOut, url: requests.first?.url, parties: parties.map { .init($0) },
            reason: "Access to \(path) was not granted within \(time).")
    }

    /// Whether the wait has not ended.
    var isWaiting: Bool { state.withLock { $0.ending == nil && $0.givenUp == nil } }
}
#endif
