// SPDX-License-Identifier: Apache-2.0
//
// Snapshots of what URLs and places name, and the word about what an archive leaves out.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
package import FileTree
package import Foundation

extension UploadSnapshot {
    /// The copy: a file's under its own name, a directory's a zip archive named after it.
    ///
    /// In a directory of its own, from which it may be moved away.
    package var url: URL { URL(pathBytes: path, isDirectory: false) }

    /// Copies what `url` names; the claim on it must be held meanwhile.
    package static func make(of url: URL) throws(NSError) -> UploadSnapshot {
        let path: ItemPath
        do throws(PlaceError) {
            path = try PlaceResolver.path(of: url)
        } catch {
            throw error.nsError(url: url, writing: false)
        }
        do throws(UploadError) {
            return try make(of: path)
        } catch {
            throw error.nsError(item: url)
        }
    }

    /// Copies the item at `place`; the claim on it must be held meanwhile.
    package static func make(
        of place: ItemPath, environment: [String: String] = CurrentProcess.environment
    ) throws(UploadError) -> UploadSnapshot {
        let snapshot = try make(of: place.bytes, environment: environment)
        if let omission = snapshot.omission {
            Diagnostics.say(
                """
                the archive of \(place) for uploading leaves out what is no file, directory or \
                link (\(omission.count) in all), such as \
                \(String(decoding: omission.path, as: UTF8.self))
                """)
        }
        return snapshot
    }
}
#endif
