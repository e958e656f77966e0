// SPDX-License-Identifier: Apache-2.0
//
// Reads the kernel's list of the file systems that this process sees.

/// The contents of `/proc/thread-self/mountinfo`.
package enum MountInformation {
    /// Decodes a word, in which blanks and similar bytes are a backslash and three octal digits.
    package static func unescaped(_ word: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(word)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"),
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// A mount.
    package struct Mount: Sendable {
        /// The device of the file system, as the kernel writes it.
        package var device: [UInt8]
        /// The mounted directory of the file system.
        package var root: [UInt8]
        /// The path at which it is mounted.
        package var point: [UInt8]
    }

    /// Parses the lines of the list.
    package static func mounts(parsing lines: some Collection<UInt8>) -> [Mount] {
        lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard words.count == 6 else { return nil }
            return Mount(
                device: Array(words[2]), root: unescaped(words[3]), point: unescaped(words[4]))
        }
    }

    /// The lines of `/proc/thread-self/mountinfo`; empty if they cannot be read.
    package static var lines: [UInt8] {
        // Without /proc no mount is known.
        (try? contents()) ?? []
    }

    private static func contents() throws(SystemError) -> [UInt8] {
        let file = try Directory.open("/proc/thread-self").openFile("mountinfo", .read)
        var bytes: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 16384, alignment: 8)
        defer { unsafe part.deallocate() }
        while true {
            let count = try unsafe file.read(into: part, at: UInt64(bytes.count))
            guard count > 0 else { return bytes }
            unsafe bytes += part[..<count]
        }
    }
}
