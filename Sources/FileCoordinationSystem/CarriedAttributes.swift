// SPDX-License-Identifier: Apache-2.0
//
// What belongs to a file besides its contents, on its way to the file that takes its place: owner,
// group, mode, access control list, extended attributes and security labels. It is carried whole,
// or narrowed, and never widened: what cannot be kept is reported, and no user gains a right by it.

internal import CFileCoordinationSystem
import Glibc

/// The attributes of a file or directory, to be given to its successor.
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

    /// Owner and group; nil for a new file, which has those that it was made with.
    let identity: Identity?
    /// Set-user-ID and the like: the three bits above the nine.
    let specialBits: UInt32
    /// Who may do what.
    let access: AccessControlList
    /// What new items in a directory get.
    let defaultAccess: [UInt8]?
    /// Everything else but lists of other kinds.
    let attributes: [Attribute]
    /// Access control lists of other kinds, such as NFS has them.
    let foreignLists: [Attribute]
    /// What is known to be lost before anything was tried.
    let unreadable: [AttributeLoss]

    /// Owner, group, and what this process may do with the file.
    struct Identity: Hashable, Sendable {
        let owner: UInt32
        let group: UInt32
        let ownRights: UInt16
    }

    /// Handles the attributes of `name`, which may not be a link, in `directory`.
    ///
    /// Any thread; looks at the file, and changes nothing.
    ///
    /// - Throws: `SystemError` if it cannot be opened for reading or for writing.
    public init(of name: [UInt8], in directory: Descriptor) throws(SystemError) {
        let name = try CName(name, for: "open")
        func open(_ flags: Int32) -> Int32 {
            let flags = flags | O_NOFOLLOW | O_NONBLOCK
            return name.withPointer { fcs_open_at(directory.number, $0, flags, 0) }
        }
        var number = open(O_RDONLY)
        if number == -EACCES { number = open(O_WRONLY) }
        try self.init(of: Descriptor(adopting: check(number, "open \(name)")))
    }

    /// Handles the attributes of an open file or directory.
    ///
    /// Any thread; changes nothing.
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

    /// What a new file in `directory` gets that is created with `mode`: what the directory's
    /// default access control list says, else what `umask` leaves.
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
        (try? ExtendedAttributes.value(of: name, of: file)) ?? nil
    }

    private static func isOrdinaryList(_ name: [UInt8]) -> Bool {
        name == AccessControlList.attribute || name == AccessControlList.defaultAttribute
    }

    /// Sums of the contents and of other attributes: wrong for any other contents.
    private static func isAboutContents(_ name: [UInt8]) -> Bool {
        ["security.ima", "security.evm"].contains { name.elementsEqual($0.utf8) }
    }

    /// What this process may do, as the kernel sees it.
    private static func ownRights(to file: Descriptor) -> UInt16 {
        let path = "/proc/self/fd/\(file.number)"
        return [R_OK, W_OK, X_OK].reduce(0) { rights, right in
            faccessat(AT_FDCWD, path, right, AT_EACCESS) == 0 ? rights | UInt16(right) : rights
        }
    }
}
