// SPDX-License-Identifier: Apache-2.0
//
// Operations on names in an open directory. Names are bytes, because users' names need not be valid
// text. They are looked up through a descriptor, so that another process cannot redirect a path in
// between. For names of this project, `Directory` is more convenient.

internal import CFileCoordinationSystem
package import Glibc

extension Descriptor {
    /// Calls `body` with this directory and `name` as a C string, and again if a signal interrupts
    /// it.
    ///
    /// A negative result is an error.
    @discardableResult
    package func call<Number: SignedInteger>(
        _ operation: String, _ name: [UInt8], _ body: (Int32, UnsafePointer<CChar>) -> Number
    ) throws(SystemError) -> Number {
        try unsafe Self.call(operation, name) { unsafe body(number, $0) }
    }

    /// Calls `body` with `name` as a C string, without a directory.
    @discardableResult
    package static func call<Number: SignedInteger>(
        _ operation: String, _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Number
    ) throws(SystemError) -> Number {
        let text = try CName(name, for: operation)
        while true {
            let result = unsafe text.withPointer(body)
            if result >= 0 { return result }
            let code = errno
            guard code == EINTR else {
                throw SystemError(code: code, operation: "\(operation) \(text)")
            }
        }
    }

    // MARK: Opening

    /// Opens the directory at `path`.
    package static func openDirectory(
        at path: [UInt8], followLinks: Bool = true
    ) throws(SystemError) -> Descriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followLinks ? 0 : O_NOFOLLOW)
        return unsafe Descriptor(
            adopting: try call("open directory", path) { unsafe openat(AT_FDCWD, $0, flags) })
    }

    /// Opens the directory `name` in this one.
    ///
    /// It must not be a symbolic link.
    package func openDirectory(_ name: [UInt8]) throws(SystemError) -> Descriptor {
        try openFile(name, O_RDONLY | O_DIRECTORY)
    }

    /// Opens the directory `name` in this one, which must not be a symbolic link; creates it if it
    /// does not exist.
    ///
    /// An existing directory keeps its owner and permissions, so check its ``status()``.
    package func openDirectory(
        _ name: [UInt8], creatingWithMode mode: mode_t
    ) throws(SystemError) -> Descriptor {
        let made = Result { () throws(SystemError) in try makeDirectory(name, mode: mode) }
        do throws(SystemError) {
            return try openDirectory(name)
        } catch {
            // If the directory exists, an error of creating it does not matter, for example on a
            // read-only file system.
            if error.code == ENOENT { try made.get() }
            throw error
        }
    }

    /// Opens or creates the file `name` in this directory.
    ///
    /// It must not be a symbolic link.
    package func openFile(
        _ name: [UInt8], _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> Descriptor {
        unsafe Descriptor(
            adopting: try call("open", name) {
                unsafe openat($0, $1, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode)
            })
    }

    /// Creates a file without a name in this directory, readable and writable by this user only;
    /// returns nil if the file system does not support that.
    package func makeNamelessFile() throws(SystemError) -> Descriptor? {
        // O_TMPFILE without its O_DIRECTORY; <fcntl.h> defines it only for GNU sources.
        let temporary: Int32 = 0o20000000
        do throws(SystemError) {
            return unsafe Descriptor(
                adopting: try call("create a file in", Array(".".utf8)) {
                    unsafe openat($0, $1, O_RDWR | O_CLOEXEC | O_DIRECTORY | temporary, 0o600)
                })
        } catch {
            // Old kernels take the flag for an attempt to write to a directory.
            guard [EOPNOTSUPP, EISDIR, EINVAL].contains(error.code) else { throw error }
            return nil
        }
    }

    // MARK: Queries

    /// Returns the status of `name` in this directory; a symbolic link is not followed.
    package func status(of name: [UInt8]) throws(SystemError) -> stat {
        var status = stat()
        try unsafe call("read the status of", name) {
            unsafe fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW)
        }
        return status
    }

    /// Returns the complete status of the open file.
    package func fullStatus() throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else {
            throw SystemError(code: errno, operation: "read the status of descriptor \(number)")
        }
        return status
    }

    /// Returns the target of the symbolic link `name` in this directory.
    package func linkText(of name: [UInt8]) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try unsafe call("read the link", name) {
            unsafe readlinkat($0, $1, &buffer, buffer.count)
        }
        return buffer.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// Returns the names in this directory, without "." and "..", in no particular order.
    package func names() throws(SystemError) -> [[UInt8]] {
        // Opened again, so that concurrent listings do not share a position.
        let listing = try openFile(Array(".".utf8), O_RDONLY | O_DIRECTORY)
        var names: [[UInt8]] = []
        try DirectoryEntries.forEach(in: listing, named: ".") { name, _, _ in
            names.append(name)
            return true
        }
        return names
    }

    // MARK: Changes

    /// Creates a symbolic link to `text` in this directory; the name must be free.
    package func makeLink(_ name: [UInt8], saying text: [UInt8]) throws(SystemError) {
        let words = try CName(text, for: "make a link to")
        try unsafe call("make the link", name) { directory, name in
            unsafe words.withPointer { unsafe symlinkat($0, directory, name) }
        }
    }

    /// Creates a directory in this one; the name must be free.
    package func makeDirectory(_ name: [UInt8], mode: mode_t = 0o700) throws(SystemError) {
        try unsafe call("make the directory", name) { unsafe mkdirat($0, $1, mode) }
    }

    /// Gives a file an additional name in this directory.
    ///
    /// - Parameters:
    ///   - name: the new name.
    ///   - other: the present name of the file.
    ///   - directory: the directory that has it.
    ///   - followsLinks: whether `other` may be a symbolic link to the file. Those in
    ///     `/proc/thread-self/fd` lead to files without a name.
    /// - Throws: ``SystemError`` if the link cannot be made, for example because the name is taken.
    package func makeHardLink(
        _ name: [UInt8], to other: [UInt8], in directory: Descriptor, followsLinks: Bool = false
    ) throws(SystemError) {
        let file = try CName(other, for: "link to")
        try unsafe call("make the link", name) { number, name in
            unsafe file.withPointer {
                unsafe linkat(
                    directory.number, $0, number, name, followsLinks ? AT_SYMLINK_FOLLOW : 0)
            }
        }
    }

    /// Gives an open file without a name this name in this directory.
    package func makeHardLink(
        _ name: [UInt8], toNameless file: Descriptor
    ) throws(SystemError) {
        let link = Array("/proc/thread-self/fd/\(file.number)".utf8)
        try makeHardLink(name, to: link, in: file, followsLinks: true)
    }

    /// Removes `name` from this directory: an empty directory, or anything else.
    package func removeEntry(_ name: [UInt8], isDirectory: Bool = false) throws(SystemError) {
        try unsafe call("remove", name) { unsafe unlinkat($0, $1, isDirectory ? AT_REMOVEDIR : 0) }
    }
}

extension stat {
    /// The kind of the file, such as `S_IFREG`.
    package var kind: mode_t { st_mode & S_IFMT }
}
