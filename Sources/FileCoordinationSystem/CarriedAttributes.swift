// SPDX-License-Identifier: Apache-2.0
//
// The attributes of a file besides its contents, for the file that replaces it: owner, group, mode,
// access control list, extended attributes and security labels. They are copied completely, or with
// fewer rights, but never with more: what cannot be kept is reported, and no user gains a right.

internal import CFileCoordinationSystem
import Glibc

/// The attributes of a file or directory, for its replacement.
///
/// ```swift
/// let attributes = try CarriedAttributes(of: [UInt8]("report.txt".utf8), in: directory)
/// for loss in try attributes.give(to: copy) { print("\(loss) could not be kept") }
/// ```
public struct CarriedAttributes: Sendable {
    /// An extended attribute.
    struct Attribute: Hashable, Sendable {
        let name: [UInt8]
        let value: [UInt8]
    }

    /// Owner and group; nil for a new file, which keeps those that it was created with.
    let identity: Identity?
    /// The three bits above the permissions, such as set-user-ID.
    let specialBits: UInt32
    /// The access control list.
    let access: AccessControlList
    /// The default list of a directory, for new items in it.
    let defaultAccess: [UInt8]?
    /// All other attributes except for lists of other kinds.
    let attributes: [Attribute]
    /// Access control lists of other kinds, such as those of NFS.
    let foreignLists: [Attribute]
    /// The attributes that could not be read and so cannot be kept.
    let unreadable: [AttributeLoss]

    /// Owner, group, and the rights of this process.
    struct Identity: Hashable, Sendable {
        let owner: UInt32
        let group: UInt32
        let ownRights: UInt16
    }

    /// Reads the attributes of `name`, which must not be a link, in `directory`.
    ///
    /// May be called on any thread; changes nothing.
    ///
    /// - Throws: `SystemError` if the file cannot be opened for reading or for writing.
    public init(of name: [UInt8], in directory: Descriptor) throws(SystemError) {
        let name = try CName(name, for: "open")
        func open(_ flags: Int32) -> Int32 {
            let flags = flags | O_NOFOLLOW | O_NONBLOCK
            return unsafe name.withPointer { unsafe fcs_open_at(directory.number, $0, flags, 0) }
        }
        var number = open(O_RDONLY)
        if number == -EACCES { number = open(O_WRONLY) }
        try self.init(of: Descriptor(adopting: check(number, "open \(name)")))
    }

    /// Reads the attributes of an open file or directory.
    ///
    /// May be called on any thread; changes nothing.
    ///
    /// - Throws: `SystemError` if its status or its access control list cannot be read.
    public init(of file: Descriptor) throws(SystemError) {
        let status = try file.status()
        identity = Identity(
            owner: status.ownerUserID, group: status.ownerGroupID,
            ownRights: Self.ownRights(to: file))
        specialBits = status.permissions & 0o7000
        let list = try ExtendedAttributes.value(of: AccessControlList.attribute, of: file)
        if let list {
            guard let access = AccessControlList(attribute: list) else {
                throw SystemError(code: EINVAL, operation: "understand an access control list")
            }
            self.access = access
        } else {
            access = AccessControlList(mode: status.permissions)
        }
        defaultAccess =
            status.kind == .directory
            ? try ExtendedAttributes.value(of: AccessControlList.defaultAttribute, of: file) : nil
        var (attributes, lists): ([Attribute], [Attribute]) = ([], [])
        var unreadable: [AttributeLoss] = []
        for name in try ExtendedAttributes.names(of: file) where !Self.isOrdinaryList(name) {
            guard !Self.isAboutContents(name), let value = Self.value(of: name, of: file) else {
                unreadable.append(.attribute(name))
                continue
            }
            let attribute = Attribute(name: name, value: value)
            if name.starts(with: "system.".utf8) {
                lists.append(attribute)
            } else {
                attributes.append(attribute)
            }
        }
        (self.attributes, foreignLists, self.unreadable) = (attributes, lists, unreadable)
    }

    /// Creates the attributes of a new file in `directory` with `mode`, according to the
    /// directory's default access control list or, if there is none, to `umask`.
    ///
    /// - Throws: `SystemError` if the directory's default list cannot be read.
    public init(
        ofNewFileIn directory: Descriptor, mode: UInt32 = 0o666, umask: UInt32
    ) throws(SystemError) {
        let list = try ExtendedAttributes.value(
            of: AccessControlList.defaultAttribute, of: directory
        ).flatMap { AccessControlList(attribute: $0) }
        access = list?.ofNewFile(mode: mode) ?? AccessControlList(mode: mode & ~umask)
        (identity, specialBits, defaultAccess) = (nil, 0, nil)
        (attributes, foreignLists, unreadable) = ([], [], [])
    }

    private static func value(of name: [UInt8], of file: Descriptor) -> [UInt8]? {
        // The caller reports it as lost, where it matters.
        (try? ExtendedAttributes.value(of: name, of: file)) ?? nil
    }

    private static func isOrdinaryList(_ name: [UInt8]) -> Bool {
        name == AccessControlList.attribute || name == AccessControlList.defaultAttribute
    }

    /// Whether the attribute is a checksum of the contents or of attributes, which is wrong for
    /// other contents.
    private static func isAboutContents(_ name: [UInt8]) -> Bool {
        ["security.ima", "security.evm"].contains { name.elementsEqual($0.utf8) }
    }

    /// The rights of this process, according to the kernel.
    private static func ownRights(to file: Descriptor) -> UInt16 {
        let path = "/proc/thread-self/fd/\(file.number)"
        return [R_OK, W_OK, X_OK].reduce(0) { rights, right in
            unsafe faccessat(AT_FDCWD, path, right, AT_EACCESS) == 0
                ? rights | UInt16(right) : rights
        }
    }
}
