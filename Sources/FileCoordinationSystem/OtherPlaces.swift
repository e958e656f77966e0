// SPDX-License-Identifier: Apache-2.0
//
// Where else the file system of a path is mounted: by another path leads to the same item, and
// claims on the two do not exclude each other (Rule 2.24). For people who ask; no access looks.

/// The places of items that are mounted more than once.
package struct OtherPlaces: Sendable {
    private struct Mount {
        /// The file system, as the kernel numbers it.
        var device: [UInt8]
        /// What of it is mounted, and where; both without a slash at the end.
        var root: [UInt8]
        var point: [UInt8]
    }

    private let mounts: [Mount]

    /// What is mounted now, as this process sees it; nothing where that is not to be had.
    package static var current: OtherPlaces {
        OtherPlaces(parsing: (try? MountInformation.contents()) ?? [])
    }

    /// From the lines of `/proc/self/mountinfo`.
    package init(parsing lines: some Collection<UInt8>) {
        var mounts: [Mount] = []
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard words.count == 6 else { continue }
            let mount = Mount(
                device: Array(words[2]),
                root: Self.withoutSlash(MountInformation.unescaped(words[3])),
                point: Self.withoutSlash(MountInformation.unescaped(words[4])))
            // What is mounted over something hides it.
            mounts.removeAll { $0.point == mount.point }
            mounts.append(mount)
        }
        self.mounts = mounts
    }

    /// The other paths by which the item at an absolute path can be reached.
    package func places(of path: [UInt8]) -> [[UInt8]] {
        let path = Self.withoutSlash(path)
        guard let own = mount(of: path) else { return [] }
        let inside = own.root + path.dropFirst(own.point.count)
        return mounts.compactMap { mount in
            guard mount.device == own.device, mount.point != own.point,
                Self.isWithin(inside, mount.root)
            else { return nil }
            let place = mount.point + inside.dropFirst(mount.root.count)
            guard place != path, self.mount(of: place)?.point == mount.point else { return nil }
            return place.isEmpty ? [UInt8(ascii: "/")] : place
        }
    }

    private func mount(of path: [UInt8]) -> Mount? {
        mounts.filter { Self.isWithin(path, $0.point) }.max { $0.point.count < $1.point.count }
    }

    private static func isWithin(_ path: [UInt8], _ directory: [UInt8]) -> Bool {
        path.starts(with: directory)
            && (path.count == directory.count || path[directory.count] == UInt8(ascii: "/"))
    }

    private static func withoutSlash(_ path: [UInt8]) -> [UInt8] {
        path.last == UInt8(ascii: "/") ? path.dropLast() : path
    }
}
