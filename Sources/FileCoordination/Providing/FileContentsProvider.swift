// SPDX-License-Identifier: Apache-2.0
//
// What the library for providers of files needs of this one, and applications do not: the presenter
// that is asked for contents, and the accesses by which it brings them here and gives them up.

#if !canImport(Darwin)
import FileCoordinationArbiter
public import Foundation

/// A presenter of a directory that provides the contents of everything inside it (Rule 15.4).
///
/// A claim that uses contents is granted after the provider has answered for each of its items. The
/// items may be here already. While the provider is asked, its own claims pass the one that waits
/// (Rule 2.16).
@_spi(FileProviding)
public protocol FileContentsProvider: NSFilePresenter {
    /// Brings the contents of an item here, if they are not.
    ///
    /// Called on the presenter's queue. `completionHandler` is called once, on any thread; with an
    /// error, the claim fails with it.
    func provideContents(
        ofItemAt url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

/// What a provider does to an item of its own accord; no edit.
@_spi(FileProviding)
public enum FileUpkeep: Sendable {
    /// It puts the contents in the place of a placeholder, or another placeholder there.
    case bringing
    /// It puts a placeholder in the place of the contents, if the presenters of the item consent
    /// (Rule 15.6).
    case evicting
}

extension NSFileCoordinator {
    /// Brings contents here, or gives them up, while no other program uses the item.
    ///
    /// Presenters are asked nothing, but to accommodate an eviction, and are not told of a change;
    /// the versions stay with the item. The coordinator is one that was made with the provider.
    ///
    /// **Threads.** Blocks the calling thread until access is granted; the accessor runs there.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - upkeep: what is done.
    ///   - timeout: how long to wait for access; nil for no limit.
    ///   - accessor: does it.
    /// - Returns: what the accessor returns.
    /// - Throws: as ``coordinate(writingItemAt:options:timeout:onlyIf:byAccessor:)``; for an
    ///   eviction, `CocoaError.fileLocking` if a presenter cannot be asked, or the error of one
    ///   that does not consent.
    @_spi(FileProviding)
    public func coordinate<R>(
        upkeepOfItemAt url: URL, _ upkeep: FileUpkeep, timeout: Duration? = nil,
        byAccessor accessor: (URL) throws -> R
    ) throws -> R {
        let options: WritingOptions = upkeep == .evicting ? .forDeleting : []
        let items = ItemsOfCall(try CallItem(writing: url, options))
        return try core.perform(items, timeout, kind: .upkeep) { try accessor($0[0]) }
    }
}
#endif
