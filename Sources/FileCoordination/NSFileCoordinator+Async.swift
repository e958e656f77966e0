// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: coordinated access from tasks. No call blocks a thread while it waits, and
// cancelling the task ends the wait (Rule 18.11). The accessor runs on the caller's actor. The
// claim lasts until the accessor returns, even while it is suspended.

#if !canImport(Darwin)
import FileCoordinationClient
public import Foundation

extension NSFileCoordinator {
    /// Reads an item once no other claim writes it, and once its presenters have saved it.
    ///
    /// ```swift
    /// let data = try await NSFileCoordinator().coordinate(
    ///     readingItemAt: url, timeout: .seconds(5)
    /// ) { try Data(contentsOf: $0) }
    /// ```
    ///
    /// Call it in an `async` function or closure. In the top-level code of a script, the compiler
    /// chooses the overload that blocks the thread, and warns that there is nothing to `await`.
    ///
    /// **Threads.** Blocks no thread while it waits (Rule 18.11). Runs the accessor on the caller's
    /// actor. Work that blocks, such as finding the item, is done on a pool of the library's own.
    ///
    /// **Cost.** No message if the item is delegated to this process; otherwise two messages to the
    /// server, and the answers of presenters. In addition to that, two changes of thread. The call
    /// does not take part in ticket queues (<doc:Performance>).
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will read the item.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer
    ///     (Rule 18.1).
    ///   - token: the state in which the item must be, or the accessor does not run and the error
    ///     is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - isolation: the caller's actor, on which the accessor runs.
    ///   - reader: the accessor. Access lasts until it returns. It does not extend to tasks that
    ///     the accessor starts and does not await (Rule 13.9).
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled` (also when the task is
    ///   cancelled while it waits), a presenter's error, ``FileCoordinationError``, or an error
    ///   about the URL: see ``NSFileCoordinator``.
    public func coordinate<R>(
        readingItemAt url: URL, options: ReadingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil,
        isolation: isolated (any Actor)? = #isolation, byAccessor reader: (URL) async throws -> R
    ) async throws -> R {
        try await core.perform(ItemsOfCall(CallItem(reading: url, options, onlyIf: token)), timeout)
        {
            try await reader($0[0])
        }
    }

    /// Writes an item once no other claim reads or writes it, and its presenters have relinquished
    /// it.
    ///
    /// **Threads and cost.** As those of
    /// ``coordinate(readingItemAt:options:timeout:onlyIf:isolation:byAccessor:)``, which has an
    /// example. A write to an item with versions also looks after the version store (Rule 10.2).
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will write the item.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - token: the state in which the item must be, or the accessor does not run and the error
    ///     is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - isolation: the caller's actor, on which the accessor runs.
    ///   - writer: the accessor. Access lasts until it returns.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    public func coordinate<R>(
        writingItemAt url: URL, options: WritingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil,
        isolation: isolated (any Actor)? = #isolation, byAccessor writer: (URL) async throws -> R
    ) async throws -> R {
        try await core.perform(ItemsOfCall(CallItem(writing: url, options, onlyIf: token)), timeout)
        {
            try await writer($0[0])
        }
    }

    /// Reads one item and writes another, with one claim that is granted for both at once (Rule
    /// 2.13).
    ///
    /// ```swift
    /// try await NSFileCoordinator().coordinate(
    ///     readingItemAt: draft, options: [], writingItemAt: page, options: .forReplacing
    /// ) { draft, page in
    ///     try Data(contentsOf: draft).write(to: page, options: .atomic)
    /// }
    /// ```
    ///
    /// **Threads.** As ``coordinate(readingItemAt:options:timeout:onlyIf:isolation:byAccessor:)``.
    ///
    /// **Cost.** Two messages to the server, the answers of presenters, and two changes of thread:
    /// a claim on several items is never delegated.
    ///
    /// - Parameters:
    ///   - readingURL: the item to read.
    ///   - readingOptions: how the accessor will read it.
    ///   - writingURL: the item to write.
    ///   - writingOptions: how the accessor will write it.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - token: the state in which the item to write must be, or the accessor does not run and
    ///     the error is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - isolation: the caller's actor, on which the accessor runs.
    ///   - readerWriter: the accessor. Access lasts until it returns.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    public func coordinate<R>(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        timeout: Duration? = nil,
        onlyIf token: FileToken? = nil, isolation: isolated (any Actor)? = #isolation,
        byAccessor readerWriter: (URL, URL) async throws -> R
    ) async throws -> R {
        try await core.perform(
            ItemsOfCall([
                CallItem(reading: readingURL, readingOptions),
                CallItem(writing: writingURL, writingOptions, onlyIf: token),
            ]), timeout
        ) { try await readerWriter($0[0], $0[1]) }
    }

    /// Writes two items, with one claim that is granted for both at once (Rule 2.13).
    ///
    /// **Threads and cost.** As those of the form that reads one item and writes another, which has
    /// an example.
    ///
    /// - Parameters:
    ///   - url1: the first item.
    ///   - options1: how the accessor will write it.
    ///   - url2: the second item.
    ///   - options2: how the accessor will write it.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - tokens: the states in which the items must be, or the accessor does not run and the
    ///     error is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - isolation: the caller's actor, on which the accessor runs.
    ///   - writer: the accessor. Access lasts until it returns.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    public func coordinate<R>(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        timeout: Duration? = nil,
        onlyIf tokens: (FileToken?, FileToken?) = (nil, nil),
        isolation: isolated (any Actor)? = #isolation,
        byAccessor writer: (URL, URL) async throws -> R
    ) async throws -> R {
        try await core.perform(
            ItemsOfCall([
                CallItem(writing: url1, options1, onlyIf: tokens.0),
                CallItem(writing: url2, options2, onlyIf: tokens.1),
            ]),
            timeout
        ) { try await writer($0[0], $0[1]) }
    }

    /// Accesses the items of intents, with one claim that is granted for all at once (Rule 2.13).
    ///
    /// The accessor gets the same intents with their present URLs (Rule 13.3).
    /// ``NSFileAccessIntent`` has an example.
    ///
    /// **Threads and cost.** As those of
    /// ``coordinate(readingItemAt:options:timeout:onlyIf:isolation:byAccessor:)``. A claim on
    /// several items is never delegated.
    ///
    /// - Parameters:
    ///   - intents: the items, and how each will be accessed.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - tokens: the states in which the items must be, one for each intent, or the accessor does
    ///     not run and the error is ``FileCoordinationError/stale``; nil, or none at all, for any
    ///     (Rule 18.16).
    ///   - isolation: the caller's actor, on which the accessor runs.
    ///   - accessor: the accessor. Access lasts until it returns.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    public func coordinate<R>(
        with intents: [NSFileAccessIntent], timeout: Duration? = nil,
        onlyIf tokens: [FileToken?] = [],
        isolation: isolated (any Actor)? = #isolation,
        byAccessor accessor: ([NSFileAccessIntent]) async throws -> R
    ) async throws -> R {
        let items = ItemsOfCall(try [CallItem](intents, onlyIf: tokens))
        return try await core.perform(items, timeout) { urls in
            for (intent, url) in zip(intents, urls) { intent.rewrite(url: url) }
            return try await accessor(intents)
        }
    }
}
#endif
