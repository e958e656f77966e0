// SPDX-License-Identifier: Apache-2.0
//
// Going back to a version gives no user access who had none: what the item allows is carried whole,
// or narrowed. ForeignGroupTests has users who cannot carry the group.

import FileCoordination
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@Suite struct VersionAccessTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    private typealias Entry = AccessControlList.Entry

    /// A named user may write, the group may not: the mode's group bits say otherwise.
    private let list = AccessControlList([
        Entry(.owner, 6), Entry(.user, 6, id: 1234), Entry(.group, 0),
        Entry(.namedGroup, 4, id: 5678), Entry(.mask, 6), Entry(.other, 0),
    ])

    private func open(_ url: URL) throws -> Descriptor {
        try Directory.open(url.deletingLastPathComponent().path).openFile(
            url.lastPathComponent, .read)
    }

    private func list(of url: URL) throws -> [UInt8]? {
        try ExtendedAttributes.value(of: AccessControlList.attribute, of: open(url))
    }

    private func set(_ attribute: [UInt8], on url: URL) throws {
        try ExtendedAttributes.set(attribute, to: list.attributeValue, of: open(url))
    }

    /// Whether the file system keeps lists.
    fileprivate func canSetList() throws -> Bool {
        do {
            try set(AccessControlList.attribute, on: stage.file("probe", ""))
        } catch let error as SystemError where error.code == ErrorNumber.notSupported {
            return false
        }
        return true
    }

    private func restore(_ name: String, _ target: String) throws {
        try stage.use {
            let version = try #require(
                NSFileVersion.otherVersionsOfItem(at: stage.url(name))?.first)
            try version.replaceItem(at: stage.url(target))
        }
    }

    @Test(.ifListsAreKept)
    func `The item's access control list is carried, and no mode is made of its mask`() throws {
        let url = try stage.file("a.txt", "1")
        chmod(url.path, 0o600)
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try set(AccessControlList.attribute, on: url)
        try stage.file("a.txt", "2")
        try restore("a.txt", "a.txt")
        #expect(try text(url) == "1")
        #expect(try list(of: url) == list.attributeValue)
    }

    @Test(.ifListsAreKept)
    func `A version's own list is kept with it, inside a package too`() throws {
        let url = try stage.package("a.rtfd", "1")
        let inner = url.appendingPathComponent("text")
        try set(AccessControlList.attribute, on: inner)
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try restore("a.rtfd", "a.rtfd")
        #expect(try list(of: inner) == list.attributeValue)
    }

    @Test(.ifListsAreKept)
    func `What a directory gives to new items is given to one that is made, and to no other`()
        throws
    {
        let url = try stage.file("a.txt", "1")
        chmod(url.path, 0o640)
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try set(AccessControlList.defaultAttribute, on: stage.documents)
        try restore("a.txt", "a.txt")
        #expect(try list(of: url) == nil)
        try restore("a.txt", "new.txt")
        let number = Glibc.open(stage.url("kernel").path, O_CREAT | O_WRONLY, 0o640)
        #expect(number >= 0)
        close(number)
        #expect(try list(of: stage.url("new.txt")) == list(of: stage.url("kernel")))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to any group"))
    func `The item's group is carried`() throws {
        let url = try stage.file("a.txt", "1")
        chmod(url.path, 0o600)
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        #expect(chown(url.path, uid_t.max, 4242) == 0)
        chmod(url.path, 0o660)
        try restore("a.txt", "a.txt")
        var status = stat()
        #expect(stat(url.path, &status) == 0)
        #expect(status.st_gid == 4242)
        #expect(status.st_mode & 0o777 == 0o660)
    }

    @Test(.ifListsAreKept)
    func `The attributes of the contents come back, also to a file that may not be written`() throws
    {
        let name = Array("user.charset".utf8)
        let url = try stage.file("a.txt", "1")
        try ExtendedAttributes.set(name, to: Array("utf-8".utf8), of: open(url))
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.file("a.txt", "2")
        try ExtendedAttributes.set(name, to: Array("utf-16".utf8), of: open(url))
        chmod(url.path, 0o444)
        try restore("a.txt", "a.txt")
        #expect(try ExtendedAttributes.value(of: name, of: open(url)) == Array("utf-8".utf8))
        var status = stat()
        #expect(stat(url.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o444)
    }

    @Test func `A package that is moved in keeps no file that has another name`() throws {
        let url = try stage.package("a.rtfd", "1")
        let draft = try stage.package("draft.rtfd", "2")
        let other = stage.url("other")
        #expect(link(draft.appendingPathComponent("locked/inner").path, other.path) == 0)
        let version = try stage.use {
            try NSFileVersion.addOfItem(at: url, withContentsOf: draft, options: .byMoving)
        }
        try write("changed", to: other)
        #expect(try text(version.url.appendingPathComponent("locked/inner")) == "2")
        #expect(try !stage.documentNames().contains("draft.rtfd"))
    }

    @Test func `A file in the place of a package is its owner's alone`() throws {
        let url = try stage.package("a.rtfd", "1")
        chmod(url.path, 0o700)
        let other = try stage.file("flat.rtfd", "flat")
        chmod(other.path, 0o644)
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: other) }
        try restore("a.rtfd", "a.rtfd")
        var status = stat()
        #expect(stat(url.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that give a file an access control list.
    fileprivate static var ifListsAreKept: Self {
        .enabled("the file system of the temporary directory keeps no access control lists") {
            try VersionAccessTests().canSetList()
        }
    }
}
