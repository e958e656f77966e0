// SPDX-License-Identifier: Apache-2.0
//
// The inotify instances and watches of a process, as the kernel lists them.

import Foundation

/// The inotify watches of a process at one moment.
struct InotifyWatches {
    /// The inode numbers of the watched items, by the descriptors of the inotify instances.
    private(set) var instances: [String: [UInt64]] = [:]

    init(of process: pid_t) {
        let directory = "/proc/\(process)/fd"
        // The process may have ended, and then has none.
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for number in numbers {
            // A descriptor may be closed meanwhile.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: directory + "/" + number)
            guard let target, target.hasSuffix("inotify") else { continue }
            instances[number] = Self.inodes(in: Self.text("/proc/\(process)/fdinfo/\(number)"))
        }
    }

    /// The inode numbers of all watched items.
    var inodes: [UInt64] { instances.values.flatMap { $0 } }

    /// The watches without those of the inotify instances that were there earlier.
    func beyond(_ earlier: InotifyWatches) -> InotifyWatches {
        var result = self
        for number in earlier.instances.keys { result.instances[number] = nil }
        return result
    }

    /// Whether any of these items is watched.
    func contains(anyOf items: [UInt64]) -> Bool { !Set(inodes).isDisjoint(with: items) }

    /// Whether each of these items is watched.
    func contains(allOf items: [UInt64]) -> Bool { Set(inodes).isSuperset(of: items) }

    /// A line for each watch: `inotify wd:1 ino:2a sdev:…`.
    private static func inodes(in text: String) -> [UInt64] {
        text.split(separator: "\n").filter { $0.hasPrefix("inotify ") }.compactMap { line in
            let field = line.split(separator: " ").first { $0.hasPrefix("ino:") }
            return field.flatMap { UInt64($0.dropFirst("ino:".count), radix: 16) }
        }
    }

    /// All of a file of the kernel's, of which Foundation reads but the beginning.
    private static func text(_ path: String) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        while case let count = read(file, &chunk, chunk.count), count > 0 {
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Sandbox {
    /// The inode numbers of an item and of all directories above it.
    func inodesOnTheWay(to name: String) throws -> [UInt64] {
        var path = path(name)
        var result: [UInt64] = []
        while true {
            var status = stat()
            guard lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
            result.append(UInt64(status.st_ino))
            guard path != "/" else { return result }
            path = (path as NSString).deletingLastPathComponent
        }
    }
}
