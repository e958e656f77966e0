// SPDX-License-Identifier: Apache-2.0
//
// The functions beside coordination, called inside accessors as ported programs do.

import FileCoordination
import XCTest

final class FoundationCompatibilityInAccessorsTests: CoordinatorTestCase {
    /// Rule 3.5: a call that would coordinate by itself fails
    /// before it does that, and waits for no other access.
    func testCloudCallsInsideAnAccessorDoNotWaitForIt() throws {
        let url = try file("note.txt")
        let elsewhere = directory.appendingPathComponent("elsewhere.txt")
        var failure: NSError?
        var codes: [Int?] = []
        NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { url in
            let calls: [() throws -> Void] = [
                { try FileManager.default.evictUbiquitousItem(at: url) },
                {
                    try FileManager.default.setUbiquitous(
                        true, itemAt: url, destinationURL: elsewhere)
                },
            ]
            for call in calls {
                do {
                    try call()
                    codes.append(nil)
                } catch {
                    codes.append((error as? CocoaError)?.errorCode)
                }
            }
        }
        XCTAssertNil(failure)
        XCTAssertEqual(codes, [4353, 4353])
        XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "text")
    }

    func testAnItemIsTrashedInACoordinatedWrite() throws {
        let stage = try TrashStage()
        let url = try stage.file("note.txt", "mine")
        var failure: NSError?
        var place: URL?
        NSFileCoordinator().coordinate(
            writingItemAt: url, options: .forDeleting, error: &failure
        ) { url in
            place = try? stage.trashItem(at: url)
        }
        XCTAssertNil(failure)
        XCTAssertEqual(try contents(try XCTUnwrap(place)), "mine")
        XCTAssertFalse(TrashStage.exists(url))
    }

    /// How a sandboxed program reads a file from a picker: scope, promised item, access.
    func testTheBracketsOfASandboxedProgramWork() throws {
        let url = try file("note.txt")
        guard url.startAccessingSecurityScopedResource() else { return XCTFail("No access") }
        defer { url.stopAccessingSecurityScopedResource() }
        var failure: NSError?
        var text: String?
        NSFileCoordinator().coordinate(
            readingItemAt: url, options: .immediatelyAvailableMetadataOnly, error: &failure
        ) { url in
            let values = try? url.promisedItemResourceValues(forKeys: [
                .nameKey, .ubiquitousItemDownloadingStatusKey,
            ])
            text = values?.name
            XCTAssertNil(values?.ubiquitousItemDownloadingStatus)
        }
        XCTAssertNil(failure)
        XCTAssertEqual(text, "note.txt")
    }
}
