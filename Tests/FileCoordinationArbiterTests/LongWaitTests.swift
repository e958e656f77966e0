// SPDX-License-Identifier: Apache-2.0
//
// Thousands of claims that may wait for each other through others, or for presenters. What one
// event costs must not grow with the cube of their number, nor need a stack as deep as a queue.

import InstantLiterals
import Testing

@testable import FileCoordinationArbiter

@Suite(.timeLimit(.minutes(5))) struct LongWaitTests {
    private static let crowd = 2000

    @Test func `Rule 2.17: thousands of calls inside accessors that a deletion waits for`() {
        var hall = Hall()
        let holder = hall.file(.write("/f"))
        var inner: [ClaimID] = []
        for number in 0..<Self.crowd {
            let client = UInt32(number + 3)
            let outer = hall.file(.write("/o/\(number)"), client: client, purpose: "\(number)")
            inner.append(
                hall.file(
                    .write("/f"), client: client, purpose: "\(number)", inside: outer,
                    blocksCaller: true))
        }
        _ = hall.file(.delete("/o/"))
        #expect(hall.arbiter.handle(.presenterAdded(hall.presenter("/z"))).isEmpty)
        #expect(hall.end(holder) == [.grant(inner[0])])
        #expect(hall.end(inner[0]) == [.grant(inner[1])])
    }

    @Test func `Rule 2.17: thousands of calls pass a claim that waits for what surrounds them`() {
        var hall = Hall()
        let holder = hall.file(.write("/f"))
        let outer = (0..<Self.crowd / 4).map { number in
            hall.file(
                .write("/o/\(number)"), client: UInt32(number + 3), purpose: "\(number)")
        }
        let deletion = hall.file(.delete("/o/") + .write("/f"))
        let inner = outer.indices.map { number in
            hall.file(
                .write("/f"), client: UInt32(number + 3), purpose: "\(number)",
                inside: outer[number], blocksCaller: true)
        }
        #expect(hall.arbiter.handle(.presenterAdded(hall.presenter("/z"))).isEmpty)
        #expect(hall.arbiter.stage(of: deletion) == .waiting)
        #expect(hall.end(holder) == [.grant(inner[0])])
        #expect(hall.end(inner[0]) == [.grant(inner[1])])
    }

    @Test func `Rule 2.16: a presenter saves back while thousands wait behind the one that asks`() {
        var hall = Hall()
        let presenter = hall.presenter("/f")
        _ = hall.arbiter.handle(.presenterAdded(presenter))
        for _ in 0..<Self.crowd { _ = hall.file(.write("/f")) }
        let save = hall.claim(.write("/f"), client: 2)
        var saving = save
        saving.purpose = presenter.purpose
        #expect(hall.arbiter.handle(.claimFiled(saving)) == [.grant(save.id)])
    }

    @Test func `Rule 18.4: a presenter is blocked by a call behind thousands, and time passes`() {
        var hall = Hall()
        for _ in 0..<Self.crowd { _ = hall.file(.write("/f")) }
        let call = hall.file(.write("/f"), client: 2)
        let presenter = hall.presenter("/g", client: 2)
        _ = hall.arbiter.handle(.presenterAdded(presenter))
        let reader = hall.file(.read("/g"))
        #expect(
            hall.arbiter.handle(.presenterBlocked(presenter.id, for: reader, by: call)).isEmpty)
        for time in 1...UInt64(Self.crowd) {
            #expect(hall.arbiter.handle(.clockAdvanced(to: Instant(nanoseconds: time))).isEmpty)
        }
        #expect(hall.arbiter.stage(of: reader) == .asking)
    }

    @Test func `Rule 6.11: thousands of calls and savers wait, and time passes`() {
        var hall = Hall()
        let presenter = hall.presenter("/g")
        _ = hall.arbiter.handle(.presenterAdded(presenter))
        _ = hall.file(.write("/f"))
        for number in 0..<Self.crowd {
            let client = UInt32(number + 3)
            let outer = hall.file(.write("/o/\(number)"), client: client, purpose: "\(number)")
            _ = hall.file(
                .write("/f"), client: client, purpose: "\(number)", inside: outer,
                blocksCaller: true)
        }
        let reader = hall.file(.read("/g"))
        for time in 1...UInt64(2 * Self.crowd) {
            #expect(hall.arbiter.handle(.clockAdvanced(to: Instant(nanoseconds: time))).isEmpty)
        }
        #expect(hall.arbiter.stage(of: reader) == .asking)
    }

    @Test func `Rule 18.3: accesses elsewhere do not look at thousands that do not answer`() {
        var hall = Hall()
        let count = 10 * Self.crowd
        for number in 0..<count {
            var presenter = hall.presenter("/d/\(number)")
            presenter.answerTimeout = .nanoseconds(1)
            _ = hall.arbiter.handle(.presenterAdded(presenter))
        }
        let deletion = hall.file(.delete("/d/"))
        #expect(hall.arbiter.handle(.clockAdvanced(to: 1)).contains(.grant(deletion)))
        for _ in 0..<count {
            let other = hall.file(.write("/x"))
            #expect(hall.end(other).isEmpty)
        }
        #expect(hall.arbiter.presenters.filter(\.isUnresponsive).count == count)
    }

    @Test func `Rule 6.11: readers end one by one while others wait for the last`() {
        var hall = Hall()
        let presenter = hall.presenter("/f")
        _ = hall.arbiter.handle(.presenterAdded(presenter))
        let readers = (0..<Self.crowd / 4).map { _ in hall.file(.read("/f", .withoutChanges)) }
        _ = hall.arbiter.handle(.presenterAnswered(presenter.id, for: readers[0], failure: nil))
        _ = hall.arbiter.handle(.clockAdvanced(to: .seconds(31)))
        let waiting = readers.map { _ in hall.file(.read("/f", .withoutChanges)) }
        for reader in readers.dropLast() { #expect(hall.end(reader).isEmpty) }
        let last = hall.end(readers[readers.count - 1])
        #expect(last.first == .reacquire(presenter.id, .reader))
        let granted = hall.arbiter.handle(
            .presenterAnswered(presenter.id, for: waiting[0], failure: nil))
        #expect(granted == waiting.map { .grant($0) })
    }
}
