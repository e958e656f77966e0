// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that stop the program, as Apple's exceptions do. The programs that are stopped make no
// files, which they could not remove.

import FileCoordination
import Foundation
import Testing

@Suite struct VersionMistakeTests {
    @Test func `A conflict cannot be made unresolved (Rule 19.3)`() async {
        let result = await #expect(processExitsWith: .failure) {
            try anyVersion().isResolved = true
            try anyVersion().isResolved = false
        }
        #expect(result?.isTrap == true)
    }

    @Test func `A discardable version cannot be made safe (Rule 19.4)`() async {
        let result = await #expect(processExitsWith: .failure) {
            try anyVersion().isDiscardable = true
            try anyVersion().isDiscardable = false
        }
        #expect(result?.isTrap == true)
    }

    @Test func `The current version cannot be made discardable (Rule 19.4)`() async {
        let result = await #expect(processExitsWith: .failure) {
            try currentVersion().isDiscardable = true
        }
        #expect(result?.isTrap == true)
    }

    @Test func `The current version cannot be removed (Rule 19.5)`() async {
        let result = await #expect(processExitsWith: .failure) {
            try currentVersion().remove()
        }
        #expect(result?.isTrap == true)
    }
}

private let item = URL(fileURLWithPath: "/")

private func currentVersion() throws -> NSFileVersion {
    try #require(NSFileVersion.currentVersionOfItem(at: item))
}

/// A version that does not exist any more, which is enough for making a mistake with it.
private func anyVersion() throws -> NSFileVersion {
    try #require(NSFileVersion.version(ofItemAt: item, identifier: UUID().uuidString))
}

extension ExitTest.Result {
    /// Whether the process was stopped by a trap, rather than by a thrown error.
    fileprivate var isTrap: Bool {
        if case .signal = exitStatus { true } else { false }
    }
}
