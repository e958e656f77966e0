// SPDX-License-Identifier: Apache-2.0
//
// Paths as the kernel takes them: bytes that need not be valid text. In messages, every character
// that could control a terminal is escaped.

package import FileCoordinationSystem
package import Glibc

/// A path of any bytes except zero.
package struct NativePath: Hashable, Sendable, CustomStringConvertible {
    /// The path's bytes, without a terminating zero.
    package let bytes: [UInt8]

    /// Creates a path.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let slash = UInt8(ascii: "/")

    /// The path as text for the user.
    package var description: String { UserText.text(bytes) }

    /// The components, without looking at the file system.
    private var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

    /// The last component, or "." for the root.
    package var name: [UInt8] { components.last.map { Array($0) } ?? [UInt8(ascii: ".")] }

    /// The path of the parent directory, without looking at the file system.
    package var directory: NativePath {
        NativePath([Self.slash] + Array(components.dropLast().joined(separator: [Self.slash])))
    }

    /// Whether the path ends with a slash, which is only valid for a directory.
    package var endsWithSlash: Bool { bytes.last == Self.slash }

    /// The path without slashes at its end.
    package var withoutSlashAtEnd: NativePath {
        let end = bytes.lastIndex { $0 != Self.slash } ?? 0
        return NativePath(Array(bytes.prefix(end + 1)))
    }

    /// The path of `name` in this directory.
    package func appending(_ name: [UInt8]) -> NativePath {
        NativePath(bytes + (endsWithSlash ? [] : [Self.slash]) + name)
    }

    /// Calls `body` with the path as a C string.
    ///
    /// The value of `errno` that `body` sets is preserved.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        var code: Int32 = 0
        let result = unsafe text.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("A path holds at least its end")
            }
            let result = unsafe body(start)
            code = errno
            return result
        }
        errno = code
        return result
    }

    // MARK: Looking

    /// The path to which links at the end lead now.
    package func followed() throws(SystemError) -> NativePath {
        var path = self
        // As many as the kernel follows.
        for _ in 0..<40 {
            guard let target = RealPath.target(ofLink: path.bytes) else { return path }
            let isAbsolute = target.first == Self.slash
            path = isAbsolute ? NativePath(target) : path.directory.appending(target)
        }
        throw SystemError(code: ELOOP, operation: "follow links")
    }

    /// The status of the item, without following a link.
    package func status() throws(SystemError) -> FileStatus {
        try FileStatus(path: bytes, followLinks: false)
    }

    /// The status of the item, without following a link, or nil if there is none.
    package func statusIfAny() throws(SystemError) -> FileStatus? {
        do {
            return try status()
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Opens the item with `flags` and the flags that this program always uses.
    package func open(_ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
        while true {
            let number = unsafe withCString {
                unsafe Glibc.open($0, flags | O_CLOEXEC | O_NOCTTY, mode)
            }
            if number >= 0 { return Descriptor(adopting: number) }
            let code = errno
            guard code == EINTR else { throw SystemError(code: code, operation: "open \(self)") }
        }
    }

    /// Opens the item, which must be a directory.
    package func openDirectory() throws(SystemError) -> Descriptor {
        try open(O_RDONLY | O_DIRECTORY)
    }
}
