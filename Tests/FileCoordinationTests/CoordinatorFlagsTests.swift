// SPDX-License-Identifier: Apache-2.0
//
// The word that says what a coordinator is for and whether it is cancelled.

import Dispatch
import FileCoordination
import FileCoordinationClient
import FileCoordinationSystem
import Testing

/// The same as an object: what cannot be copied is not looked at by the test's macros.
private final class SharedFlags: Sendable {
    private let word = CoordinatorFlags()
    var isCancelled: Bool { word.isCancelled }
    func cancel() { word.cancel() }
    func purposeNumber(isUsed: Bool) -> UInt64? { word.purposeNumber(isUsed: isUsed) }
    func markPurposeGiven() -> Bool { word.markPurposeGiven() }
}

@Suite struct CoordinatorFlagsTests {
    @Test func `The purpose that is made up stays, and no other coordinator has it (Rule 4.1)`() {
        let flags = SharedFlags()
        let other = SharedFlags()
        let number = flags.purposeNumber(isUsed: false)
        #expect(number != nil)
        #expect(flags.purposeNumber(isUsed: true) == number)
        #expect(other.purposeNumber(isUsed: true) != number)
    }

    @Test func `A purpose can be given until one is used (Rules 4.3, 4.4)`() {
        let looked = SharedFlags()
        _ = looked.purposeNumber(isUsed: false)
        #expect(looked.markPurposeGiven())
        #expect(looked.purposeNumber(isUsed: true) == nil)
        #expect(!looked.markPurposeGiven())

        let used = SharedFlags()
        let number = used.purposeNumber(isUsed: true)
        #expect(!used.markPurposeGiven())
        #expect(used.purposeNumber(isUsed: true) == number)
    }

    @Test func `Cancelling is for good, and changes no purpose (Rule 12.4)`() {
        let flags = SharedFlags()
        let number = flags.purposeNumber(isUsed: true)
        #expect(!flags.isCancelled)
        flags.cancel()
        #expect(flags.isCancelled)
        #expect(flags.purposeNumber(isUsed: true) == number)
        #expect(!flags.markPurposeGiven())
        #expect(flags.isCancelled)
    }

    @Test func `Threads that need a purpose at once agree on one (Rule 4.1)`() {
        for _ in 0..<200 {
            let flags = SharedFlags()
            let numbers = Lock<[UInt64]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                guard let number = flags.purposeNumber(isUsed: true) else { return }
                numbers.withLock { $0.append(number) }
            }
            let seen = numbers.withLock { $0 }
            #expect(seen.count == 4)
            #expect(Set(seen).count == 1)
        }
    }
}
