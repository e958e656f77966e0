// SPDX-License-Identifier: Apache-2.0
//
// Calls that the C library has and Swift's Glibc module does not list, because they are GNU's own.
// They belong into the C target of FileCoordinationSystem; until they are there they are looked up
// by name. Where one is missing, its answer is "unknown", and the store does with less.

import FileCoordinationSystem
import Glibc

/// Kernel calls that are found by their names.
enum UnlistedCalls {
    private static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    private static func terminated(_ name: [UInt8]) -> [CChar] {
        name.map { CChar(bitPattern: $0) } + [0]
    }

    // MARK: statx

    /// What `statx` tells about a file's identity.
    struct Birth {
        var device: UInt64
        var inode: UInt64
        /// Nanoseconds since 1970; 0 where the file system does not keep it.
        var born: Int64
    }

    private typealias Statx =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer
        ) -> Int32
    private static let statx = find("statx", as: Statx.self)

    /// Where things are in a `struct statx`, which is the kernel's and never changes.
    private enum StatxLayout {
        static let size = 256
        static let mask = 0
        static let inode = 32
        static let bornSeconds = 80
        static let bornNanoseconds = 88
        static let deviceMajor = 136
        static let deviceMinor = 140
        static let wantsInode: UInt32 = 0x100
        static let wantsBirth: UInt32 = 0x800
    }

    /// Asks for the identity of what `path` names, a final link itself; nil if there is nothing.
    static func birth(at path: [UInt8]) -> Birth? {
        guard let statx else { return nil }
        var buffer = [UInt8](repeating: 0, count: StatxLayout.size)
        let wanted = StatxLayout.wantsInode | StatxLayout.wantsBirth
        let result = buffer.withUnsafeMutableBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return statx(AT_FDCWD, terminated(path), AT_SYMLINK_NOFOLLOW, wanted, base)
        }
        guard result == 0 else { return nil }
        return buffer.withUnsafeBytes { bytes in
            func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
                bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
            }
            let mask: UInt32 = load(StatxLayout.mask)
            let major: UInt32 = load(StatxLayout.deviceMajor)
            let minor: UInt32 = load(StatxLayout.deviceMinor)
            let seconds: Int64 = load(StatxLayout.bornSeconds)
            let nanoseconds: UInt32 = load(StatxLayout.bornNanoseconds)
            let isKnown = mask & StatxLayout.wantsBirth != 0
            return Birth(
                device: UInt64(major) << 32 | UInt64(minor), inode: load(StatxLayout.inode),
                born: isKnown ? seconds &* 1_000_000_000 &+ Int64(nanoseconds) : 0)
        }
    }

    // MARK: name_to_handle_at

    private typealias NameToHandle =
        @convention(c) (
            Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>, Int32
        ) -> Int32
    private static let nameToHandle = find("name_to_handle_at", as: NameToHandle.self)

    /// A digest of the file handle of what `path` names, a final link itself; 0 if there is none.
    ///
    /// A handle holds the inode's generation: unlike the inode's number it is never used again.
    static func handle(at path: [UInt8]) -> UInt64 {
        guard let nameToHandle else { return 0 }
        let capacity = 128
        let header = 8
        var buffer = [UInt8](repeating: 0, count: header + capacity)
        buffer[0] = UInt8(capacity)
        var mount: Int32 = 0
        let result = buffer.withUnsafeMutableBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return nameToHandle(AT_FDCWD, terminated(path), base, &mount, 0)
        }
        guard result == 0 else { return 0 }
        // FNV-1a over type and handle. 0 would mean "unknown".
        return max(
            1,
            buffer.prefix(header + min(capacity, Int(buffer[0]))).reduce(0xcbf2_9ce4_8422_2325) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01b3
            })
    }

    // MARK: Extended attributes

    private typealias ListAttributes =
        @convention(c) (
            Int32, UnsafeMutablePointer<CChar>?, Int
        ) -> Int
    private typealias GetAttribute =
        @convention(c) (
            Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
        ) -> Int
    private typealias SetAttribute =
        @convention(c) (
            Int32, UnsafePointer<CChar>, UnsafeRawPointer?, Int, Int32
        ) -> Int32
    private static let listAttributes = find("flistxattr", as: ListAttributes.self)
    private static let getAttribute = find("fgetxattr", as: GetAttribute.self)
    private static let setAttribute = find("fsetxattr", as: SetAttribute.self)

    /// Copies the `user.` attributes of one open file to another, as far as its file system can.
    static func copyAttributes(from source: Descriptor, to target: Descriptor) {
        guard let listAttributes, let getAttribute, let setAttribute else { return }
        let length = listAttributes(source.number, nil, 0)
        guard length > 0 else { return }
        var list = [CChar](repeating: 0, count: length)
        let filled = listAttributes(source.number, &list, length)
        guard filled > 0 else { return }
        for part in list.prefix(filled).split(separator: 0) {
            let name = Array(part) + [0]
            guard
                String(decoding: part.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    .hasPrefix("user.")
            else { continue }
            let size = getAttribute(source.number, name, nil, 0)
            guard size >= 0 else { continue }
            var value = [UInt8](repeating: 0, count: max(1, size))
            let read = getAttribute(source.number, name, &value, size)
            if read >= 0 { _ = setAttribute(target.number, name, value, read, 0) }
        }
    }

    // MARK: syncfs, renameat2

    private typealias SynchronizeFileSystem = @convention(c) (Int32) -> Int32
    private static let synchronizeFileSystem = find("syncfs", as: SynchronizeFileSystem.self)

    /// Waits until everything on the file system of an open file is on its device.
    static func synchronizeFileSystem(of file: Descriptor) throws(SystemError) {
        guard let synchronizeFileSystem else { return sync() }
        guard synchronizeFileSystem(file.number) == 0 else {
            throw SystemError(code: errno, operation: "syncfs")
        }
    }

    private typealias Rename =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32
    private static let rename = find("renameat2", as: Rename.self)

    /// What ``rename(_:to:in:_:)`` does with a name that is taken.
    enum TakenName: UInt32 {
        /// Fails with ``ErrorNumber/alreadyExists``.
        case refuse = 1
        /// The two change places, in one step.
        case exchange = 2
    }

    /// Renames within one directory.
    static func rename(
        _ old: [UInt8], to new: [UInt8], in directory: Descriptor, ifTaken: TakenName
    ) throws(SystemError) {
        let operation = "rename \"\(String(decoding: old, as: UTF8.self))\""
        guard let rename else { throw SystemError(code: ENOSYS, operation: operation) }
        let number = directory.number
        guard rename(number, terminated(old), number, terminated(new), ifTaken.rawValue) == 0 else {
            throw SystemError(code: errno, operation: operation)
        }
    }
}
