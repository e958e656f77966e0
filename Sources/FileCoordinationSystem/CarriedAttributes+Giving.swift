// SPDX-License-Identifier: Apache-2.0
//
// Giving a file the attributes of the one whose place it takes. The order matters: until the end
// only its maker has access, a change of owner takes bits and labels away, and a mode that is set
// beside an inherited list would open that list's entries.

internal import CFileCoordinationSystem
import Glibc

extension CarriedAttributes {
    /// Gives `copy` these attributes; returns what could not be kept, in words for people.
    ///
    /// `copy` belongs to this process and has no name yet that others use. Any thread.
    ///
    /// - Returns: what the copy does not have; empty if it has everything.
    /// - Throws: `SystemError` if the copy's access is not certain: it must not be used then.
    public func give(to copy: Descriptor) throws(SystemError) -> [AttributeLoss] {
        var losses = unreadable
        let isDirectory = try copy.status().kind == .directory
        try setMode(isDirectory ? 0o700 : 0o600, of: copy)
        // While it is its maker's, who may write it whatever its mode will be.
        let labels = attributes.filter { $0.name.starts(with: "security.".utf8) }
        set(attributes.filter { !labels.contains($0) }, of: copy, &losses)
        var (access, specialBits) = (self.access, self.specialBits)
        let isIdentityKept = try takeIdentity(copy, &access, &specialBits, &losses)
        try setDefaultAccess(of: copy, isDirectory, &losses)
        access = try set(access, of: copy, &losses)
        let isListKept = foreignLists.isEmpty || isIdentityKept && setForeignLists(of: copy)
        if !isListKept {
            losses.append(.accessControlList)
            access = AccessControlList(mode: access.mode & 0o700)
            try ExtendedAttributes.remove(AccessControlList.attribute, of: copy)
        }
        try setMode(specialBits | access.mode, of: copy)
        set(labels, of: copy, &losses)
        let left = try copy.status().permissions & 0o7000
        if left != self.specialBits { losses.append(.specialBits) }
        return losses
    }

    // MARK: Owner and group

    /// Gives the copy to the former owner and group as far as that is allowed, and narrows what
    /// would be widened by it; returns whether both were kept.
    private func takeIdentity(
        _ copy: Descriptor, _ access: inout AccessControlList, _ specialBits: inout UInt32,
        _ losses: inout [AttributeLoss]
    ) throws(SystemError) -> Bool {
        guard let identity else { return true }
        var own = try copy.status()
        if own.ownerUserID != identity.owner || own.ownerGroupID != identity.group {
            if fchown(copy.number, identity.owner, identity.group) != 0 {
                _ = fchown(copy.number, uid_t.max, identity.group)
            }
            own = try copy.status()
        }
        let isOwnerKept = own.ownerUserID == identity.owner
        let isGroupKept = own.ownerGroupID == identity.group
        if !isOwnerKept {
            losses.append(.owner(identity.owner))
            // The new owner is the writer, who has what he had. To run as the former owner was not
            // meant for what he writes, nor for him.
            access.set(.owner, to: identity.ownRights)
            specialBits &= 0o1000
        }
        if !isGroupKept {
            losses.append(.group(identity.group))
            access = access.forAnotherGroup
            specialBits &= 0o5000
        }
        return isOwnerKept && isGroupKept
    }

    // MARK: Access

    /// Returns what the copy's list is by now.
    private func set(
        _ access: AccessControlList, of copy: Descriptor, _ losses: inout [AttributeLoss]
    ) throws(SystemError) -> AccessControlList {
        if access.isExtended {
            do throws(SystemError) {
                try ExtendedAttributes.set(
                    AccessControlList.attribute, to: access.attributeValue, of: copy)
                return access
            } catch {
                losses.append(.accessControlList)
            }
        }
        // A copy may have inherited a list from its directory.
        try ExtendedAttributes.remove(AccessControlList.attribute, of: copy)
        return access.isExtended ? access.withoutNames : access
    }

    private func setDefaultAccess(
        of copy: Descriptor, _ isDirectory: Bool, _ losses: inout [AttributeLoss]
    ) throws(SystemError) {
        guard isDirectory else { return }
        guard let defaultAccess else {
            try ExtendedAttributes.remove(AccessControlList.defaultAttribute, of: copy)
            return
        }
        do throws(SystemError) {
            try ExtendedAttributes.set(
                AccessControlList.defaultAttribute, to: defaultAccess, of: copy)
        } catch {
            if !losses.contains(.accessControlList) { losses.append(.accessControlList) }
        }
    }

    /// Whether all of them are set.
    private func setForeignLists(of copy: Descriptor) -> Bool {
        foreignLists.allSatisfy {
            (try? ExtendedAttributes.set($0.name, to: $0.value, of: copy)) != nil
        }
    }

    private func setMode(_ mode: UInt32, of copy: Descriptor) throws(SystemError) {
        guard fchmod(copy.number, mode_t(mode)) == 0 else {
            throw SystemError(code: errno, operation: "set the mode")
        }
    }

    // MARK: Attributes

    private func set(
        _ attributes: [Attribute], of copy: Descriptor, _ losses: inout [AttributeLoss]
    ) {
        for attribute in attributes {
            // Labels that are given by the system are often the same already.
            let isThere = try? ExtendedAttributes.value(of: attribute.name, of: copy)
            guard isThere != attribute.value else { continue }
            do throws(SystemError) {
                try ExtendedAttributes.set(attribute.name, to: attribute.value, of: copy)
            } catch {
                losses.append(.attribute(attribute.name))
            }
        }
    }
}
