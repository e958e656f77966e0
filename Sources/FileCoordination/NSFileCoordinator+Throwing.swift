// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: calls that throw, return what the accessor returns, and can have a deadline.
// They are disfavored overloads: in an async function, where waiting must not block the thread, the
// compiler chooses the async ones.

#if !canImport(Darwin)
import FileCoordinationClient
public import Foundation

extension NSFileCoordinator {
    /// Reads an item once no other claim writes it, and once its presenters have saved it.
    ///
    /// ```swift
    /// let size = try coordinator.coordinate(readingItemAt: url, timeout: .seconds(5)) {
    ///     try Data(contentsOf: $0).count
    /// }
    /// ```
    ///
    /// In an `async` function, the compiler chooses the `async` overload, which blocks no thread.
    /// If you need this one there, for example because the accessor must stay on its thread, make
    /// the call in a function that is not `async`, or in a closure that is called at once: `try {
    /// try coordinator.coordinate(readingItemAt: url) { … } }()`. It then blocks a thread of the
    /// cooperative pool while it waits. At the top level of a script, the compiler chooses this
    /// overload even after `await`.
    ///
    /// **Threads.** Blocks the calling thread until access is granted, and runs the accessor on it
    /// (Rule 13.8).
    ///
    /// **Cost.** No message if the item is delegated to this process; otherwise two messages to the
    /// server, and the answers of presenters. The call does not take part in ticket queues
    /// (<doc:Performance>).
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will read the item.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer
    ///     (Rule 18.1).
    ///   - token: the state in which the item must be, or the accessor does not run and the error
    ///     is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - reader: the accessor. Runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func coordinate<R>(
        readingItemAt url: URL, options: ReadingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil,
        byAccessor reader: (URL) throws -> R
    ) throws -> R {
        try core.perform(ItemsOfCall(CallItem(reading: url, options, onlyIf: token)), timeout) {
            try reader($0[0])
        }
    }

    /// Writes an item once no other claim reads or writes it, and its presenters have relinquished
    /// it.
    ///
    /// **Threads and cost.** As those of
    /// ``coordinate(readingItemAt:options:timeout:onlyIf:byAccessor:)``, which has an example. A
    /// write to an item with versions also looks after the version store (Rule 10.2).
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will write the item.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - token: the state in which the item must be, or the accessor does not run and the error
    ///     is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - writer: the accessor. Runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func coordinate<R>(
        writingItemAt url: URL, options: WritingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil,
        byAccessor writer: (URL) throws -> R
    ) throws -> R {
        try core.perform(ItemsOfCall(CallItem(writing: url, options, onlyIf: token)), timeout) {
            try writer($0[0])
        }
    }

    /// Reads one item and writes another, with one claim that is granted for both at once (Rule
    /// 2.13).
    ///
    /// ```swift
    /// try coordinator.coordinate(
    ///     readingItemAt: draft, options: [], writingItemAt: page, options: .forReplacing
    /// ) { draft, page in
    ///     try Data(contentsOf: draft).write(to: page, options: .atomic)
    /// }
    /// ```
    ///
    /// **Threads.** As ``coordinate(readingItemAt:options:timeout:onlyIf:byAccessor:)``.
    ///
    /// **Cost.** Two messages to the server, and the answers of presenters: a claim on several
    /// items is never delegated.
    ///
    /// - Parameters:
    ///   - readingURL: the item to read.
    ///   - readingOptions: how the accessor will read it.
    ///   - writingURL: the item to write.
    ///   - writingOptions: how the accessor will write it.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - token: the state in which the item to write must be, or the accessor does not run and
    ///     the error is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - readerWriter: the accessor. Runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func coordinate<R>(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        timeout: Duration? = nil,
        onlyIf token: FileToken? = nil, byAccessor readerWriter: (URL, URL) throws -> R
    ) throws -> R {
        try core.perform(
            ItemsOfCall([
                CallItem(reading: readingURL, readingOptions),
                CallItem(writing: writingURL, writingOptions, onlyIf: token),
            ]), timeout
        ) { try readerWriter($0[0], $0[1]) }
    }

    /// Writes two items, with one claim that is granted for both at once (Rule 2.13).
    ///
    /// **Threads and cost.** As those of
    /// ``coordinate(readingItemAt:options:writingItemAt:options:timeout:onlyIf:byAccessor:)``,
    /// which has an example.
    ///
    /// - Parameters:
    ///   - url1: the first item.
    ///   - options1: how the accessor will write it.
    ///   - url2: the second item.
    ///   - options2: how the accessor will write it.
    ///   - timeout: how long to wait for access; nil for no limit. The accessor may take longer.
    ///   - tokens: the states in which the items must be, or the accessor does not run and the
    ///     error is ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - writer: the accessor. Runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error,
    ///   ``FileCoordinationError``, or an error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func coordinate<R>(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        timeout: Duration? = nil,
        onlyIf tokens: (FileToken?, FileToken?) = (nil, nil),
        byAccessor writer: (URL, URL) throws -> R
    ) throws -> R {
        try core.perform(
            ItemsOfCall([
                CallItem(writing: url1, options1, onlyIf: tokens.0),
                CallItem(writing: url2, options2, onlyIf: tokens.1),
            ]),
            timeout
        ) { try writer($0[0], $0[1]) }
    }
}
#endif
