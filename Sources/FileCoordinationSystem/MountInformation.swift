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

    /// Returns the paths at which file systems are mounted; empty if the list cannot be read.
    package static func points() -> Set<[UInt8]> {
        // Without /proc no mount is known.
        let lines = ((try? contents()) ?? []).split(separator: UInt8(ascii: "\n"))
        return Set(
            lines.compactMap { line in
                let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
                return words.count > 4 ? unescaped(words[4]) : nil
            })
    }

    /// Returns the bytes of `/proc/thread-self/mountinfo`.
    package static func contents() throws(SystemError) -> [UInt8] {
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
