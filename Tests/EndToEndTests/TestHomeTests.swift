// SPDX-License-Identifier: Apache-2.0
//
// The tests leave the person who runs them alone: no test uses the version store, the packages, the
// trash or the arbiter of that person, and nothing of a killed run of tests stays.

import FileCoordination
import FileCoordinationVersions
import TestHome
import XCTest

final class TestHomeTests: StageTestCase {
    private let root = String(cString: test_home_root())

    /// Which variables lead to something of the user's.
    private let names = [
        "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
        "FILECOORDINATION_RUNTIME_DIR",
    ]

    func testThisProcessHasAHomeOfItsOwn() {
        let environment = ProcessInfo.processInfo.environment
        for name in names + ["XDG_RUNTIME_DIR"] {
            let value = environment[name] ?? "nothing"
            XCTAssert(value.hasPrefix(root + "/"), "\(name) is \(value)")
        }
        XCTAssertNil(environment["FILECOORDINATION_VERSIONS_DIR"])
        let store = VersionStore.location(variable: { environment[$0] }, home: "/")
        XCTAssert(store.hasPrefix(root + "/"), store)
    }

    func testAProgramOfATestHasAHomeOfItsOwn() throws {
        let program = try stage.peer("A")
        let environment = try XCTUnwrap(
            FileManager.default.contents(atPath: "/proc/\(program.pid)/environ")
        ).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        for name in names + ["TMPDIR"] {
            let wanted = "\(name)=\(stage.directory)/"
            XCTAssert(environment.contains { $0.hasPrefix(wanted) }, "\(name): \(environment)")
        }
    }

    /// A command with a home of its own does not open the
    /// home in the password file, which is full of versions.
    ///
    /// The script notices a command that does.
    func testAnOpenedHomeIsNoticed() throws {
        let quiet = try watched("true")
        XCTAssertEqual(quiet.status, 0, "\(quiet.said)")
        let curious = try watched("cat ~root/document; :")
        XCTAssertEqual(curious.status, 1 << 8, "\(curious.said)")
        let opened = curious.said.contains { $0.contains("opened") && $0.contains("home/document") }
        XCTAssert(opened, "\(curious.said)")
        // No environment variable names another home.
        let careless = try watched(
            "env -i FILECOORDINATIOND= FILECOORDINATION_RUNTIME_DIR=$TMPDIR/run "
                + Products.directory + "/filecoord versions list ~root/document")
        XCTAssertEqual(careless.status, 1 << 8, "\(careless.said)")
        let read = careless.said.contains { $0.contains("filecoordination/versions") }
        XCTAssert(read, "\(careless.said)")
    }

    /// Runs a shell command as a user whose home is
    /// full; returns its status and the script's lines.
    private func watched(_ command: String) throws -> (status: Int32, said: [String]) {
        let checkout = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let script = checkout.appendingPathComponent("Tests/RealHome/run").path
        let program = try stage.start(
            "watched", ["/bin/bash", script, Products.directory, "/bin/sh", "-c", command])
        let status = try program.awaitEnd()
        if status == 75 << 8 { throw XCTSkip("\(program.lines)") }
        return (status, program.lines)
    }

    func testWhatAKilledRunLeftIsCleared() throws {
        // Tests make sockets there, so the path must be
        // short, and other users must be able to pass.
        var template = Array("/tmp/fcp-XXXXXX".utf8CString)
        let parent = String(cString: try XCTUnwrap(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: parent) }
        chmod(parent, 0o711)
        for name in ["fct-stale0/home/deep", "fct-using0", "other-dir0"] {
            try FileManager.default.createDirectory(
                atPath: parent + "/" + name, withIntermediateDirectories: true)
        }
        let lock = open(parent + "/fct-using0", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(lock) }
        XCTAssertEqual(flock(lock, LOCK_EX), 0)
        // A test run that only lists the tests.
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let run = try stage.start(
            "tests", [bundle, "--list-tests"], environment: ["TMPDIR": parent])
        try run.awaitEnd()
        let left = try FileManager.default.contentsOfDirectory(atPath: parent).sorted()
        XCTAssertEqual(left, ["fct-using0", "other-dir0"])
    }

    /// The directory of a soak whose driver was killed is removed, and its worker is ended.
    func testWhatAKilledSoakLeftIsCleared() throws {
        let parent = try stage.folder("p")
        let stale = parent + "/fcs-stale0"
        try FileManager.default.createDirectory(
            atPath: stale + "/files", withIntermediateDirectories: true)
        let orphan = try stage.peer(
            "orphan", environment: ["FILECOORDINATION_RUNTIME_DIR": stale + "/run"])
        let soak = try stage.start(
            "soak",
            [Products.soak, "counter", "--count", "10", "--processes", "2"],
            environment: ["TMPDIR": parent])
        XCTAssertEqual(try soak.awaitEnd(), 0, "\(soak.lines)")
        XCTAssertEqual(try orphan.awaitEnd(), SIGKILL)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: parent), [])
    }
}
