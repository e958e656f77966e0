// SPDX-License-Identifier: Apache-2.0
//
// The services of a file provider, the program that supplies a file's contents. No file on Linux
// has one, so the list of services is empty for every existing file.

#if !canImport(Darwin)
import Dispatch
public import Foundation

/// The name of a file provider's service, for ported code that asks for one.
///
/// **Threads and cost.** A value, for any thread.
public struct NSFileProviderServiceName: RawRepresentable, Hashable, Sendable {
    /// The name as a string, such as `org.example.comments`.
    public let rawValue: String
    /// Creates a service name; any string is one.
    ///
    /// - Parameter rawValue: the name as a string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a service name, as ``init(rawValue:)`` does.
    ///
    /// **Threads and cost.** Any thread; a value in memory.
    ///
    /// - Parameter rawValue: the name as a string.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A service of a file provider; on Linux there are none, so no program gets such an object (Rule
/// 15.4).
///
/// Apple's class has a connection to the provider, of a class that does not exist on Linux.
///
/// **Threads and cost.** A constant, for any thread.
public final class NSFileProviderService: NSObject, Sendable {
    /// The name of the service.
    public let name: NSFileProviderServiceName

    init(name: NSFileProviderServiceName) { self.name = name }
}

extension FileManager {
    /// Passes the services of an item's provider to the handler; on Linux there are none.
    ///
    /// The handler gets an empty dictionary and no error or, if the item does not exist, nil and
    /// the error `fileReadNoSuchFile` (Rule 15.4).
    ///
    /// **Threads and cost.** Any thread; returns at once. Looks for the item on a queue of its own,
    /// where the handler is called.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - completionHandler: called once with the services or the error.
    @preconcurrency public func getFileProviderServicesForItem(
        at url: URL,
        completionHandler:
            @escaping @Sendable (
                [NSFileProviderServiceName: NSFileProviderService]?, (any Error)?
            ) -> Void
    ) {
        // A queue of its own, because a handler that blocks would occupy a thread of a shared
        // queue.
        DispatchQueue(label: "FileProviderServices").async {
            let answer = FileProviderServices.ofItem(at: url)
            switch answer {
            case .success(let services): completionHandler(services, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Returns the services of an item's provider; on Linux there are none (Rule 15.4).
    ///
    /// **Threads and cost.** Looks for the item on a queue of its own; blocks no thread.
    ///
    /// - Parameter url: the item.
    /// - Returns: an empty dictionary.
    /// - Throws: `CocoaError.fileReadNoSuchFile` if the item does not exist.
    public func fileProviderServicesForItem(
        at url: URL
    ) async throws -> [NSFileProviderServiceName: NSFileProviderService] {
        try await withCheckedThrowingContinuation { continuation in
            getFileProviderServicesForItem(at: url) { services, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: services ?? [:])
                }
            }
        }
    }
}

/// The answer to both forms of the call.
enum FileProviderServices {
    /// Returns no services, or an error if the item cannot be examined.
    static func ofItem(
        at url: URL
    ) -> Result<[NSFileProviderServiceName: NSFileProviderService], any Error> {
        do {
            _ = try url.checkPromisedItemIsReachable()
            return .success([:])
        } catch {
            return .failure(error)
        }
    }
}
#endif
