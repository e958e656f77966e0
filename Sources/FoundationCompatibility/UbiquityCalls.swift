// SPDX-License-Identifier: Apache-2.0
//
// The methods of FileManager for items in a cloud. There is no cloud on Linux, so the results are
// those of macOS for a local item without an account: false, nil, or an error that says what to do
// instead.

#if !canImport(Darwin)
public import Foundation

extension FileManager {
    /// Returns whether the item is in a cloud: always false on Linux (Rule 15.4).
    ///
    /// **Threads and cost.** Any thread; no system call.
    ///
    /// - Parameter url: the item.
    /// - Returns: false.
    public func isUbiquitousItem(at url: URL) -> Bool { false }

    /// Moves an item into or out of the cloud: always fails on Linux.
    ///
    /// On Apple platforms, this call coordinates the move itself and takes the accesses of the
    /// calling thread into account (Rule 3.5). On Linux it fails before it coordinates: it waits
    /// for no claim, tells no presenter, and may be called anywhere.
    ///
    /// **Threads and cost.** Any thread; one system call, which checks whether the item exists.
    ///
    /// - Parameters:
    ///   - flag: whether to move the item into the cloud.
    ///   - url: the item.
    ///   - destinationURL: ignored.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileNoSuchFile` if the item does not
    ///   exist.
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        throw (flag ? UbiquityRequest.entering : .leaving).refusal(for: url)
    }

    /// Downloads the contents of an item in the cloud: always fails on Linux (Rule 17.4).
    ///
    /// **Threads and cost.** Any thread; one system call, which checks whether the item exists.
    ///
    /// - Parameter url: the item.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileReadNoSuchFile` if the item does
    ///   not exist.
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        throw UbiquityRequest.downloading.refusal(for: url)
    }

    /// Removes the local contents of an item in the cloud: always fails on Linux.
    ///
    /// On Apple platforms, this call coordinates itself and takes the accesses of the calling
    /// thread into account (Rule 3.5). On Linux it fails before it coordinates, so the only copy of
    /// the item is safe.
    ///
    /// **Threads and cost.** Any thread; one system call, which checks whether the item exists.
    ///
    /// - Parameter url: the item.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileNoSuchFile` if the item does not
    ///   exist.
    public func evictUbiquitousItem(at url: URL) throws {
        throw UbiquityRequest.evicting.refusal(for: url)
    }

    /// Returns the directory of a cloud container: always nil on Linux.
    ///
    /// This is Apple's result if no user is signed in. Programs then use a local directory (Rule
    /// 15.4).
    ///
    /// **Threads and cost.** Any thread; no system call.
    ///
    /// - Parameter containerIdentifier: ignored.
    /// - Returns: nil.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? { nil }

    /// Returns an address at which others can get an item in the cloud: always fails on Linux (Rule
    /// 17.4).
    ///
    /// **Threads and cost.** Any thread; one system call, which checks whether the item exists.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - outDate: not changed.
    /// - Returns: never.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileReadNoSuchFile` if the item does
    ///   not exist.
    public func url(
        forPublishingUbiquitousItemAt url: URL,
        expiration outDate: UnsafeMutablePointer<NSDate?>?
    ) throws -> URL {
        throw UbiquityRequest.publishing.refusal(for: url)
    }

    /// Identifies the user who is signed in to the cloud: always nil on Linux.
    ///
    /// **Threads and cost.** Any thread; no system call.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? { nil }
}
#endif
