// SPDX-License-Identifier: Apache-2.0
//
// A test of the examples: with a directory of its own.

import FileCoordination
import XCTest

class ExampleTestCase: XCTestCase {
    /// Set before anything is coordinated: this process serves the arbiter itself.
    ///
    /// The test bundle has a home and a runtime directory of its own (`TestHome`).
    private static let servesItself: Bool = setenv("FILECOORDINATIOND", "", 1) == 0

    private(set) var folder = FileManager.default.temporaryDirectory

    override func setUpWithError() throws {
        XCTAssert(Self.servesItself)
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
