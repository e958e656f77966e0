// SPDX-License-Identifier: Apache-2.0
//
// The three places of trash directories, and the checks that make each of them safe. A directory
// for all users must be sticky and not a link; otherwise another user could have created it.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
package import FileCoordinationSystem
import Foundation

/// A place of a trash directory, which need not exist.
package enum TrashPlace {
    /// The user's trash in the home directory, at this path.
    case home(String)
    /// The user's part of a trash for all users, which an administrator has created: `.Trash/1000`.
    case shared(ItemPath)
    /// The user's own trash at the top of a file system: `.Trash-1000`.
    case own(ItemPath)

    private static let sharedName = Array(".Trash".utf8)
    private static let sticky: UInt32 = 0o1000

    /// Returns the path of the directory, whether or not it exists; nil if it cannot be determined.
    func path(of userID: UInt32) -> ItemPath? {
        switch self {
        case .home(let path):
            // The directory may not exist yet; then its path is used as it is spelled.
            if let real = try? RealPath.resolve(Array(path.utf8)) { return ItemPath(bytes: real) }
            // A home without a path has no trash.
            return try? PlaceResolver.path(of: URL(fileURLWithPath: path))
        case .shared(let top):
            return ItemPath(components: top.components + [Self.sharedName, Self.number(userID)])
        case .own(let top):
            return ItemPath(components: top.components + [Self.ownName(userID)])
        }
    }

    /// Returns whether the directory may be on the file system `device`, without creating anything.
    func mayBe(on device: UInt64) -> Bool {
        guard case .home(let path) = self else { return true }
        var components = path.split(separator: "/")
        while true {
            let ancestor = "/" + components.joined(separator: "/")
            // The directory may not exist yet; then the next ancestor is examined.
            if let status = try? FileStatus(path: ancestor) { return status.device == device }
            guard components.popLast() != nil else { return false }
        }
    }

    /// Opens the directory; creates it if it is the user's own.
    package func open(for userID: UInt32) throws(SystemError) -> TrashDirectory {
        let directory: Descriptor
        var top: ItemPath?
        switch self {
        case .home(let path):
            directory = try Self.make(path.split(separator: "/").map { Array($0.utf8) })
        case .shared(let above):
            directory = try Self.openShared(in: above, userID)
            top = above
        case .own(let above):
            directory = try Descriptor.openDirectory(at: above.bytes, followLinks: false)
                .openDirectory(
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
    ) throws(SystemError) -> Descriptor {
        let path = top.bytes + Array("/".utf8) + sharedName
        // The directory is opened without following links, and checked afterwards.
        let shared = try Descriptor.openDirectory(at: path, followLinks: false)
        guard try shared.status().permissions & sticky != 0 else {
            throw SystemError(
                code: ErrorNumber.notPermitted,
                operation: "use \".Trash\" in \"\(top)\", which is not sticky")
        }
        return try shared.openDirectory(
            number(userID), creatingWithMode: TrashDirectory.ownersOnly)
    }

    /// Opens the directory with these components, and creates those that are missing.
    private static func make(_ components: [[UInt8]]) throws(SystemError) -> Descriptor {
        do {
            return try Descriptor.openDirectory(
                at: components.isEmpty ? [UInt8(ascii: "/")] : components.flatMap { [0x2F] + $0 })
        } catch {
            guard error.code == ErrorNumber.noSuchFile, let name = components.last else {
                throw error
            }
            return try make(Array(components.dropLast()))
                .openDirectory(name, creatingWithMode: TrashDirectory.ownersOnly)
        }
    }

    private static func number(_ userID: UInt32) -> [UInt8] { Array(String(userID).utf8) }

    private static func ownName(_ userID: UInt32) -> [UInt8] {
        sharedName + Array("-\(userID)".utf8)
    }
}
#endif
