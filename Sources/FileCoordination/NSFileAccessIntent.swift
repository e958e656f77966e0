// SPDX-License-Identifier: Apache-2.0
//
// One item of a coordinated access to several items. The caller makes intents, the coordinator
// claims them all at once (Rule 2.13), and the accessor looks into them for where the items are by
// then (Rule 13.3).

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation

/// What one coordinated access wants with one item, and where that item is.
///
/// Made by the caller and handed to the coordinator; the same instances are what the accessor uses
/// (Rule 13.3). An intent is a reference: inside the accessor ask it for ``url`` instead of using
/// the URL with which it was made.
///
/// ```swift
/// let source = NSFileAccessIntent.readingIntent(with: template)
/// let target = NSFileAccessIntent.writingIntent(with: document)
/// try await NSFileCoordinator().coordinate(with: [source, target]) { _ in
///     try Data(contentsOf: source.url).write(to: target.url)
/// }
/// ```
///
/// Do not make one with `NSFileAccessIntent()`: such an intent has no item, and calls refuse it.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
    /// What the caller asked for when it made the intent.
    package enum Request: Hashable, Sendable {
        /// Made by ``NSFileAccessIntent/readingIntent(with:options:)``.
        case reading(NSFileCoordinator.ReadingOptions)
        /// Made by ``NSFileAccessIntent/writingIntent(with:options:)``.
        case writing(NSFileCoordinator.WritingOptions)
        /// Made by neither, so that there is no item.
        case nothing
    }

    private struct Wish: Sendable {
        var request: Request
        var url: URL
    }

    private let wish: Lock<Wish>

    /// An intent without an item; calls refuse it, so use the two class methods instead.
    public required override init() {
        let nowhere = URL(fileURLWithPath: "/", isDirectory: true)
        wish = Lock(Wish(request: .nothing, url: nowhere))
        super.init()
    }

    /// An intent to read the item at `url`.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how it will be read.
    /// - Returns: the intent.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> Self {
        let intent = Self()
        intent.wish.withLock { $0 = Wish(request: .reading(options), url: url) }
        return intent
    }

    /// An intent to write the item at `url`.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how it will be written.
    /// - Returns: the intent.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> Self {
        let intent = Self()
        intent.wish.withLock { $0 = Wish(request: .writing(options), url: url) }
        return intent
    }

    /// Where the item is.
    ///
    /// The URL that the intent was made with, in the same spelling (Rule 1.8).
    open var url: URL { wish.withLock { $0.url } }

    /// What the caller asked for.
    package var request: Request { wish.withLock { $0.request } }

    /// Tells the intent where its item is by now; for the session, before the accessor starts.
    package func rewrite(url: URL) {
        wish.withLock { $0.url = url }
    }
}
#endif
