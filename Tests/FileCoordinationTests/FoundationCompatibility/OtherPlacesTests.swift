// SPDX-License-Identifier: Apache-2.0
//
// Where else an item is mounted, from what the kernel says of mounts (Rule 2.24).

import FileCoordination
import FileCoordinationSystem
import Testing

struct OtherPlacesTests {
    private let mounts = OtherPlaces(
        parsing: """
            1 0 8:1 / / rw - ext4 /dev/a rw
            2 1 8:2 /@home /home rw - btrfs /dev/b rw
            3 1 8:2 /@ /mnt rw - btrfs /dev/b rw
            4 1 8:1 /srv/data /d\\040x rw - ext4 /dev/a rw
            5 1 0:5 / /srv/data/tmp rw - tmpfs t rw
            6 1 8:2 /@home/me /me rw - btrfs /dev/b rw
            """.utf8)

    private func places(_ path: String) -> [String] {
        mounts.places(of: Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A part of a file system that is mounted again has two places`() {
        #expect(places("/srv/data/f") == ["/d x/f"])
        #expect(places("/d x/f") == ["/srv/data/f"])
        #expect(places("/srv/data") == ["/d x"])
        #expect(places("/d x/") == ["/srv/data"])
        #expect(places("/home/me/f") == ["/me/f"])
        #expect(places("/me") == ["/home/me"])
    }

    @Test func `What is mounted once has one place`() {
        #expect(places("/") == [])
        #expect(places("/srv/database") == [])
        #expect(places("/home/other") == [])
        #expect(places("/mnt/f") == [])
        // Another file system is mounted over what would be there.
        #expect(places("/srv/data/tmp/f") == [])
        #expect(places("/d x/tmp/f") == [])
    }

    @Test func `Nonsense is nothing`() {
        #expect(OtherPlaces(parsing: "1 2\n\nx".utf8).places(of: Array("/a".utf8)) == [])
    }
}
