// SPDX-License-Identifier: Apache-2.0
//
// Attributes that go from one real file to another. Users and groups need root; lists need a file
// system that keeps them.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct CarriedAttributeTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private typealias Entry = AccessControlList.Entry

    /// A named user may write, the group may not: the mode's group bits say otherwise.
    private let list = AccessControlList([
        Entry(.owner, 6), Entry(.user, 6, id: 1234), Entry(.group, 0),
        Entry(.namedGroup, 4, id: 5678), Entry(.mask, 6), Entry(.other, 0),
    ])

    private func value(_ name: [UInt8], of file: Descriptor) throws -> [UInt8]? {
        try ExtendedAttributes.value(of: name, of: file)
    }

    @Test(.ifAttributesAreKept)
    func `A list, a note and the mode are carried`() throws {
        let original = try scratch.file("a")
        let note = Array("user.note".utf8)
        try ExtendedAttributes.set(note, to: [1, 2, 3], of: original)
        try ExtendedAttributes.set(
            AccessControlList.attribute, to: list.attributeValue, of: original)
        let copy = try scratch.file("b")
        #expect(try CarriedAttributes(of: original).give(to: copy) == [])
        #expect(try value(note, of: copy) == [1, 2, 3])
        #expect(try value(AccessControlList.attribute, of: copy) == list.attributeValue)
        #expect(try copy.status().permissions == 0o660)
    }

    @Test(.ifAttributesAreKept)
    func `A copy that inherits a list loses it to a mode`() throws {
        let original = try scratch.file("a")
        #expect(fchmod(original.number, 0o640) == 0)
        try ExtendedAttributes.set(
            AccessControlList.defaultAttribute, to: list.attributeValue,
            of: scratch.directory.descriptor)
        let copy = try scratch.file("b")
        #expect(try value(AccessControlList.attribute, of: copy) != nil)
        #expect(try CarriedAttributes(of: original).give(to: copy) == [])
        #expect(try value(AccessControlList.attribute, of: copy) == nil)
        #expect(try copy.status().permissions == 0o640)
    }

    @Test(.ifAttributesAreKept)
    func `A new file gets what the kernel gives one`() throws {
        let lists = [
            nil, list, AccessControlList(mode: 0o750),
            AccessControlList([
                Entry(.owner, 7), Entry(.user, 7, id: 1), Entry(.group, 5), Entry(.mask, 7),
                Entry(.other, 5),
            ]),
        ]
        for (number, list) in lists.enumerated() {
            let directory = try scratch.directory.openSubdirectory(
                "d\(number)", creatingWithMode: 0o700)
            if let list {
                try ExtendedAttributes.set(
                    AccessControlList.defaultAttribute, to: list.attributeValue,
                    of: directory.descriptor)
            }
            let expected = try directory.openFile("a", [.read, .write, .create], mode: 0o666)
            let copy = try directory.openFile("b", [.read, .write, .create], mode: 0o600)
            let mask = umask(0o022)
            umask(mask)
            let attributes = try CarriedAttributes(
                ofNewFileIn: directory.descriptor, umask: UInt32(mask))
            #expect(try attributes.give(to: copy) == [])
            let name = AccessControlList.attribute
            #expect(try value(name, of: copy) == value(name, of: expected))
            #expect(try copy.status().permissions == expected.status().permissions)
        }
    }

    @Test(.ifAttributesAreKept, .enabled("needs root") { geteuid() == 0 })
    func `Owner, group and special bits are carried, and sums of the contents are not`() throws {
        let original = try scratch.file("a")
        #expect(fchown(original.number, 1234, 5678) == 0)
        #expect(fchmod(original.number, 0o6751) == 0)
        let sum = Array("security.ima".utf8)
        let label = Array("security.label-of-a-test".utf8)
        try ExtendedAttributes.set(label, to: [7], of: original)
        let hasSum = (try? ExtendedAttributes.set(sum, to: [4, 4], of: original)) != nil
        let copy = try scratch.file("b")
        let losses = try CarriedAttributes(of: Array("a".utf8), in: scratch.directory.descriptor)
            .give(to: copy)
        #expect(losses == (hasSum ? [.attribute(sum)] : []))
        #expect(try value(sum, of: copy) == nil)
        #expect(try value(label, of: copy) == [7])
        let status = try copy.status()
        #expect(status.permissions == 0o6751)
        #expect([status.ownerUserID, status.ownerGroupID] == [1234, 5678])
    }

    @Test(.ifAttributesAreKept)
    func `A directory keeps what it gives to new files`() throws {
        let original = try scratch.directory.openSubdirectory("a", creatingWithMode: 0o755)
        let name = AccessControlList.defaultAttribute
        try ExtendedAttributes.set(name, to: list.attributeValue, of: original.descriptor)
        let copy = try scratch.directory.openSubdirectory("b", creatingWithMode: 0o700)
        #expect(try CarriedAttributes(of: original.descriptor).give(to: copy.descriptor) == [])
        #expect(try value(name, of: copy.descriptor) == list.attributeValue)
        #expect(try copy.status().permissions == original.status().permissions)
    }

    @Test func `What is lost is said in words`() {
        let losses: [AttributeLoss] = [
            .owner(7), .group(8), .specialBits, .accessControlList, .attribute([0x61, 0x2e]),
        ]
        #expect(
            losses.map(\.description) == [
                "its owner (user 7)", "its group (group 8)",
                "its set-user-ID or set-group-ID bit", "its access control list",
                "its extended attribute a.",
            ])
    }
}
