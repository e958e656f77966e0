// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileCoordinationSystem
import Testing

/// The same as an object: what cannot be copied is not looked at by the test's macros.
private final class Spare: Sendable {
    private let number = SpareNumber()
    func take() -> Int? { number.take() }
    func keep(_ spare: Int) -> Bool { number.keep(spare) }
}

@Suite struct SpareNumberTests {
    @Test func `One number is kept, and is gone when it was taken`() {
        let spare = Spare()
        #expect(spare.take() == nil)
        #expect(spare.keep(0))
        #expect(!spare.keep(7))
        #expect(spare.take() == 0)
        #expect(spare.take() == nil)
    }

    @Test func `Of many threads one has it`() {
        for _ in 0..<200 {
            let spare = Spare()
            let seen = Lock<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                if number % 2 == 0 {
                    if spare.keep(number) { seen.withLock { $0.append(number) } }
                } else if let taken = spare.take() {
                    seen.withLock { $0.append(-taken) }
                }
            }
            if let left = spare.take() { seen.withLock { $0.append(-left) } }
            // Each number that was kept was taken exactly once, and no other number was.
            #expect(seen.withLock { $0.reduce(0, +) } == 0)
            #expect(seen.withLock { Set($0.map(abs)).count } * 2 >= seen.withLock { $0.count })
        }
    }
}
