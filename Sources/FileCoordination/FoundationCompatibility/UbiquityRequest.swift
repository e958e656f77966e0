// SPDX-License-Identifier: Apache-2.0
//
// Why something cannot be done with an item in a cloud: there is no cloud, or no item (Rules 17.3,
// 17.4). Each error says what can be done instead.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// What was asked of a cloud that is not there.
enum UbiquityRequest {
    /// To take the item into the cloud.
    case entering
    /// To take the item out of the cloud.
    case leaving
    /// To have the item's contents here.
    case downloading
    /// To have them there alone.
    case evicting
    /// To let others have the item.
    case publishing

    /// The reason why it cannot be done with the item at `url`.
    ///
    /// An item that is missing, or that cannot be looked at, is the first reason to be given.
    func refusal(for url: URL) -> any Error {
        do {
            let path = try PlaceResolver.pathBytes(of: url)
            do {
                _ = try FileStatus(path: path, followLinks: false)
                return error(.ubiquitousFileUnavailable, url, "\(url.path) \(reason)")
            } catch {
                return refusal(for: url, because: error)
            }
        } catch PlaceError.unsupportedScheme {
            return error(
                isWriting ? .fileWriteUnsupportedScheme : .fileReadUnsupportedScheme, url,
                "\(url.absoluteString) is not a file URL. Give the URL of a file or directory.")
        } catch let failure {
            return failure.nsError(url: url, writing: isWriting)
        }
    }

    private func refusal(for url: URL, because failure: SystemError) -> any Error {
        switch failure.code {
        case ErrorNumber.noSuchFile, ErrorNumber.notADirectory:
            error(
                isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, url,
                "There is no file or directory at \(url.path). Look for where it has gone.",
                failure)
        default:
            PlaceError(failure).nsError(url: url, writing: isWriting)
        }
    }

    private func error(
        _ code: CocoaError.Code, _ url: URL, _ sentence: String, _ cause: SystemError? = nil
    ) -> CocoaError {
        var userInfo: [String: Any] = [
            NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSLocalizedDescriptionKey: sentence,
        ]
        if let cause {
            userInfo[NSUnderlyingErrorKey] = NSError(
                domain: NSPOSIXErrorDomain, code: Int(cause.code))
        }
        return CocoaError(code, userInfo: userInfo)
    }

    private var isWriting: Bool {
        switch self {
        case .entering, .leaving, .evicting: true
        case .downloading, .publishing: false
        }
    }

    /// The rest of a sentence that begins with the item.
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
