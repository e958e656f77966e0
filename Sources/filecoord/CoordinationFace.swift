// SPDX-License-Identifier: Apache-2.0
//
// The one place at which the command line meets the types of Foundation: URLs and errors of the
// library's classes, on their way to and from paths and exit statuses.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationWire
import Foundation

extension NativePath {
    /// The path of a file URL.
    init(_ url: URL) { self.init(url.pathBytes ?? Array(url.path.utf8)) }

    /// The file URL of an absolute path, without looking at the disk.
    var url: URL { URL(pathBytes: bytes, isDirectory: false) }

    /// Where the arbiter has it: links on the way are followed (Rule 1.3).
    func canonicalBytes() throws(Failure) -> [UInt8] {
        do throws(NSError) {
            return try PlaceResolver.canonicalBytes(of: url)
        } catch {
            throw Failure(filing: error)
        }
    }
}

extension URL {
    /// The path as the kernel is to be given it.
    var nativePath: NativePath { NativePath(self) }
}

extension CoordinatedAccess {
    /// Files a claim.
    static func filing(
        _ items: [ClaimedItem], purpose: Purpose, blocksCaller: Bool,
        supplement: RecordSupplement
    ) throws(Failure) -> CoordinatedAccess {
        do throws(NSError) {
            return try CoordinatedAccess(
                items.map { RequestedItem(url: $0.path.url, access: $0.access) },
                purpose: purpose, blocksCaller: blocksCaller, supplement: supplement)
        } catch {
            throw Failure(filing: error)
        }
    }

    /// What the claim was filed for.
    var requestedPaths: [NativePath] { requests.map(\.url.nativePath) }

    /// Runs the accessor with the items' paths.
    func runAtPaths(_ accessor: ([NativePath]) -> Void) {
        run { urls in accessor(urls.map(\.nativePath)) }
    }

    /// Makes known that an item was moved.
    func announceMove(from old: NativePath, to new: NativePath) {
        announceMove(from: old.url, to: new.url)
    }
}

/// What counts as a package.
enum Packages {
    /// Whether the directory at an absolute path without links is one.
    static func isPackage(_ directory: [UInt8]) throws(Failure) -> Bool {
        do {
            return try Session.current().packagePolicy.isPackage(directoryAt: directory)
        } catch {
            throw Failure(filing: error)
        }
    }
}
