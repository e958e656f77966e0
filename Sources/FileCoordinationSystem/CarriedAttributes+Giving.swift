// SPDX-License-Identifier: Apache-2.0
//
// Sets the attributes of a former file on the file that replaces it. The order matters: until the
// end, only the creator has access; a change of owner clears bits and labels; and a mode that is
// set while an inherited list exists would extend the rights of that list's entries.

internal import CFileCoordinationSystem
import Glibc

extension CarriedAttributes {
    /// Sets these attributes on `copy`, and returns what could not be kept.
    ///
    /// `copy` belongs to this process and has no name yet that others use. May be called on any
    /// thread.
    ///
    /// - Returns: the attributes that the copy does not have; empty if it has all.
    /// - Throws: `SystemError` if the access rights of the copy are uncertain. It must not be used
    ///   then.
    public func give(to copy: Descriptor) throws(SystemError) -> [AttributeLoss] {
        var losses = unreadable
        let isDirectory = try copy.status().kind == .directory
        try setMode(isDirectory ? 0o700 : 0o600, of: copy)
        // User attributes are set while the file belongs to its creator, who may write it whatever
        // its final mode is.
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

    /// Sets the former owner and group as far as that is permitted, and reduces rights that would
    /// otherwise be extended.
    ///
    /// Returns whether both were kept.
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
            // The new owner is the writing user, who keeps the rights that he had. The set-user-ID
            // bit was not meant for files that this user writes.
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

    /// Returns the list of the copy after this call.
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
        // The copy may have inherited a list from its directory.
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

    /// Sets the lists of other kinds.
    ///
    /// Returns whether all could be set.
    private func setForeignLists(of copy: Descriptor) -> Bool {
        foreignLists.allSatisfy {
            // The caller is told.
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
            // Labels that the system assigns are often the same already.
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
