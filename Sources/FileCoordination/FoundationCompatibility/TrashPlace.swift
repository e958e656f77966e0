// SPDX-License-Identifier: Apache-2.0
//
// The three places where a trash directory may be, and what makes each of them trustworthy. A trash
// that an administrator has made for all users must be sticky and no link, or else anybody could
// have put it there.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
package import FileCoordinationSystem
import Foundation

/// A place for a trash directory, which need not exist.
package enum TrashPlace {
    /// The user's own, at this path.
    case home(String)
    /// A user's part of the one that an administrator has made: `.Trash/1000`.
    case shared(ItemPath)
    /// A user's own at the top of a file system: `.Trash-1000`.
    case own(ItemPath)

    private static let sharedName = Array(".Trash".utf8)
    private static let sticky: UInt32 = 0o1000

    /// Where the directory is, or would be; nil if that cannot be told.
    func path(of userID: UInt32) -> ItemPath? {
        switch self {
        case .home(let path):
            if let real = try? RealPath.resolve(Array(path.utf8)) { return ItemPath(bytes: real) }
            return try? PlaceResolver.path(of: URL(fileURLWithPath: path))
        case .shared(let top):
            return ItemPath(components: top.components + [Self.sharedName, Self.number(userID)])
        case .own(let top):
            return ItemPath(components: top.components + [Self.ownName(userID)])
        }
    }

    /// Whether it may be on the file system `device`; looks without making anything.
    func mayBe(on device: UInt64) -> Bool {
        guard case .home(let path) = self else { return true }
        var components = path.split(separator: "/")
        while true {
            let ancestor = "/" + components.joined(separator: "/")
            if let status = try? FileStatus(path: ancestor) { return status.device == device }
            guard components.popLast() != nil else { return false }
        }
    }

    /// Opens the directory; the user's own are made.
    package func open(for userID: UInt32) throws(SystemError) -> TrashDirectory {
        let directory: RawDirectory
        var top: ItemPath?
        switch self {
        case .home(let path):
            directory = try Self.make(path.split(separator: "/").map { Array($0.utf8) })
        case .shared(let above):
            directory = try Self.openShared(in: above, userID)
            top = above
        case .own(let above):
            directory = try RawDirectory.open(above.bytes, followLinks: false)
                .openSubdirectory(
                    Self.ownName(userID), creatingWithMode: TrashDirectory.ownersOnly)
            top = above
        }
        guard let path = path(of: userID) else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "find the trash directory")
        }
        return try TrashDirectory(directory, at: path, top: top, of: userID)
    }

    private static func openShared(
        in top: ItemPath, _ userID: UInt32
    ) throws(SystemError) -> RawDirectory {
        let path = top.bytes + Array("/".utf8) + sharedName
        // Opened without following links, and only then looked at.
        let shared = try RawDirectory.open(path, followLinks: false)
        guard try shared.status().permissions & sticky != 0 else {
            throw SystemError(
                code: ErrorNumber.notPermitted,
                operation: "use \".Trash\" in \"\(top)\", which is not sticky")
        }
        return try shared.openSubdirectory(
            number(userID), creatingWithMode: TrashDirectory.ownersOnly)
    }

    /// Opens the directory with these components, and makes what is missing on the way.
    private static func make(_ components: [[UInt8]]) throws(SystemError) -> RawDirectory {
        do {
            return try RawDirectory.open(
                components.isEmpty ? [UInt8(ascii: "/")] : components.flatMap { [0x2F] + $0 },
                followLinks: true)
        } catch {
            guard error.code == ErrorNumber.noSuchFile, let name = components.last else {
                throw error
            }
            return try make(Array(components.dropLast()))
                .openSubdirectory(name, creatingWithMode: TrashDirectory.ownersOnly)
        }
    }

    private static func number(_ userID: UInt32) -> [UInt8] { Array(String(userID).utf8) }

    private static func ownName(_ userID: UInt32) -> [UInt8] {
        sharedName + Array("-\(userID)".utf8)
    }
}
#endif
