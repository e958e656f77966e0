// SPDX-License-Identifier: Apache-2.0
//
// All environments of one user must lead to the same place: two arbiters that do not know of each
// other are the worst failure there is (Rule 2.0).

import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationServer

final class RuntimeLocationTests {
    /// Stands for the root of the file system.
    private let root: String

    init() throws {
        root =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("root-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(
            atPath: root + "/dev/shm", withIntermediateDirectories: true)
    }

    deinit {
        chmod(root + "/dev/shm", 0o700)
        try? FileManager.default.removeItem(atPath: root)
    }

    private func path(_ environment: [String: String] = [:]) throws -> String {
        try RuntimePlace(variable: { environment[$0] }, userID: 7, root: root).path
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

    @Test func `What the user has chosen is the only place`() throws {
        #expect(try path(["FILECOORDINATION_RUNTIME_DIR": "/c//"]) == "/c")
        #expect(try path(["FILECOORDINATION_RUNTIME_DIR": "//"]) == "/")
        #expect(throws: RuntimeDirectoryError.notAbsolute("c/d")) {
            try path(["FILECOORDINATION_RUNTIME_DIR": "c/d"])
        }
    }

    /// Rule 18.14.
    @Test func `The place depends on no login`() throws {
        for session in ["", "x", "/run/user/7", "/x/"] {
            let environment = ["FILECOORDINATION_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": session]
            #expect(try path(environment) == root + "/dev/shm/filecoordination-7")
        }
    }

    /// Rule 18.14.
    @Test func `Where dev-shm is no directory, programs meet in tmp`() throws {
        try FileManager.default.removeItem(atPath: root + "/dev/shm")
        #expect(try path() == root + "/tmp/filecoordination-7")
        #expect(FileManager.default.createFile(atPath: root + "/dev/shm", contents: nil))
        #expect(try path() == root + "/tmp/filecoordination-7")
    }

    /// Rule 18.14.
    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `The owner of what is in the way is named, whatever it is`() throws {
        let path = root + "/taken"
        for isLink in [true, false] {
            if isLink {
                #expect(symlink("/nowhere", path) == 0)
            } else {
                #expect(FileManager.default.createFile(atPath: path, contents: nil))
            }
            #expect(lchown(path, 1, 1) == 0)
            #expect(throws: RuntimeDirectoryError.notOurs(path, owner: 1)) {
                try RuntimeDirectory.open(path: path)
            }
            #expect(unlink(path) == 0)
        }
    }

    /// Rule 18.14.
    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `Where nothing can be made in dev-shm, what is there is used`() throws {
        #expect(chmod(root + "/dev/shm", 0o500) == 0)
        #expect(try path() == root + "/tmp/filecoordination-7")
        #expect(chmod(root + "/dev/shm", 0o700) == 0)
        #expect(mkdir(root + "/dev/shm/filecoordination-7", 0o700) == 0)
        #expect(chmod(root + "/dev/shm", 0o500) == 0)
        #expect(try path() == root + "/dev/shm/filecoordination-7")
    }
}
