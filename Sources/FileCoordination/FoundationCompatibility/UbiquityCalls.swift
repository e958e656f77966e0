// SPDX-License-Identifier: Apache-2.0
//
// What programs ask of FileManager about items in a cloud. There is no cloud here, so the questions
// have the answers that a Mac gives about a local item, without an account: no, nil, or an error
// that says what to do instead.

#if !canImport(Darwin)
public import Foundation

extension FileManager {
    /// Whether the item is in a cloud, or meant to be: never, on Linux.
    public func isUbiquitousItem(at url: URL) -> Bool { false }

    /// Takes an item into the cloud, or out of it: always fails on Linux.
    ///
    /// Where there is a cloud, this call coordinates the move itself, and notices the accesses that
    /// the calling thread already has (Rule 3.5). Here nothing is ever in a cloud, so that it fails
    /// before it would coordinate: it waits for no claim, tells no presenter, and may be called
    /// anywhere.
    ///
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileNoSuchFile` if there is no item.
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        throw (flag ? UbiquityRequest.entering : .leaving).refusal(for: url)
    }

    /// Has the contents of an item in the cloud brought here: always fails on Linux.
    ///
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileReadNoSuchFile` if there is no
    ///   item.
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        throw UbiquityRequest.downloading.refusal(for: url)
    }

    /// Removes the local contents of an item in the cloud: always fails on Linux.
    ///
    /// Where there is a cloud, this call coordinates itself, and notices the accesses that the
    /// calling thread already has (Rule 3.5). Here nothing is ever in a cloud, so that it fails
    /// before it would coordinate, and the only copy of the item is safe.
    ///
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileNoSuchFile` if there is no item.
    public func evictUbiquitousItem(at url: URL) throws {
        throw UbiquityRequest.evicting.refusal(for: url)
    }

    /// The directory of a cloud container: always nil on Linux.
    ///
    /// Apple's answer when no user is signed in, so programs are prepared for it: they keep their
    /// documents in a local directory.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? { nil }

    /// An address at which others can have an item in the cloud: always fails on Linux.
    ///
    /// What `expiration` points to is not written.
    ///
    /// - Throws: `CocoaError.ubiquitousFileUnavailable`, or `fileReadNoSuchFile` if there is no
    ///   item.
    public func url(
        forPublishingUbiquitousItemAt url: URL,
        expiration outDate: UnsafeMutablePointer<NSDate?>?
    ) throws -> URL {
        throw UbiquityRequest.publishing.refusal(for: url)
    }

    /// Who is signed in to the cloud: always nil, for no user, on Linux.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? { nil }
}
#endif
