// SPDX-License-Identifier: Apache-2.0
//
// Items whose modification time is so far from now that the difference, or the time itself, is no
// number of nanoseconds. Any program can set such a time (`touch -d 2300-01-01`). The library
// compares an item's times before and after an accessor, so these must not trap.

import FileCoordination
import FileCoordinationSystem
import Glibc
import XCTest

final class FarModificationTimeTests: CoordinatorTestCase {
    private static let seconds: [String: Int] = [
        "1600": -11_676_096_000, "1700": -8_520_336_000, "2261": 9_183_110_400,
        "2300": 10_413_792_000, "9999": 253_370_764_800,
    ]

    /// A file with a modification time; nil if the file system cannot store it.
    private func file(_ name: String, modified seconds: Int) throws -> URL? {
        let url = try file(name)
        let time = timespec(tv_sec: seconds, tv_nsec: 1)
        XCTAssertEqual(utimensat(AT_FDCWD, url.path, [time, time], 0), 0)
        var status = stat()
        XCTAssertEqual(stat(url.path, &status), 0)
        return status.st_mtim.tv_sec == seconds ? url : nil
    }

    func testAFileIsMovedAndWritten() throws {
        for (year, seconds) in Self.seconds {
            guard let old = try file(year, modified: seconds) else { continue }
            let new = directory.appendingPathComponent("new" + year, isDirectory: false)
            let presenter = NotingPresenter(old)
            NSFileCoordinator.addFilePresenter(presenter)
            defer { NSFileCoordinator.removeFilePresenter(presenter) }
            let coordinator = NSFileCoordinator()
            var failure: NSError?
            coordinator.coordinate(writingItemAt: old, options: .forMoving, error: &failure) {
                XCTAssertEqual(rename($0.path, new.path), 0, year)
                coordinator.item(at: $0, didMoveTo: new)
            }
            XCTAssertNil(failure, year)
            // A presenter must be told of the outcome of
            // these writes, so the library examines the item.
            write(new)
            write(new)
        }
    }

    func testTimesAreClamped() throws {
        let far = try XCTUnwrap(Self.seconds["9999"])
        let past = try XCTUnwrap(Self.seconds["1600"])
        for (seconds, expected) in [(far, Int64.max), (past, .min)] {
            guard let url = try file("f", modified: seconds) else { continue }
            let path = Array(url.path.utf8)
            XCTAssertEqual(try FileStatus(path: path, followLinks: false).modified, expected)
        }
    }
}
