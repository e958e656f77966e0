// SPDX-License-Identifier: Apache-2.0
//
// The services of the program that provides a file's contents. No file on Linux has such a
// provider, so the list of services is empty for every file that exists.

#if !canImport(Darwin)
import Dispatch
public import Foundation

/// The name of a file provider's service.
public struct NSFileProviderServiceName: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String
    /// A service's name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A service's name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A service of a file provider; on Linux there are none.
///
/// Apple's has a connection to the provider, of a class that Linux does not have.
public final class NSFileProviderService: NSObject, Sendable {
    /// The service's name.
    public let name: NSFileProviderServiceName

    init(name: NSFileProviderServiceName) { self.name = name }
}

extension FileManager {
    /// Tells which services the provider of an item has: none, on Linux.
    ///
    /// The handler runs later, on a queue of its own. It gets no services and no error; if there is
    /// no item, nil and the error `fileReadNoSuchFile`.
    @preconcurrency public func getFileProviderServicesForItem(
        at url: URL,
        completionHandler:
            @escaping @Sendable (
                [NSFileProviderServiceName: NSFileProviderService]?, (any Error)?
            ) -> Void
    ) {
        // Not one of the shared queues: a handler that blocks would take a thread from them.
        DispatchQueue(label: "FileProviderServices").async {
            let answer = FileProviderServices.ofItem(at: url)
            switch answer {
            case .success(let services): completionHandler(services, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// The services of the provider of an item: none, on Linux.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile` if there is no item.
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

/// The answer to both forms of the question.
enum FileProviderServices {
    /// None, or the reason why the item cannot be asked about.
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
