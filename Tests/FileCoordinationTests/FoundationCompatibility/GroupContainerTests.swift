// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import Foundation
import Testing

@Suite struct GroupContainerTests {
    private let home = FileManager.default.temporaryDirectory
        .appendingPathComponent("fc-groups-\(UUID().uuidString)", isDirectory: true)

    private func removing(_ body: () throws -> Void) rethrows {
        defer { try? FileManager.default.removeItem(at: home) }
        try body()
    }

    private func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test func `A group's directory is made in the data directory, for the user alone`() throws {
        try removing {
            let data = home.appendingPathComponent("data").path
            let url = try #require(
                GroupContainer.url("group.org.example", dataHome: data, home: home))
            #expect(url.path == data + "/filecoordination/groups/group.org.example")
            #expect(try permissions(url) == 0o700)
            let caches = url.appendingPathComponent("Library/Caches")
            #expect(FileManager.default.fileExists(atPath: caches.path))
            #expect(GroupContainer.url("group.org.example", dataHome: data, home: home) == url)
        }
    }

    @Test(arguments: [nil, "", "data", "./data"])
    func `Without a data directory it is in the home`(dataHome: String?) throws {
        try removing {
            let url = try #require(GroupContainer.url("a", dataHome: dataHome, home: home))
            #expect(url.path == home.path + "/.local/share/filecoordination/groups/a")
        }
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "/a", "../a", "a\0b", String(repeating: "a", count: 256),
    ])
    func `What is no name is no group`(identifier: String) {
        #expect(GroupContainer.url(identifier, dataHome: nil, home: home) == nil)
        #expect(
            !FileManager.default.fileExists(atPath: home.path)
                || identifier.count > 255)
        try? FileManager.default.removeItem(at: home)
    }

    @Test func `Where no directory can be made there is none`() throws {
        try removing {
            let file = home.appendingPathComponent("file")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try Data().write(to: file)
            #expect(GroupContainer.url("a", dataHome: file.path, home: home) == nil)
        }
    }
}
