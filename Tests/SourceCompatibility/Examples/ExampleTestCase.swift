// SPDX-License-Identifier: Apache-2.0
//
// A test of the examples: with a directory, a runtime directory and a data directory of its own.

import FileCoordination
import XCTest

class ExampleTestCase: XCTestCase {
    /// As for the other tests inside one process: all share one runtime directory, and one arbiter.
    private static let runtimeDirectory: String = {
        let path = NSTemporaryDirectory() + "/fc-unit-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        setenv("FILECOORDINATION_RUNTIME_DIR", path, 1)
        setenv("FILECOORDINATIOND", "", 1)
        setenv("FILECOORDINATION_VERSIONS_DIR", path + "/versions", 1)
        setenv("XDG_DATA_HOME", path + "/data", 1)
        atexit { try? FileManager.default.removeItem(atPath: ExampleTestCase.runtimeDirectory) }
        return path
    }()

    private(set) var folder = FileManager.default.temporaryDirectory

    override func setUpWithError() throws {
        XCTAssertFalse(Self.runtimeDirectory.isEmpty)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("fc-source-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    /// A file of the test's, with a text.
    func file(_ name: String, _ text: String = "text") throws -> URL {
        let url = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url
    }
}
