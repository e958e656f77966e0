// SPDX-License-Identifier: Apache-2.0
//
// The items of one call, as they were named with URLs, and as the client knows them. What the
// accessor gets is the very URL that was asked for, unless the item is somewhere else by then
// (Rule 1.8).

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationClient
import Foundation

/// The items of a call.
struct ItemsOfCall: Sendable {
    private let urls: [URL]
    /// The same for the client.
    let requests: [RequestedItem]

    /// One item after the other.
    init(_ items: CallItem...) { self.init(items) }

    /// One item after the other.
    init(_ items: [CallItem]) {
        urls = items.map(\.url)
        requests = items.map { RequestedItem(url: $0.url, access: $0.access) }
    }

    /// The URLs that the accessor gets.
    func urls(of granted: [GrantedItem]) -> [URL] {
        zip(granted, urls).map { item, url in item.isAsRequested ? url : URL(item) }
    }

    /// The error that an Apple-shaped call reports for a failure.
    func nsError(_ failure: AccessFailure) -> NSError { failure.nsError(named: named) }

    /// The error that a throwing call throws for a failure.
    func thrown(_ failure: AccessFailure) -> any Error { failure.thrown(named) }

    private var named: [(url: URL, isWriting: Bool)] {
        zip(urls, requests).map { ($0, $1.access.isWriting) }
    }
}

/// One item of a call.
struct CallItem: Sendable {
    let url: URL
    let access: Access

    /// The item that a call names, or the error for options that are not known.
    init(
        reading url: URL, _ options: NSFileCoordinator.ReadingOptions
    ) throws(NSError) {
        guard let options = options.arbiterOptions else {
            throw FailureReason.invalidOptions(
                "reading options with raw value \(options.rawValue) are not supported here"
            ).nsError
        }
        (self.url, access) = (url, .reading(options))
    }

    /// The item that a call names, or the error for options that are not known.
    init(
        writing url: URL, _ options: NSFileCoordinator.WritingOptions
    ) throws(NSError) {
        guard let options = options.arbiterOptions else {
            throw FailureReason.invalidOptions(
                "writing options with raw value \(options.rawValue) are not supported here"
            ).nsError
        }
        (self.url, access) = (url, .writing(options))
    }

    /// The item that an intent names.
    init(_ intent: NSFileAccessIntent) throws(NSError) {
        switch intent.request {
        case .reading(let options): try self.init(reading: intent.url, options)
        case .writing(let options): try self.init(writing: intent.url, options)
        case .nothing:
            throw FailureReason.invalidOptions(
                "an intent was made with NSFileAccessIntent(); use readingIntent or writingIntent"
            ).nsError
        }
    }
}

extension RequestedItem {
    /// An item as a caller names it with a URL.
    package init(url: URL, access: Access) { self.init(ItemName(url), access: access) }
}

extension URL {
    /// The file URL of a path that a caller names; of none, the root's.
    init(_ name: ItemName) {
        switch name.path {
        case .success(let path): self.init(pathBytes: path, isDirectory: name.namesDirectory)
        case .failure: self.init(fileURLWithPath: "/", isDirectory: true)
        }
    }

    /// Where an accessor finds an item, in the canonical spelling; nothing is looked up.
    package init(_ item: GrantedItem) {
        self.init(pathBytes: item.path, isDirectory: item.isDirectory)
    }
}
#endif
