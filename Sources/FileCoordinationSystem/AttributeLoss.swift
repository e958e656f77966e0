// SPDX-License-Identifier: Apache-2.0
//
// What could not be kept when a file was replaced by another one.

/// Something of the former file that its successor does not have.
public enum AttributeLoss: Hashable, Sendable, CustomStringConvertible {
    /// The owner, by number; the successor belongs to the user who made it.
    case owner(UInt32)
    /// The group, by number.
    case group(UInt32)
    /// The set-user-ID or set-group-ID bit.
    case specialBits
    /// The access control list; what it allowed to named users and groups is not allowed.
    case accessControlList
    /// An extended attribute, by name; security labels are such.
    case attribute([UInt8])

    /// What it is, as part of a sentence.
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
