// SPDX-License-Identifier: Apache-2.0
//
// The directories whose contents providers bring here (Rule 15.4), as their providers have left
// them in the user's state directory: they are also known while no provider runs.
//
//     $XDG_STATE_HOME/filecoordination/domains/ID/root      a symbolic link to the directory
//                                                 socket    where its provider listens

package import FileCoordinationArbiter
import FileCoordinationSystem

/// A directory with a provider.
package struct ProvidedDomain: Hashable, Sendable {
    /// The name by which users know it.
    package let id: String
    /// The directory.
    package let root: ItemPath
    /// Where its provider keeps what it knows.
    package let state: String

    /// The path of the socket on which its provider listens.
    package var socket: String { state + "/socket" }

    /// The most domains of a user.
    private static let limit = 256

    /// The directory with a directory for each domain.
    package static func directory(
        variable: (String) -> String? = CurrentProcess.environmentVariable,
        home: @autoclosure () -> String = CurrentProcess.homeDirectory
    ) -> String {
        let state = variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (state ?? home() + "/.local/state") + "/filecoordination/domains"
    }

    /// Looks for the user's domains, in the order of their names.
    package static func all(in directory: String = directory()) -> [ProvidedDomain] {
        // Most users have none, and no directory.
        let entries = (try? Descriptor.entries(at: Array(directory.utf8), limit: limit)) ?? []
        return entries.compactMap { entry in
            guard entry.isDirectory, let id = String(validating: entry.name, as: UTF8.self),
                let root = RealPath.target(ofLink: Array("\(directory)/\(id)/root".utf8)),
                let path = ItemPath(bytes: root)
            else { return nil }
            return ProvidedDomain(id: id, root: path, state: "\(directory)/\(id)")
        }.sorted { $0.id < $1.id }
    }

    /// Looks for the domain that an item is in; the root itself is in none.
    package static func containing(
        _ path: ItemPath, in directory: String = directory()
    ) -> ProvidedDomain? {
        all(in: directory).first { $0.root.contains(path) && $0.root != path }
    }

    /// Whether an item is a placeholder: its contents are not here, and only a provider can bring
    /// them.
    ///
    /// A placeholder has no permissions, so that no program without privileges takes it for a file
    /// full of zeros. So other items are not looked at further.
    static func isPlaceholder(_ status: FileStatus, at path: ItemPath) -> Bool {
        status.kind == .regular && status.permissions == 0 && containing(path) != nil
    }
}
