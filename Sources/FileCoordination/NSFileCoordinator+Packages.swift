// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: which directories are packages. On macOS the system knows that; on Linux a
// program must say so.

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

extension NSFileCoordinator {
    /// What the directories with a path extension are (Rule 1.11).
    ///
    /// **Threads and cost.** A value, for any thread. What it costs to make a directory a package
    /// is said at ``treatDirectories(withPathExtension:as:)``.
    public enum DirectoryKind: Hashable, Sendable {
        /// A package: treated as one file (Rules 1.11, 1.12). An access to something inside it
        /// waits as one to the whole.
        case package
        /// A package if it contains `Contents/`, `Info.plist` or `Index/`, else an ordinary
        /// directory.
        case packageWithContents
        /// An ordinary directory: what is inside it is accessed independently.
        case directory
    }

    /// Sets whether directories with this path extension are packages, for all programs that share
    /// the server (Rule 1.11).
    ///
    /// It applies to accesses that begin later, until the last process that has set it ends. To set
    /// it permanently, write it into `filecoordination/packages` in the user's configuration.
    ///
    /// ```swift
    /// try NSFileCoordinator.treatDirectories(withPathExtension: "notebook", as: .package)
    /// ```
    ///
    /// **Threads.** Any thread. Blocks it for at most 250 ms until the server has said what counts
    /// as a package; after that, the call waits for no process.
    ///
    /// **Cost.** One message to the server, which passes it on to all clients. Each client discards
    /// the paths that it remembers, and finds them in the file system anew.
    ///
    /// - Parameters:
    ///   - pathExtension: the extension, without a dot.
    ///   - kind: what a directory with that extension is.
    /// - Throws: an error if `pathExtension` is not a valid extension, and
    ///   ``FileCoordinationError`` if the settings of all programs together exceed 16 KiB.
    public static func treatDirectories(
        withPathExtension pathExtension: String, as kind: DirectoryKind
    ) throws {
        let statement: PackagePolicy.Statement
        do throws(PackagePolicy.Complaint) {
            statement = try PackagePolicy.Statement(kind.inPolicy, pathExtension)
        } catch {
            throw FailureReason.invalidOptions("\(error)").error
        }
        do throws(AccessFailure) {
            try Session.current().addToPackages(statement)
        } catch {
            throw error.thrown([])
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
