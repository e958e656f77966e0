// SPDX-License-Identifier: Apache-2.0
//
// Finds the other paths of items on file systems that are mounted more than once. Claims on
// different paths of an item do not exclude each other (Rule 2.24). For diagnosis; accesses do not
// use this.

/// The other paths of items that are mounted more than once.
package struct OtherPlaces: Sendable {
    /// Without a slash at the end of root and point.
    private let mounts: [MountInformation.Mount]

    /// The present mounts that this process sees; empty if they cannot be read.
    package static var current: OtherPlaces {
        OtherPlaces(parsing: MountInformation.lines)
    }

    /// Parses the lines of `/proc/thread-self/mountinfo`.
    package init(parsing lines: some Collection<UInt8>) {
        var mounts: [MountInformation.Mount] = []
        for var mount in MountInformation.mounts(parsing: lines) {
            mount.root = Self.withoutSlash(mount.root)
            mount.point = Self.withoutSlash(mount.point)
            // A mount hides an earlier one at the same path.
            mounts.removeAll { $0.point == mount.point }
            mounts.append(mount)
        }
        self.mounts = mounts
    }

    /// Returns the other paths of the item at an absolute path.
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

    private func mount(of path: [UInt8]) -> MountInformation.Mount? {
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
