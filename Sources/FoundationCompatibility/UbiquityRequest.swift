// SPDX-License-Identifier: Apache-2.0
//
// The errors of requests for items in a cloud: there is no cloud, or no item (Rules 17.3, 17.4).
// Each error says what can be done instead.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// A request for an item in a cloud, which always fails.
enum UbiquityRequest {
    /// Move the item into the cloud.
    case entering
    /// Move the item out of the cloud.
    case leaving
    /// Download the item's contents.
    case downloading
    /// Remove the item's local contents.
    case evicting
    /// Publish the item.
    case publishing

    /// Returns the error for the item at `url`.
    ///
    /// If the item does not exist or cannot be examined, the error says that.
    func refusal(for url: URL) -> any Error {
        do {
            let path = try PlaceResolver.pathBytes(of: url)
            do {
                _ = try FileStatus(path: path, followLinks: false)
                return CocoaError(.ubiquitousFileUnavailable, url, "\(url.path) \(reason)")
            } catch {
                return refusal(for: url, because: error)
            }
        } catch PlaceError.unsupportedScheme {
            return CocoaError(
                isWriting ? .fileWriteUnsupportedScheme : .fileReadUnsupportedScheme, url,
                "\(url.absoluteString) is not a file URL. Give the URL of a file or directory.")
        } catch let failure {
            return failure.nsError(url: url, writing: isWriting)
        }
    }

    private func refusal(for url: URL, because failure: SystemError) -> any Error {
        switch failure.code {
        case ErrorNumber.noSuchFile, ErrorNumber.notADirectory:
            CocoaError(
                isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, url,
                "There is no file or directory at \(url.path). Look for where it has gone.",
                number: failure.code)
        default:
            PlaceError(failure).nsError(url: url, writing: isWriting)
        }
    }

    private var isWriting: Bool {
        switch self {
        case .entering, .leaving, .evicting: true
        case .downloading, .publishing: false
        }
    }

    /// The end of the sentence that begins with the item.
    private var reason: String {
        switch self {
        case .entering:
            """
            cannot be taken into a cloud, because there is none on this system. Leave it where it \
            is, or move it with moveItem(at:to:) in a coordinated write.
            """
        case .leaving:
            """
            is not in a cloud, so it cannot be taken out of one. Move it with moveItem(at:to:) in \
            a coordinated write.
            """
        case .downloading:
            """
            is a local item: all of it is here, and nothing can be downloaded. Ask \
            isUbiquitousItem(at:) first, and open it.
            """
        case .evicting:
            """
            is a local item: there is no other copy, so it cannot be evicted. Ask \
            isUbiquitousItem(at:) first; to be rid of it, use removeItem(at:) in a coordinated \
            write.
            """
        case .publishing:
            """
            is not in a cloud, so there is no address at which others could have it. Hand out the \
            file itself.
            """
        }
    }
}
#endif
