// SPDX-License-Identifier: Apache-2.0
//
// Makes upload snapshots of URLs and paths, and prints a warning if an archive omits something.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
package import FileTree
package import Foundation
import FoundationCompatibility

extension UploadSnapshot {
    /// The URL of the copy: a file under its own name, or a zip archive named after the directory.
    ///
    /// It is in a directory of its own, from which it may be moved.
    package var url: URL { URL(pathBytes: path, isDirectory: false) }

    /// Copies the item at `url`, on which the caller must have a claim.
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

    /// Copies the item at `place`, on which the caller must have a claim.
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
