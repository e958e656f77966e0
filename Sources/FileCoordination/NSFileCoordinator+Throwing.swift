// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: calls that throw, return what the accessor returns, and can have a deadline. They
// are disfavoured beside their async overloads, so that in an async function, where a wait must not
// hold the thread, the compiler takes those.

#if !canImport(Darwin)
import FileCoordinationClient
public import Foundation

extension NSFileCoordinator {
    /// Reads an item once no other claim writes it, and once its presenters have saved it.
    ///
    /// In an `async` function the compiler takes the `async` overload of this call, which holds no
    /// thread while it waits. Where it must be this one, as for an accessor that has to stay on its
    /// thread, make the call in a function of its own that is not `async`, or in a closure that is
    /// called on the spot: `try { try coordinator.coordinate(readingItemAt: url) { … } }()`. It
    /// blocks a thread of the cooperative pool while it waits. At the top level of a script the
    /// compiler takes this call, also behind `await`.
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
        try core.perform(ItemsOfCall(CallItem(reading: url, options)), timeout) {
            try reader($0[0])
        }
    }

    /// Writes an item once no other claim reads or writes it, and its presenters have let go of it.
    ///
    /// See ``coordinate(readingItemAt:options:timeout:byAccessor:)``.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how it will be written.
    ///   - timeout: how long to wait; nil: without bound. It bounds the wait, not the accessor.
    ///   - writer: runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error, or
    ///   ``FileCoordinationError``.
    @_disfavoredOverload
    public func coordinate<R>(
        writingItemAt url: URL, options: WritingOptions = [], timeout: Duration? = nil,
        byAccessor writer: (URL) throws -> R
    ) throws -> R {
        try core.perform(ItemsOfCall(CallItem(writing: url, options)), timeout) {
            try writer($0[0])
        }
    }

    /// Reads one item and writes another, as one claim that is granted whole (Rule 2.13).
    ///
    /// See ``coordinate(readingItemAt:options:timeout:byAccessor:)``.
    ///
    /// - Parameters:
    ///   - readingURL: the item to read.
    ///   - readingOptions: how it will be read.
    ///   - writingURL: the item to write.
    ///   - writingOptions: how it will be written.
    ///   - timeout: how long to wait; nil: without bound. It bounds the wait, not the accessor.
    ///   - readerWriter: runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error, or
    ///   ``FileCoordinationError``.
    @_disfavoredOverload
    public func coordinate<R>(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        timeout: Duration? = nil, byAccessor readerWriter: (URL, URL) throws -> R
    ) throws -> R {
        try core.perform(
            ItemsOfCall(
                CallItem(reading: readingURL, readingOptions),
                CallItem(writing: writingURL, writingOptions)), timeout
        ) { try readerWriter($0[0], $0[1]) }
    }

    /// Writes two items, as one claim that is granted whole (Rule 2.13).
    ///
    /// See ``coordinate(readingItemAt:options:timeout:byAccessor:)``.
    ///
    /// - Parameters:
    ///   - url1: one item.
    ///   - options1: how it will be written.
    ///   - url2: the other item.
    ///   - options2: how that will be written.
    ///   - timeout: how long to wait; nil: without bound. It bounds the wait, not the accessor.
    ///   - writer: runs on the calling thread, with access.
    /// - Returns: what the accessor returns.
    /// - Throws: what the accessor throws, `CocoaError.userCancelled`, a presenter's error, or
    ///   ``FileCoordinationError``.
    @_disfavoredOverload
    public func coordinate<R>(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        timeout: Duration? = nil, byAccessor writer: (URL, URL) throws -> R
    ) throws -> R {
        try core.perform(
            ItemsOfCall(CallItem(writing: url1, options1), CallItem(writing: url2, options2)),
            timeout
        ) { try writer($0[0], $0[1]) }
    }
}
#endif
