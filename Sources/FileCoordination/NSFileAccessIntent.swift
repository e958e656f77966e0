// SPDX-License-Identifier: Apache-2.0
//
// One item of a coordinated access to several items. The caller creates intents, the coordinator
// claims them all at once (Rule 2.13), and the accessor gets the present URLs from them (Rule
// 13.3).

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation

/// An item of a coordinated access, the kind of access, and the item's present URL.
///
/// The caller creates intents and passes them to the coordinator; the accessor uses the same
/// instances (Rule 13.3). In the accessor, use the intent's ``url`` instead of the URL with which
/// it was created.
///
/// ```swift
/// let source = NSFileAccessIntent.readingIntent(with: template)
/// let target = NSFileAccessIntent.writingIntent(with: document)
/// try await NSFileCoordinator().coordinate(with: [source, target]) { _ in
///     try Data(contentsOf: source.url).write(to: target.url)
/// }
/// ```
///
/// Do not create one with `NSFileAccessIntent()`: such an intent has no item, and calls fail with
/// it.
///
/// **Threads.** An intent may be created, passed and read on any thread.
///
/// **Cost.** An intent is a value in memory. The call with it costs what its items cost.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
    /// The request with which the intent was created.
    package enum Request: Hashable, Sendable {
        /// Created by ``NSFileAccessIntent/readingIntent(with:options:)``.
        case reading(NSFileCoordinator.ReadingOptions)
        /// Created by ``NSFileAccessIntent/writingIntent(with:options:)``.
        case writing(NSFileCoordinator.WritingOptions)
        /// Created without an item.
        case nothing
    }

    private struct Target: Sendable {
        var request: Request
        var url: URL
    }

    private let target: Lock<Target>

    /// Creates an intent without an item, which calls reject.
    ///
    /// Use the two class methods instead: a call with such an intent fails with
    /// ``FileCoordinationError/Code/invalidOptions``.
    public required override init() {
        let nowhere = URL(fileURLWithPath: "/", isDirectory: true)
        target = Lock(Target(request: .nothing, url: nowhere))
        super.init()
    }

    /// Creates an intent to read the item at `url`.
    ///
    /// Nothing is claimed, and the URL is not looked at, before a coordinator gets the intent.
    ///
    /// ```swift
    /// let reading = NSFileAccessIntent.readingIntent(with: url, options: .withoutChanges)
    /// ```
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will read the item.
    /// - Returns: the intent.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> Self {
        let intent = Self()
        intent.target.withLock { $0 = Target(request: .reading(options), url: url) }
        return intent
    }

    /// Creates an intent to write the item at `url`.
    ///
    /// Nothing is claimed, and the URL is not looked at, before a coordinator gets the intent.
    ///
    /// ```swift
    /// let writing = NSFileAccessIntent.writingIntent(with: url, options: .forDeleting)
    /// ```
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will write the item.
    /// - Returns: the intent.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> Self {
        let intent = Self()
        intent.target.withLock { $0 = Target(request: .writing(options), url: url) }
        return intent
    }

    /// The present URL of the item.
    ///
    /// If the item has not moved, this is the URL with which the intent was created, unchanged
    /// (Rule 1.8). The coordinator sets it before the accessor starts; read it there, on any
    /// thread. A later use of the intent sets it anew.
    open var url: URL { target.withLock { $0.url } }

    /// The request with which the intent was created.
    package var request: Request { target.withLock { $0.request } }

    /// Sets the item's present URL.
    ///
    /// The session calls this before the accessor starts.
    package func rewrite(url: URL) {
        target.withLock { $0.url = url }
    }
}
#endif
