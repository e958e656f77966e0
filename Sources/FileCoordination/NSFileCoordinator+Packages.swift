// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: on macOS the system knows which directories are packages, here a program must
// say so.

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

extension NSFileCoordinator {
    /// What directories are whose names have some extension.
    public enum DirectoryKind: Hashable, Sendable {
        /// A package: treated as one file (Rules 1.11, 1.12).
        case package
        /// A package if it holds `Contents/`, `Info.plist` or `Index/`.
        case packageWithContents
        /// A directory like any other.
        case directory
    }

    /// Sets whether directories with this path extension are packages, for all programs that share
    /// the arbiter (Rule 1.11).
    ///
    /// Holds for accesses that begin later, and for as long as some process that has said so lives.
    /// To say it for good, write it into `filecoordination/packages` in the user's configuration.
    ///
    /// - Throws: an error for what cannot be an extension, and ``FileCoordinationError`` where all
    ///   programs together have said as much as there is room for (16 KiB).
    public static func treatDirectories(
        withPathExtension pathExtension: String, as kind: DirectoryKind
    ) throws {
        let statement: PackagePolicy.Statement
        do throws(PackagePolicy.Complaint) {
            statement = try PackagePolicy.Statement(kind.inPolicy, pathExtension)
        } catch {
            throw FailureReason.invalidOptions("\(error)").nsError
        }
        do throws(AccessFailure) {
            try Session.current().addToPackages(statement)
        } catch {
            throw error.nsError()
        }
    }
}

extension NSFileCoordinator.DirectoryKind {
    fileprivate var inPolicy: PackagePolicy.Statement.Kind {
        switch self {
        case .package: .package
        case .packageWithContents: .packageWithContents
        case .directory: .directory
        }
    }
}
#endif
