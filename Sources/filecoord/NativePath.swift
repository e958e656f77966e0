// SPDX-License-Identifier: Apache-2.0
//
// Paths as the kernel has them: bytes, which need not be text. In messages they are shown with
// everything escaped that a terminal would act on.

import FileCoordinationSystem
import Glibc

/// A path of any bytes but zero.
struct NativePath: Hashable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let slash = UInt8(ascii: "/")

    /// For people.
    var description: String { PeopleText.text(bytes) }

    /// For arguments and variables of other programs.
    var argument: String { ArgumentText.encode(bytes) }

    /// The components, by the letters alone.
    private var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

    /// The last component; "." of the root.
    var name: [UInt8] { components.last.map { Array($0) } ?? [UInt8(ascii: ".")] }

    /// The path of the directory, by the letters alone.
    var directory: NativePath {
        NativePath([Self.slash] + Array(components.dropLast().joined(separator: [Self.slash])))
    }

    /// Whether it was written with a slash at the end, as only directories are.
    var endsWithSlash: Bool { bytes.last == Self.slash }

    /// The same without what only directories may be written with.
    var withoutSlashAtEnd: NativePath {
        let end = bytes.lastIndex { $0 != Self.slash } ?? 0
        return NativePath(Array(bytes.prefix(end + 1)))
    }

    /// The path of `name` in this directory.
    func appending(_ name: [UInt8]) -> NativePath {
        NativePath(bytes + (endsWithSlash ? [] : [Self.slash]) + name)
    }

    /// Runs `body` with the path as C wants it.
    ///
    /// What `body` leaves in errno is there afterwards.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        var code: Int32 = 0
        let result = text.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("A path holds at least its end")
            }
            let result = body(start)
            code = errno
            return result
        }
        errno = code
        return result
    }

    // MARK: Looking

    /// What is there, a link itself.
    func status() throws(SystemError) -> FileStatus {
        try FileStatus(path: bytes, followLinks: false)
    }

    /// What is there, a link itself; nil if nothing is.
    func statusIfAny() throws(SystemError) -> FileStatus? {
        do {
            return try status()
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Opens it; `flags` besides those that every file of ours has.
    func open(_ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
        while true {
            let number = withCString { Glibc.open($0, flags | O_CLOEXEC | O_NOCTTY, mode) }
            if number >= 0 { return Descriptor(adopting: number) }
            let code = errno
            guard code == EINTR else { throw SystemError(code: code, operation: "open \(self)") }
        }
    }

    /// Opens it as a directory.
    func openDirectory() throws(SystemError) -> Descriptor { try open(O_RDONLY | O_DIRECTORY) }
}
