// SPDX-License-Identifier: Apache-2.0
//
// All environments of one login must lead to one directory: two arbiters that do not know of each
// other are the worst failure there is (Rule 2.0).

import Testing

@testable import FileCoordinationHost

struct RuntimeLocationTests {
    private func location(
        _ environment: [String: String], login exists: Bool
    ) throws -> (path: String, warning: String?) {
        try RuntimeDirectory.location(environment: environment, userID: 7) { path in
            exists && path == "/run/user/7"
        }
    }

    @Test func `A path is taken apart whatever slashes it has`() {
        func parts(_ path: String) -> [String] {
            RuntimeDirectory.parentAndName(of: path).map { [$0.parent, $0.name] } ?? []
        }
        #expect(parts("/run/user/7") == ["/run/user", "7"])
        #expect(parts("//run///user/") == ["/run", "user"])
        #expect(parts("/tmp") == ["/", "tmp"])
        #expect(parts("/") == [] && parts("") == [])
    }

    @Test func `What the caller chose comes first`() throws {
        for login in [true, false] {
            let chosen = try location(
                ["FILECOORDINATION_RUNTIME_DIR": "/c", "XDG_RUNTIME_DIR": "/x"], login: login)
            #expect(chosen.path == "/c" && chosen.warning == nil)
            #expect(throws: RuntimeDirectoryError.notAbsolute("c/d")) {
                try location(["FILECOORDINATION_RUNTIME_DIR": "c/d"], login: login)
            }
        }
    }

    @Test func `The login's directory comes before what the environment says`() throws {
        for session in [nil, "", "x", "/run/user/7", "/run/user/7/"] as [String?] {
            let environment = ["FILECOORDINATION_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": session]
            let found = try location(environment.compactMapValues { $0 }, login: true)
            #expect(found.path == "/run/user/7/filecoordination")
            #expect(found.warning == nil, "\(session ?? "unset")")
        }
        let torn = try location(["XDG_RUNTIME_DIR": "/x"], login: true)
        #expect(torn.path == "/run/user/7/filecoordination")
        #expect(torn.warning?.contains("XDG_RUNTIME_DIR is /x,") == true)
    }

    @Test func `Without a login's directory the environment counts, and else the user's number`()
        throws
    {
        #expect(
            try location(["XDG_RUNTIME_DIR": "/x"], login: false).path == "/x/filecoordination")
        for environment in [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "x"]] {
            let found = try location(environment, login: false)
            #expect(found.path == "/tmp/filecoordination-7" && found.warning == nil)
        }
    }
}
