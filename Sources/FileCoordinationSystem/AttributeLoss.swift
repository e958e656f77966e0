// SPDX-License-Identifier: Apache-2.0
//
// The attributes that could not be kept when a file was replaced by another one.

/// An attribute of the former file that the new one does not have.
public enum AttributeLoss: Hashable, Sendable, CustomStringConvertible {
    /// The owner, by user ID; the new file belongs to the user who created it.
    case owner(UInt32)
    /// The group, by group ID.
    case group(UInt32)
    /// The set-user-ID or set-group-ID bit.
    case specialBits
    /// The access control list; the rights of named users and groups are removed.
    case accessControlList
    /// An extended attribute, by name; security labels are extended attributes.
    case attribute([UInt8])

    /// A description, as part of a sentence.
    public var description: String {
        switch self {
        case .owner(let user): "its owner (user \(user))"
        case .group(let group): "its group (group \(group))"
        case .specialBits: "its set-user-ID or set-group-ID bit"
        case .accessControlList: "its access control list"
        case .attribute(let name):
            "its extended attribute \(String(decoding: name, as: UTF8.self))"
        }
    }
}
