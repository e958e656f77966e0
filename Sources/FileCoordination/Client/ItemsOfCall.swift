// SPDX-License-Identifier: Apache-2.0
//
// The items of one call, as URLs and as requests for the client. The accessor gets the requested
// URL itself, unless the item has moved (Rule 1.8).

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationClient
import Foundation
import FoundationCompatibility

/// The items of a call.
struct ItemsOfCall: Sendable {
    private let urls: [URL]
    /// The requests for the client.
    let requests: [RequestedItem]

    /// Creates the item of a call.
    init(_ item: CallItem) {
        urls = [item.url]
        requests = [item.request]
    }

    /// Creates the items of a call, in order.
    init(_ items: [CallItem]) {
        urls = items.map(\.url)
        requests = items.map(\.request)
    }

    /// Returns the URLs for the accessor.
    func urls(of granted: [GrantedItem]) -> [URL] {
        var result = urls
        for (index, item) in granted.enumerated() where !item.isAsRequested {
            result[index] = URL(item)
        }
        return result
    }

    /// Returns the error that a call with Apple's signature returns for a failure.
    func nsError(_ failure: AccessFailure) -> NSError { failure.nsError(named: named) }

    /// Returns the error that a throwing call throws for a failure.
    func thrown(_ failure: AccessFailure) -> any Error { failure.thrown(named) }

    private var named: [(url: URL, isWriting: Bool)] {
        zip(urls, requests).map { ($0, $1.access.isWriting) }
    }
}

/// One item of a call.
struct CallItem: Sendable {
    let url: URL
    private let access: Access
    /// The state in which the item must be; nil for any.
    private let token: FileToken?

    /// The request for the client.
    var request: RequestedItem {
        RequestedItem(
            ItemName(url), access: access, terms: token.flatMap { TokenTerms(onlyIf: $0.core) })
    }

    /// Creates an item to read; throws if an option is unknown.
    init(
        reading url: URL, _ options: NSFileCoordinator.ReadingOptions,
        onlyIf token: FileToken? = nil
    ) throws(NSError) {
        guard let options = options.arbiterOptions else {
            throw FailureReason.invalidOptions(
                "reading options with raw value \(options.rawValue) are not supported here"
            ).nsError
        }
        (self.url, access, self.token) = (url, .reading(options), token)
    }

    /// Creates an item to write; throws if an option is unknown.
    init(
        writing url: URL, _ options: NSFileCoordinator.WritingOptions,
        onlyIf token: FileToken? = nil
    ) throws(NSError) {
        guard let options = options.arbiterOptions else {
            throw FailureReason.invalidOptions(
                "writing options with raw value \(options.rawValue) are not supported here"
            ).nsError
        }
        (self.url, access, self.token) = (url, .writing(options), token)
    }

    /// Creates the item of an intent.
    init(_ intent: NSFileAccessIntent, onlyIf token: FileToken? = nil) throws(NSError) {
        switch intent.request {
        case .reading(let options): try self.init(reading: intent.url, options, onlyIf: token)
        case .writing(let options): try self.init(writing: intent.url, options, onlyIf: token)
        case .nothing:
            throw FailureReason.invalidOptions(
                "an intent was made with NSFileAccessIntent(); use readingIntent or writingIntent"
            ).nsError
        }
    }
}

extension [CallItem] {
    /// Creates the items of intents, and the states in which they must be: one for each, or none.
    init(_ intents: [NSFileAccessIntent], onlyIf tokens: [FileToken?]) throws(NSError) {
        guard tokens.isEmpty || tokens.count == intents.count else {
            throw FailureReason.invalidOptions(
                "there are \(tokens.count) tokens for \(intents.count) intents; give one for each, "
                    + "nil where any state will do"
            ).nsError
        }
        self = []
        for (index, intent) in intents.enumerated() {
            append(try CallItem(intent, onlyIf: tokens.isEmpty ? nil : tokens[index]))
        }
    }
}

extension RequestedItem {
    /// Creates a request for a URL.
    package init(url: URL, access: Access) { self.init(ItemName(url), access: access) }
}

extension URL {
    /// Creates the file URL of a path that a caller named; of the root if the path is invalid.
    init(_ name: ItemName) {
        switch name.path {
        case .success(let path): self.init(pathBytes: path, isDirectory: name.namesDirectory)
        case .failure: self.init(fileURLWithPath: "/", isDirectory: true)
        }
    }

    /// Creates the canonical URL of a granted item without accessing the file system.
    package init(_ item: GrantedItem) {
        self.init(pathBytes: item.path, isDirectory: item.isDirectory)
    }
}
#endif
