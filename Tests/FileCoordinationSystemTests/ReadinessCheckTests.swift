// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileCoordinationSystem
import Testing

/// The same as an object: what cannot be copied is not looked at by the test's macros.
private final class Check: Sendable {
    private let check: ReadinessCheck
    init(of watch: DirectoryWatch) { check = ReadinessCheck(of: watch.descriptor) }
    var isReadable: Bool { check.isReadable }
}

@Suite struct ReadinessCheckTests {
    let scratch: Scratch
    let watch: DirectoryWatch
    private let check: Check

    init() throws {
        scratch = try Scratch()
        watch = try DirectoryWatch()
        check = Check(of: watch)
        _ = try watch.add(scratch.directory, [.created, .movedTo])
    }

    @Test func `It says whether there is something to read at this moment`() throws {
        for round in 0..<100 {
            #expect(!check.isReadable)
            _ = try scratch.file("f\(round)", size: 0)
            #expect(check.isReadable)
            #expect(check.isReadable)
            #expect(try watch.read().events.count == 1)
        }
    }

    @Test func `What was there before it was made is seen`() throws {
        _ = try scratch.file("f", size: 0)
        #expect(Check(of: watch).isReadable)
    }

    @Test func `What is there to read is overlooked by none of many threads`() throws {
        _ = try scratch.file("f", size: 0)
        let overlooked = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20_000 where !check.isReadable { overlooked.withLock { $0 += 1 } }
        }
        #expect(overlooked.withLock { $0 } == 0)
    }
}
