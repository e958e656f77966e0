// SPDX-License-Identifier: Apache-2.0
//
// A process without free descriptors fails at any call. It must not take "I cannot look" for
// "nothing is there": contents that were moved into the store exist only there.

import FileCoordination
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite struct VersionShortageTests {
    @Test func `Contents that are moved survive every shortage of descriptors`() async {
        await #expect(processExitsWith: .success) {
            var failures = 0
            for spare in 0..<24 {
                let stage = try VersionStage()
                let url = try stage.file("a.txt", "now")
                let source = try stage.file("source", "kept")
                let result = try withDescriptors(spare: spare) {
                    stage.use {
                        try? NSFileVersion.addOfItem(
                            at: url, withContentsOf: source, options: .byMoving)
                    }
                }
                failures += result == nil ? 1 : 0
                let texts = try stage.texts("a.txt")
                stage.store.recover()
                guard try stage.texts("a.txt") == texts else { exit(5) }
                let isThere = access(source.path, F_OK) == 0
                guard texts == (isThere ? [] : ["kept"]), stage.leftovers() == [] else { exit(2) }
                guard result == nil || !isThere else { exit(3) }
            }
            // Some attempts must fail and some succeed, or the test has tried nothing.
            exit((5..<24).contains(failures) ? 0 : 4)
        }
    }
}

/// Runs `body` with no more than `spare` descriptors to open; nothing else may run meanwhile.
private func withDescriptors<Result>(
    spare: Int, _ body: () throws -> Result
) throws -> Result {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    // New descriptors get the lowest numbers that are free.
    var opened: [Int32] = []
    for _ in 0..<spare { opened.append(dup(0)) }
    let next = dup(0)
    for number in opened + [next] { close(number) }
    var short = limit
    short.rlim_cur = rlim_t(next)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &short)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    return try body()
}
