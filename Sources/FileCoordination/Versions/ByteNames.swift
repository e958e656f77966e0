// SPDX-License-Identifier: Apache-2.0
//
// Names in the user's own directories may be any bytes; a version of a package must hold them all.
// These are the few operations on an open directory that copying and removing trees need.

import FileCoordinationSystem
import Glibc

extension Descriptor {
    /// Runs a call with a name, again if a signal interrupts it; a negative result is an error.
    @discardableResult
    static func call(
        _ operation: String, _ name: [UInt8], _ body: ([CChar]) -> Int
    ) throws(SystemError) -> Int {
        let text = name.map { CChar(bitPattern: $0) } + [0]
        while true {
            let result = body(text)
            if result >= 0 { return result }
            let code = errno
            guard code == EINTR else {
                let quoted = String(decoding: name, as: UTF8.self)
                throw SystemError(code: code, operation: "\(operation) \"\(quoted)\"")
            }
        }
    }

    /// Opens the directory at an absolute path.
    static func openDirectory(at path: [UInt8]) throws(SystemError) -> Descriptor {
        let number = try call("open directory", path) {
            Int(openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }
        return Descriptor(adopting: Int32(number))
    }

    /// Opens the directory `name` in this one, which may not be a link.
    func openDirectory(_ name: [UInt8]) throws(SystemError) -> Descriptor {
        try openFile(name, O_RDONLY | O_DIRECTORY)
    }

    /// Opens or creates the file `name` in this directory, which may not be a link.
    func openFile(
        _ name: [UInt8], _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> Descriptor {
        let opened = try Self.call("open", name) {
            Int(openat(number, $0, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode))
        }
        return Descriptor(adopting: Int32(opened))
    }

    /// The status of `name` in this directory, a link itself.
    func status(of name: [UInt8]) throws(SystemError) -> stat {
        var status = stat()
        try Self.call("read the status of", name) {
            Int(fstatat(number, $0, &status, AT_SYMLINK_NOFOLLOW))
        }
        return status
    }

    /// What the link `name` in this directory says.
    func linkText(of name: [UInt8]) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try Self.call("read the link", name) {
            readlinkat(number, $0, &buffer, buffer.count)
        }
        return buffer.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// Makes a link in this directory that says `text`; the name must be free.
    func makeLink(_ name: [UInt8], saying text: [UInt8]) throws(SystemError) {
        let words = text.map { CChar(bitPattern: $0) } + [0]
        try Self.call("make the link", name) { Int(symlinkat(words, number, $0)) }
    }

    /// Makes a directory in this one; the name must be free.
    func makeDirectory(_ name: [UInt8], mode: mode_t = 0o700) throws(SystemError) {
        try Self.call("make the directory", name) { Int(mkdirat(number, $0, mode)) }
    }

    /// The names in this directory, in no order.
    func names() throws(SystemError) -> [[UInt8]] {
        let listing = try Self.call("list", Array(".".utf8)) {
            Int(openat(number, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }
        guard let stream = fdopendir(Int32(listing)) else {
            let code = errno
            close(Int32(listing))
            throw SystemError(code: code, operation: "list")
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(code: errno, operation: "list") }
                return names
            }
            let name = Self.name(of: entry)
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        // Not through the tuple, which is longer than the memory behind it.
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
            preconditionFailure("A directory entry has a name")
        }
        let start = UnsafeRawPointer(entry) + offset
        let count = strlen(start.assumingMemoryBound(to: CChar.self))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension stat {
    /// The kind of file, one of `S_IFREG` and the like.
    var kind: mode_t { st_mode & S_IFMT }
}
