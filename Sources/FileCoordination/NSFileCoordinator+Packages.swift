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
    /// It applies to accesses that begin later, until the last process that has set it ends. To set
    /// it permanently, write it into `filecoordination/packages` in the user's configuration.
    ///
    /// - Parameters:
    ///   - pathExtension: the extension, without a dot.
    ///   - kind: what a directory with that extension is.
    /// - Throws: an error if `pathExtension` cannot be an extension, and ``FileCoordinationError``
    ///   if the settings of all programs together exceed 16 KiB.
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
