// SPDX-License-Identifier: Apache-2.0
//
// The tree that is to be uploaded, looked at by open directories: a name is looked up in the
// directory that was opened, never by a path, and no symbolic link is followed. Names are bytes.
//
// Programs that do not coordinate may change the tree meanwhile. What they remove between the
// listing and the look was not there; what they replace is looked at again.

#if !canImport(Darwin)
package import FileCoordinationSystem
import Glibc

/// What was known of an item when it was looked at.
package struct SourceAttributes: Hashable, Sendable {
    /// What sort of item it is.
    package enum Kind: Hashable, Sendable {
        /// A file with contents.
        case file
        /// A directory.
        case directory
        /// A symbolic link.
        case link
        /// A socket, a pipe or a device: nothing that a copy could be made of.
        case special
    }

    package var kind: Kind
    /// The mode, with the bits that tell the kind.
    package var mode: UInt32
    /// Bytes; what is read of the file may be less.
    package var size: UInt64
    /// When it was last modified.
    var modified: timespec { timespec(tv_sec: seconds, tv_nsec: nanoseconds) }
    /// The whole seconds of that, since 1970.
    package var seconds: Int
    private var nanoseconds: Int
    /// The file system and the number in it: the item's identity.
    private let identity: [UInt64]

    package init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .special
            }
        mode = status.st_mode
        size = UInt64(max(0, status.st_size))
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        identity = [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    /// Whether this is the item that has `status`.
    func isSameItem(as status: FileStatus) -> Bool { identity == [status.device, status.inode] }
}

/// A file that is open for reading.
package struct SourceFile: Sendable {
    package let descriptor: Descriptor
    package let attributes: SourceAttributes
    /// Only for messages.
    package let path: [UInt8]

    /// Fills `buffer` from `offset` on; returns less than its length only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(UploadError) -> Int {
        var filled = 0
        while filled < buffer.count {
            do throws(SystemError) {
                let count = try descriptor.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]),
                    at: offset + UInt64(filled))
                guard count > 0 else { return filled }
                filled += count
            } catch {
                throw .unreadable(path: path, code: error.code)
            }
        }
        return filled
    }
}

/// One thing that a name stands for, opened or read.
package enum SourceItem {
    /// A file with contents.
    case file(SourceFile)
    /// A directory.
    case directory(SourceDirectory, SourceAttributes)
    /// A symbolic link, and what is written in it.
    case link(target: [UInt8], SourceAttributes)
    /// A socket, a pipe or a device, which was not opened.
    case special
}

