// SPDX-License-Identifier: Apache-2.0
//
// Crowds: thousands that wait for one file, that present what one claim concerns, that die or move
// at once. Each claim has its turn, and nothing is left behind. What it costs is the subject of
// CostTests.

import Glibc
import Testing

@testable import FileCoordinationArbiter

@Suite(.timeLimit(.minutes(5))) struct ScaleTests {
    private static let crowd = 2000

    @Test func `Rule 2.14: each of thousands that wait for one file has its turn`() {
        var hall = Hall()
        var running = hall.file(.write("/f"))
        let waiting = (0..<Self.crowd).map { _ in hall.file(.write("/f")) }
        for next in waiting {
            #expect(hall.end(running) == [.grant(next)])
            running = next
        }
        _ = hall.end(running)
        #expect(hall.arbiter.brokenInvariant == nil)
    }

    @Test func `Rule 18.5: to say what each of thousands waits for takes a bounded look`() {
        var hall = Hall()
        let running = hall.file(.write("/f"))
        let waiting = (0..<Self.crowd).map { _ in hall.file(.write("/f")) }
        for (index, claim) in waiting.enumerated() {
            let all = hall.arbiter.impediments(of: claim, amongFirst: 100)
            #expect(all.first == .claim(running))
            #expect(all.count == min(index + 1, 101))
        }
        let exact = hall.arbiter.impediments(of: waiting[9], amongFirst: 100)
        #expect(exact == hall.arbiter.impediments(of: waiting[9]))
    }

    @Test func `Rule 12.2: thousands give up, from the front and from the back`() {
        var hall = Hall()
        let holder = hall.file(.write("/f"))
        let waiting = (0..<Self.crowd).map { _ in hall.file(.write("/f")) }
        for claim in waiting.prefix(Self.crowd / 2) + waiting.suffix(Self.crowd / 2 - 1).reversed()
        {
            #expect(hall.arbiter.handle(.claimCancelled(claim)).isEmpty)
        }
        #expect(hall.end(holder) == [.grant(waiting[Self.crowd / 2])])
        #expect(hall.end(waiting[Self.crowd / 2]).isEmpty)
        #expect(hall.arbiter.brokenInvariant == nil)
    }

    /// The invariants are not checked over all delegations after each of these claims, so four
    /// times as many take about four times as long, and not sixteen times.
    @Test func `Rule 18.12: a process has all the claims it can have, and none needs a report`() {
        let few = processorTime { fileUnreported(4096) }
        let many = processorTime { fileUnreported(16_384) }
        #expect(many < 10 * few)
    }

    private func fileUnreported(_ count: Int) {
        var hall = Hall()
        let claims = (0..<count).map { number in
            var claim = hall.claim(.write("/d/\(number)"), client: 3)
            claim.mayGoUnreported = true
            return claim
        }
        for claim in claims {
            let effects = hall.arbiter.handle(.claimFiled(claim))
            guard case .grantUnreported(claim.id, _)? = effects.first else {
                Issue.record("\(claim.id) is granted with a report: \(effects)")
                return
            }
        }
        #expect(hall.arbiter.brokenInvariant == nil)
        #expect(hall.arbiter.handle(.clientDied(ClientID(rawValue: 3))).isEmpty)
        #expect(hall.arbiter.isIdle && hall.arbiter.brokenInvariant == nil)
    }

    /// The time that this thread spends on its processor, in nanoseconds; other load is not in it.
    private func processorTime(_ body: () -> Void) -> UInt64 {
        func now() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
        let start = now()
        body()
        return now() - start
    }

    @Test func `Rule 2.10: thousands of one purpose on one file do not look at each other`() {
        var hall = Hall()
        let holder = hall.file(.write("/f"))
        let first = hall.file(.write("/f"))
        let ours = (0..<Self.crowd).map { _ in hall.file(.write("/f"), purpose: "ours") }
        #expect(hall.end(holder) == [.grant(first)])
        #expect(hall.end(first) == ours.map { .grant($0) })
        for claim in ours { #expect(hall.end(claim).isEmpty) }
        #expect(hall.arbiter.brokenInvariant == nil)
    }

    @Test func `Rule 13.5: thousands of calls that an accessor made, and does not wait for`() {
        var hall = Hall()
        let outer = hall.file(.write("/e"), purpose: "ours")
        var running = hall.file(.write("/f"))
        let waiting = (0..<Self.crowd).map { number in
            hall.file(.write("/f"), purpose: number % 2 == 0 ? "ours" : nil, inside: outer)
        }
        // A claim that does not meet them is granted at once.
        let other = hall.file(.write("/g"))
        #expect(hall.arbiter.stage(of: other) == .granted)
        for next in waiting {
            #expect(hall.end(running) == [.grant(next)])
            running = next
        }
        #expect(hall.end(running).isEmpty)
        #expect(hall.arbiter.brokenInvariant == nil)
    }

    @Test func `Rule 18.4: thousands of accessors, each with a file of its own, want one file`() {
        var hall = Hall()
        var running = hall.file(.write("/f"))
        var outer: [ClaimID] = []
        let waiting = (0..<Self.crowd).map { number in
            let client = UInt32(number + 3)
            outer.append(
                hall.file(.write("/o/\(number)"), client: client, purpose: "\(number)"))
            return hall.file(
                .write("/f"), client: client, purpose: "\(number)", inside: outer[number],
                blocksCaller: true)
        }
        let other = hall.file(.write("/g"))
        #expect(hall.arbiter.stage(of: other) == .granted)
        for next in waiting {
            #expect(hall.end(running) == [.grant(next)])
            running = next
        }
        for claim in [running, other] + outer { #expect(hall.end(claim).isEmpty) }
        #expect(hall.arbiter.isIdle && hall.arbiter.brokenInvariant == nil)
    }

    @Test func `Rule 2.17: thousands of them step over thousands that wait for the accessor`() {
        var hall = Hall()
        let outer = hall.file(.write("/f"), purpose: "ours")
        let waiting = (0..<Self.crowd).map { _ in hall.file(.write("/f"), client: 2) }
        for _ in 0..<Self.crowd {
            let inner = hall.file(.write("/f"), purpose: "ours", inside: outer)
            #expect(hall.arbiter.stage(of: inner) == .granted)
            #expect(hall.end(inner).isEmpty)
        }
        #expect(hall.end(outer) == [.grant(waiting[0])])
    }

    @Test func `Rule 6.1: a directory with thousands of presenters is deleted`() {
        var hall = Hall()
        let presenters = (0..<Self.crowd).map { hall.presenter("/d/\($0 % 10)/\($0)") }
        for presenter in presenters { _ = hall.arbiter.handle(.presenterAdded(presenter)) }
        let claim = hall.claim(.delete("/d/"))
        let asked = hall.arbiter.handle(.claimFiled(claim))
        #expect(asked.count == presenters.count)
        var answered: [Effect] = []
        for presenter in presenters.shuffled() {
            answered += hall.arbiter.handle(
                .presenterAnswered(presenter.id, for: claim.id, failure: nil))
        }
        #expect(answered == [.grant(claim.id)])
        #expect(hall.end(claim.id) == presenters.map { .reacquire($0.id, .writer) })
        #expect(hall.arbiter.handle(.clientDied(ClientID(rawValue: 2))).isEmpty)
        #expect(hall.arbiter.brokenInvariant == nil)
    }

    @Test func `Rule 6.11: thousands of readers share what one presenter is asked`() {
        var hall = Hall()
        let presenter = hall.presenter("/f")
        _ = hall.arbiter.handle(.presenterAdded(presenter))
        let readers = (0..<Self.crowd).map { _ in hall.file(.read("/f", .withoutChanges)) }
        let granted = hall.arbiter.handle(
            .presenterAnswered(presenter.id, for: readers[0], failure: nil))
        #expect(granted == readers.map { .grant($0) })
        for reader in readers.dropLast() { #expect(hall.end(reader).isEmpty) }
        #expect(hall.end(readers[Self.crowd - 1]) == [.reacquire(presenter.id, .reader)])
    }

    @Test func `Rule 15.8: a process dies with thousands of claims, for which others wait`() {
        var hall = Hall()
        let places = (0..<Self.crowd).map { "/d/\($0 % 10)/\($0)" }
        for place in places { _ = hall.file(.write(place), client: 3) }
        let waiting = places.map { hall.file(.write($0), client: 4) }
        #expect(
            hall.arbiter.handle(.clientDied(ClientID(rawValue: 3))) == waiting.map { .grant($0) })
        #expect(hall.arbiter.handle(.clientDied(ClientID(rawValue: 4))).isEmpty)
        #expect(hall.arbiter.isIdle && hall.arbiter.brokenInvariant == nil)
    }

    @Test func `Rule 11.4: a directory moves, with thousands that present and wait inside`() {
        var hall = Hall()
        let mover = hall.file(.move("/d/"))
        let presenters = (0..<Self.crowd).map { hall.presenter("/d/\($0 % 10)/\($0)") }
        for presenter in presenters { _ = hall.arbiter.handle(.presenterAdded(presenter)) }
        let waiting = (0..<Self.crowd).map { hall.file(.write("/d/\($0 % 10)/\($0)")) }
        let effects = hall.arbiter.handle(
            .claimAnnounced(mover, .moved([move("/d", to: "/e")])))
        #expect(effects.count == presenters.count + waiting.count)
        #expect(hall.arbiter.claim(waiting[7])?.items.first?.path == path("/e/7/7"))
        #expect(hall.arbiter.presenter(presenters[7].id)?.path == path("/e/7/7"))
    }

    @Test func `Rule 18.7: thousands of claims and presenters are recovered`() {
        var hall = Hall()
        hall.arbiter = Arbiter(recovering: true)
        let places = (0..<Self.crowd).map { "/d/\($0 % 10)/\($0)" }
        let running = places.map { hall.claim(.write($0), client: 3) }
        let waiting = running.map { _ in hall.claim(.write("/f"), client: 4) }
        for place in places {
            var presenter = hall.presenter(place)
            presenter.relinquished = [.writer, .reader]
            _ = hall.arbiter.handle(.presenterAdded(presenter))
        }
        for claim in running { _ = hall.arbiter.handle(.claimRecovered(claim)) }
        for claim in waiting.shuffled() { _ = hall.arbiter.handle(.claimFiled(claim)) }
        let effects = hall.arbiter.handle(.recoveryFinished)
        // All that run are writes: readers do not need the items away.
        #expect(effects.count == places.count + 1)
        #expect(effects.last == .grant(waiting[0].id))
        #expect(hall.end(running[0].id).count == 2)
    }

    @Test func `Of places where nothing is any more, a few are remembered for a while`() {
        var hall = Hall()
        for number in 0..<3000 {
            let claim = hall.file(.write("/d/\(number)"))
            #expect(hall.end(claim).isEmpty)
            #expect(hall.arbiter.tree.nodes.count <= Limits.restingPlaces + 2)
        }
        #expect(hall.arbiter.tree.nodes.count == Limits.restingPlaces + 2)
        #expect(hall.arbiter.brokenInvariant == nil)
    }
}
