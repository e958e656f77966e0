// SPDX-License-Identifier: Apache-2.0
//
// Claims of commands that run under claims of other
// processes, which wait for the commands (Rules 2.17, 18.4).

import FileCoordinationArbiter
import Testing

@Suite struct SurroundingClaimTests {
    /// Files a claim of another process, made by a command that runs inside `outer`.
    private func nest(
        _ items: [AccessItem], in outer: ClaimID, blocksCaller: Bool = true,
        _ fixture: inout ArbiterFixture
    ) -> ClaimID {
        var claim = fixture.filed(items)
        claim.surrounding = [outer]
        claim.blocksCaller = blocksCaller
        fixture.handle(.claimFiled(claim))
        return claim.id
    }

    /// The claims that failed in the last event, each with its cycle.
    private func failed(_ fixture: ArbiterFixture) -> [ClaimID: [ClaimID]] {
        fixture.last.reduce(into: [:]) { result, effect in
            if case .failInCycle(let claim, let steps) = effect {
                result[claim] = steps.map(\.claim.id)
            }
        }
    }

    @Test func `Rule 18.4: a command waits for the claim around it, which waits for the command`() {
        var fixture = ArbiterFixture()
        let outer = fixture.file(.write("/f"))
        let inner = nest(.write("/f"), in: outer, &fixture)
        #expect(failed(fixture) == [inner: [inner, outer]])
        let other = fixture.file(.read("/f"))
        fixture.end(outer, .unchanged)
        #expect(fixture.stage(other) == .granted)
    }

    @Test func `Rule 18.4: commands of two processes cross; the younger one fails`() {
        var fixture = ArbiterFixture()
        let (a, b) = (fixture.file(.write("/a")), fixture.file(.write("/b")))
        let first = nest(.write("/b"), in: a, &fixture)
        #expect(failed(fixture) == [:])
        let second = nest(.write("/a"), in: b, &fixture)
        #expect(failed(fixture) == [second: [second, a, first, b]])
    }

    @Test func `Rule 18.4: a claim that does not wait blocks no other`() {
        var fixture = ArbiterFixture()
        let outer = fixture.file(.write("/f"))
        let inner = nest(.write("/f"), in: outer, blocksCaller: false, &fixture)
        #expect(failed(fixture) == [:])
        #expect(fixture.stage(inner) == .waiting)
        fixture.end(outer, .unchanged)
        #expect(fixture.stage(inner) == .granted)
    }

    @Test func `Rule 18.4: to wait for another client inside a claim is no cycle`() {
        var fixture = ArbiterFixture()
        let outer = fixture.file(.write("/f"))
        let other = fixture.file(.write("/g"))
        let inner = nest(.write("/g"), in: outer, &fixture)
        #expect(failed(fixture) == [:])
        fixture.end(other, .unchanged)
        #expect(fixture.stage(inner) == .granted)
    }

    /// The writer in the queue waits for the reader.
    ///
    /// The command runs inside that reader's accessor.
    @Test func `Rule 2.17: a command that joins the access around it passes who waits for that`() {
        var arbiter = Arbiter()
        func file(_ serial: UInt64, _ purpose: String, _ items: [AccessItem], in outer: [UInt64]) {
            _ = arbiter.handle(
                .claimFiled(
                    FiledClaim(
                        id: ClaimID(rawValue: serial), client: ClientID(rawValue: UInt32(serial)),
                        purpose: Purpose(purpose), items: items,
                        surrounding: outer.map { ClaimID(rawValue: $0) }, blocksCaller: true)))
        }
        func stage(_ serial: UInt64) -> ClaimStage? {
            arbiter.stage(of: ClaimID(rawValue: serial))
        }
        func both(_ first: String, _ second: String) -> [AccessItem] {
            [AccessItem].write(first) + [AccessItem].write(second)
        }
        file(1, "joined", .read("/f"), in: [])
        file(2, "other", both("/f", "/h"), in: [])
        // This claim waits behind the writer, and so indirectly for the reader.
        file(3, "third", both("/h", "/g"), in: [])
        file(4, "joined", .read("/g"), in: [1])
        #expect(stage(1) == .granted && stage(2) == .waiting && stage(3) == .waiting)
        #expect(stage(4) == .granted)
        // A claim of the same purpose that is in no such command waits.
        file(5, "joined", .read("/g"), in: [])
        #expect(stage(5) == .waiting)
    }
}