/// A directory that is open for looking up names.
package struct SourceDirectory: Sendable {
    let descriptor: Descriptor
    /// Only for messages.
    let path: [UInt8]

    /// Opens the directory at `path`; the links on the way are followed.
    package init(path: [UInt8]) throws(UploadError) {
        self.path = path
        descriptor = try Self.call(path) {
            withCName(path) { openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        }.asDescriptor
    }

    /// Opens a directory in `parent`; nil, with the reason in errno, if it cannot be opened.
    init?(subdirectory name: [UInt8], of parent: Descriptor) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let number = withCName(name) { openat(parent.number, $0, flags) }
        guard number >= 0 else { return nil }
        self.init(number.asDescriptor, path: name)
    }

    private init(_ descriptor: Descriptor, path: [UInt8]) {
        self.descriptor = descriptor
        self.path = path
    }

    /// How often a name that keeps changing its kind is looked at.
    private static let patience = 8

    /// Opens what `name` stands for; nil if there is nothing of that name any more.
    package func item(_ name: [UInt8]) throws(UploadError) -> SourceItem? {
        for _ in 0..<Self.patience {
            do throws(UploadError) {
                if let item = try attempt(name) { return item }
            } catch .unreadable(_, ErrorNumber.noSuchFile) {
                return nil
            } catch .unreadable(_, ErrorNumber.notADirectory) {
                continue
            } catch .unreadable(_, ErrorNumber.symbolicLink) {
                continue
            } catch {
                throw error
            }
        }
        throw .unreadable(path: path(of: name), code: EBUSY)
    }

    /// Looks once; nil if the name stood for one thing, and then for another.
    private func attempt(_ name: [UInt8]) throws(UploadError) -> SourceItem? {
        var status = stat()
        try call(name) { fstatat(descriptor.number, $0, &status, AT_SYMLINK_NOFOLLOW) }
        let attributes = SourceAttributes(status)
        switch attributes.kind {
        case .file: return try openFile(name).map { .file($0) }
        case .directory: return try openDirectory(name)
        case .link: return try target(of: name).map { .link(target: $0, attributes) }
        case .special: return .special
        }
    }

    // MARK: Opening

    private func openFile(_ name: [UInt8]) throws(UploadError) -> SourceFile? {
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
        let opened: Descriptor
        do throws(UploadError) {
            // A pipe that has come into the file's place must not hold us up.
            opened = try call(name) { openat(descriptor.number, $0, flags | O_NONBLOCK) }
                .asDescriptor
        } catch .unreadable(_, EWOULDBLOCK) {
            // It is a file, of which somebody has a lease that must be given back first.
            opened = try call(name) { openat(descriptor.number, $0, flags) }.asDescriptor
        } catch .unreadable(_, ENXIO) {
            return nil
        } catch {
            throw error
        }
        let attributes = try attributes(of: opened, name)
        guard attributes.kind == .file else { return nil }
        return SourceFile(descriptor: opened, attributes: attributes, path: path(of: name))
    }

    private func openDirectory(_ name: [UInt8]) throws(UploadError) -> SourceItem {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = try call(name) { openat(descriptor.number, $0, flags) }.asDescriptor
        return .directory(
            SourceDirectory(opened, path: path(of: name)), try attributes(of: opened, name))
    }

    private func attributes(
        of opened: Descriptor, _ name: [UInt8]
    ) throws(UploadError) -> SourceAttributes {
        var status = stat()
        try call(name) { _ in fstat(opened.number, &status) }
        return SourceAttributes(status)
    }

    private func target(of name: [UInt8]) throws(UploadError) -> [UInt8]? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        do throws(UploadError) {
            let length = try call(name) {
                readlinkat(descriptor.number, $0, &target, target.count)
            }
            return target.prefix(length).map { UInt8(bitPattern: $0) }
        } catch .unreadable(_, EINVAL) {
            return nil
        } catch {
            throw error
        }
    }

    // MARK: Listing

    /// The names in the directory, sorted, so that the same tree makes the same archive.
    package func names() throws(UploadError) -> [[UInt8]] {
        // A description of its own, whose position nobody else moves.
        let duplicate = try Self.call(path) {
            openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let listing = fdopendir(duplicate) else {
            let code = errno
            close(duplicate)
            throw .unreadable(path: path, code: code)
        }
        defer { closedir(listing) }
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                guard errno == 0 else { throw .unreadable(path: path, code: errno) }
                return names.sorted { $0.lexicographicallyPrecedes($1) }
            }
            // In place: the name may be shorter than the field that is declared for it.
            let start = UnsafeRawPointer(entry) + offset
            let length = strlen(start.assumingMemoryBound(to: CChar.self))
            let name = Array(UnsafeRawBufferPointer(start: start, count: length))
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
    }

    // MARK: Calls

    func path(of name: [UInt8]) -> [UInt8] {
        (path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]) + name
    }

    @discardableResult
    private func call<Number: SignedInteger>(
        _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Number
    ) throws(UploadError) -> Number {
        try Self.call(path(of: name)) { withCName(name, body) }
    }

    private static func call<Number: SignedInteger>(
        _ path: [UInt8], _ body: () -> Number
    ) throws(UploadError) -> Number {
        while true {
            let result = body()
            guard result < 0 else { return result }
            let code = errno
            guard code == EINTR else { throw .unreadable(path: path, code: code) }
        }
    }
}

extension Int32 {
    /// A descriptor that was opened just now, with an owner.
    var asDescriptor: Descriptor { Descriptor(adopting: self) }
}

/// Runs `body` with `name`, which has no zero inside, as C wants it.
///
/// What `body` leaves in errno is there afterwards.
func withCName<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    var code: Int32 = 0
    let result = (name + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
            guard let start = characters.baseAddress else {
                preconditionFailure("A name holds at least its end")
            }
            let result = body(start)
            code = errno
            return result
        }
    }
    // The memory has been freed meanwhile.
    errno = code
    return result
}
#endif
