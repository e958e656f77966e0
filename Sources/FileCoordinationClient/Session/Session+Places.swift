// SPDX-License-Identifier: Apache-2.0
//
// Resolves paths, with the file system and with the server's relocation log.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem

extension Session {
    /// Resolves the path of a request, which is the call's item with this index.
    func place(of request: RequestedItem, _ item: Int) throws(AccessFailure) -> ResolvedPlace {
        do throws(PlaceError) {
            return try place(of: request.name)
        } catch {
            throw .place(error, item: item)
        }
    }

    /// Resolves a path that a caller has named.
    package func place(of name: ItemName) throws(PlaceError) -> ResolvedPlace {
        guard let cache = places.cache(allowedBy: ledger) else {
            return try PlaceResolver.resolve(pathBytes: name.path.get(), policy: packagePolicy)
        }
        if let spelling = name.spelling, let known = cache.known(spelling) { return known.place }
        return try cache.resolve(name.path.get(), spelling: name.spelling) { packagePolicy }
    }

    /// Examines an item whose path is canonical.
    func facts(of path: ItemPath) -> ResolvedPlace {
        PlaceResolver.facts(of: path, policy: packagePolicy)
    }

    /// Follows the symbolic link at a path by one step; returns nil if there is no link.
    func target(ofLinkAt path: ItemPath) throws(PlaceError) -> ResolvedPlace? {
        guard let target = RealPath.target(ofLink: path.bytes) else { return nil }
        let isAbsolute = target.first == UInt8(ascii: "/")
        let parent = path.prefix(depth: max(0, path.depth - 1)).bytes
        return try PlaceResolver.resolve(
            pathBytes: isAbsolute ? target : parent + [UInt8(ascii: "/")] + target,
            policy: packagePolicy)
    }

    /// Returns the present items of a granted claim; nil if they cannot be found out.
    func movedItems(of claim: PendingClaim) -> [AccessItem]? {
        RelocationLog.items(ofClaim: ledger.serial(of: claim.record), in: runtime)
    }
}
