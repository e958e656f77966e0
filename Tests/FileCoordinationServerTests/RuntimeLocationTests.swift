// SPDX-License-Identifier: Apache-2.0
//
// All environments of one user must lead to the same places, in the same order: two arbiters that
// do not know of each other are the worst failure there is (Rule 2.0).

import Testing

@testable import FileCoordinationServer

struct RuntimeLocationTests {
    private func places(_ environment: [String: String]) throws -> [String] {
        try RuntimePlaces(variable: { environment[$0] }, userID: 7).paths
    }

    private let usual = [
        "/dev/shm/filecoordination-7", "/run/user/7/filecoordination", "/tmp/filecoordination-7",
    ]

    @Test func `A path is taken apart whatever slashes it has`() {
        func parts(_ path: String) -> [String] {
            RuntimeDirectory.parentAndName(of: path).map { [$0.parent, $0.name] } ?? []
        }
        #expect(parts("/run/user/7") == ["/run/user", "7"])
        #expect(parts("//run///user/") == ["/run", "user"])
        #expect(parts("/tmp") == ["/", "tmp"])
        #expect(parts("/") == [] && parts("") == [])
    }

    @Test func `What the user has chosen is the only place`() throws {
        let environment = ["FILECOORDINATION_RUNTIME_DIR": "/c", "XDG_RUNTIME_DIR": "/x"]
        #expect(try places(environment) == ["/c"])
        #expect(throws: RuntimeDirectoryError.notAbsolute("c/d")) {
            try places(["FILECOORDINATION_RUNTIME_DIR": "c/d"])
        }
    }

    /// Rule 18.14.
    @Test func `The first place depends on no environment`() throws {
        for session in [nil, "", "x", "/run/user/7", "/run//user/7/"] as [String?] {
            let environment = ["FILECOORDINATION_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": session]
            #expect(try places(environment.compactMapValues { $0 }) == usual)
        }
        let other = try places(["XDG_RUNTIME_DIR": "/x/"])
        #expect(other == [usual[0], usual[1], "/x/filecoordination", usual[2]])
    }

    @Test func `What a stand-in says is read again, and nothing else is`() {
        let home = StandIn.Home(path: "/dev/shm/filecoordination-7", device: 5, inode: 1 << 40)
        let bytes = home.encoded
        #expect(StandIn.Home(decoding: bytes[...]) == home)
        #expect(StandIn.Home(decoding: (bytes + [0, 0])[...]) == home)
        for count in bytes.indices {
            #expect(StandIn.Home(decoding: bytes.prefix(count)) == nil)
        }
        for index in 0..<8 {
            var spoilt = bytes
            spoilt[index] ^= 1
            #expect(StandIn.Home(decoding: spoilt[...]) == nil)
        }
        var long = bytes
        long[31] = 0xFF
        #expect(StandIn.Home(decoding: long[...]) == nil)
    }
}
