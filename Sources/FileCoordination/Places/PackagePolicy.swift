// SPDX-License-Identifier: Apache-2.0
//
// Which directories are packages: treated as one file (Rule 1.11). Asked of the file system, by one
// policy that is the same for all processes that share an arbiter.

import FileCoordinationSystem

/// The built-in policy.
enum PackagePolicy {
    /// Extensions that make any directory a package.
    private static let always: Set<String> = [
        "rtfd", "framework", "graffle", "xcodeproj", "xcworkspace", "playground", "photoslibrary",
        "logicx", "fcpbundle", "sparsebundle", "textbundle",
    ]

    /// Extensions that are ordinary directory names on Linux, too: packages only by their contents.
    private static let byContents: Set<String> = [
        "app", "bundle", "pages", "numbers", "key", "pkg", "band",
    ]

    private static let telltales = ["Contents", "Info.plist", "Index"]

    /// Whether the directory at `path` is a package.
    ///
    /// Only names that could be one cost a look.
    static func isPackage(directoryAt path: [UInt8]) -> Bool {
        guard let name = path.split(separator: UInt8(ascii: "/")).last,
            let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex
        else { return false }
        let fileExtension = String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
        if always.contains(fileExtension) { return isDirectory(path) }
        guard byContents.contains(fileExtension), isDirectory(path) else { return false }
        return telltales.contains { exists(path + [UInt8(ascii: "/")] + Array($0.utf8)) }
    }

    private static func isDirectory(_ path: [UInt8]) -> Bool {
        (try? FileStatus(path: path, followLinks: false))?.kind == .directory
    }

    private static func exists(_ path: [UInt8]) -> Bool {
        (try? FileStatus(path: path, followLinks: false)) != nil
    }
}
