// SPDX-License-Identifier: Apache-2.0
//
// Where things are, by the file system and by the host's book.

import FileCoordinationArbiter
import FileCoordinationHost
import FileCoordinationLedger
import FileCoordinationSystem
import Foundation

extension Session {
    /// The place that a request names.
    func place(of request: RequestedItem) throws(NSError) -> ResolvedPlace {
        do throws(PlaceError) {
            return try place(of: request.url)
        } catch {
            throw error.nsError(url: request.url, writing: request.access.isWriting)
        }
    }

    /// The place that a URL names.
    func place(of url: URL) throws(PlaceError) -> ResolvedPlace {
        guard let cache = places.cache(allowedBy: ledger) else {
            return try PlaceResolver.resolve(url, policy: packagePolicy)
        }
        if let known = cache.known(url.absoluteString) { return known.place }
        return try cache.resolve(url) { packagePolicy }
    }

    /// What is to be known of a place whose path is canonical.
    func facts(of path: ItemPath) -> ResolvedPlace {
        PlaceResolver.facts(of: path, policy: packagePolicy)
    }

    /// Where the link at a place leads, by one step; nil if there is no link.
    func target(ofLinkAt path: ItemPath) throws(PlaceError) -> ResolvedPlace? {
        guard let target = RealPath.target(ofLink: path.bytes) else { return nil }
        let isAbsolute = target.first == UInt8(ascii: "/")
        let parent = path.prefix(depth: max(0, path.depth - 1)).bytes
        return try PlaceResolver.resolve(
            pathBytes: isAbsolute ? target : parent + [UInt8(ascii: "/")] + target,
            policy: packagePolicy)
    }

    /// Where the items of a claim are that has been granted; nil if that cannot be found out.
    func movedItems(of claim: PendingClaim) -> [AccessItem]? {
        RelocationLog.items(ofClaim: ledger.ticket(of: claim.record), in: runtime)
    }
}

extension URL {
    /// The file URL of a place, with the canonical spelling and without looking at the disk.
    init(place: ItemPath, isDirectory: Bool) {
        self.init(pathBytes: place.bytes, isDirectory: isDirectory)
    }
}
