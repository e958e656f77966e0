// SPDX-License-Identifier: Apache-2.0
//
// The server's counters of the arbiter's events and effects.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

struct ServerMetricsTests {
    /// An arbiter, and what is counted of it.
    private struct Counted {
        var arbiter = Arbiter()
        var metrics = ServerMetrics()

        mutating func decide(_ event: Event) {
            let effects = arbiter.handle(event)
            metrics.record(event, effects) { arbiter.claim($0)?.client }
        }

        var report: MetricsReport {
            metrics.report(
                ArbiterStatus(
                    processID: 1, kind: .daemon, uptimeNanoseconds: 0, protocolVersion: 5),
                epoch: 1, clients: 0, claims: 0, presenters: 0)
        }
    }

    private func claim(_ number: UInt64, client: UInt32 = 1) throws -> FiledClaim {
        FiledClaim(
            id: ClaimID(rawValue: number), client: ClientID(rawValue: client),
            purpose: Purpose("\(number)"),
            items: [
                AccessItem(path: try #require(ItemPath("/a")), access: .writing(.plain))
            ])
    }

    @Test func `A grant at once is a wait of no time`() throws {
        var counted = Counted()
        counted.decide(.clockAdvanced(to: 5_000_000_000))
        counted.decide(.claimFiled(try claim(1)))
        #expect(counted.report[.claimsFiled] == 1)
        #expect(counted.report[.claimsGranted] == 1)
        #expect(counted.report.waits.counts[0] == 1)
        #expect(counted.report.waits.sum == 0)
        #expect(counted.report.waitingClaims == 0)
    }

    @Test func `A wait lasts from the filing to the grant`() throws {
        var counted = Counted()
        counted.decide(.claimFiled(try claim(1)))
        counted.decide(.clockAdvanced(to: 1_000_000_000))
        counted.decide(.claimFiled(try claim(2)))
        #expect(counted.report.waitingClaims == 1)
        counted.decide(.clockAdvanced(to: 3_000_000_000))
        counted.decide(.claimEnded(ClaimID(rawValue: 1), outcomes: [.unchanged]))
        #expect(counted.report.waits.sum == 2_000_000_000)
        #expect(counted.report.waits.count == 2)
        #expect(counted.report[.claimsEnded] == 1)
        #expect(counted.report.waitingClaims == 0)
    }

    @Test func `What is given up or dies waits no longer`() throws {
        var counted = Counted()
        for number in 1...4 {
            counted.decide(.claimFiled(try claim(UInt64(number), client: UInt32(number))))
        }
        #expect(counted.report.waitingClaims == 3)
        counted.decide(.claimCancelled(ClaimID(rawValue: 2)))
        #expect(counted.report.waitingClaims == 2)
        counted.decide(.clientDied(ClientID(rawValue: 3)))
        #expect(counted.report.waitingClaims == 1)
        counted.decide(.clientDied(ClientID(rawValue: 1)))
        #expect(counted.report.waitingClaims == 0)
        #expect(counted.report[.claimsGranted] == 2)
        #expect(counted.report[.claimsCancelled] == 1)
    }

    @Test func `A claim waits again when its grant is withdrawn`() throws {
        var counted = Counted()
        let (second, third) = (ClaimID(rawValue: 2), ClaimID(rawValue: 3))
        counted.decide(.claimFiled(try claim(1)))
        counted.decide(.claimFiled(try claim(2, client: 2)))
        counted.decide(.claimEnded(ClaimID(rawValue: 1), outcomes: [.unchanged]))
        #expect(counted.report.waitingClaims == 0)
        counted.decide(.clientStopped(ClientID(rawValue: 2)))
        counted.decide(.grantWithdrawn(second))
        #expect(counted.report.waitingClaims == 1)
        counted.decide(.claimFiled(try claim(3, client: 3)))
        counted.decide(.clockAdvanced(to: 1_000_000_000))
        counted.decide(.clientContinued(ClientID(rawValue: 2)))
        #expect(counted.report.waitingClaims == 1)
        counted.decide(.claimEnded(third, outcomes: [.changed]))
        #expect(counted.report.waitingClaims == 0)
        #expect(counted.report[.claimsGranted] == 4)
        #expect(counted.report.waits.count == 4)
        #expect(counted.report.waits.sum == 1_000_000_000)
        // Its client dies while it waits once more.
        counted.decide(.clientStopped(ClientID(rawValue: 2)))
        counted.decide(.grantWithdrawn(second))
        counted.decide(.clientDied(ClientID(rawValue: 2)))
        #expect(counted.report.waitingClaims == 0)
    }

    @Test func `An answer lasts from its question`() throws {
        var counted = Counted()
        let presenter = PresenterID(rawValue: 9)
        counted.decide(
            .presenterAdded(
                RegisteredPresenter(
                    id: presenter, client: ClientID(rawValue: 2), purpose: Purpose("p"),
                    path: ItemPath("/a"), methods: .all)))
        counted.decide(.claimFiled(try claim(1)))
        counted.decide(.clockAdvanced(to: 70_000_000))
        counted.decide(.presenterAnswered(presenter, for: ClaimID(rawValue: 1), failure: nil))
        #expect(counted.report[.questions] == 1)
        #expect(counted.report[.answers] == 1)
        #expect(counted.report.answers.sum == 70_000_000)
        #expect(counted.report.waits.sum == 70_000_000)
        counted.decide(.claimFiled(try claim(2)))
        counted.decide(.claimEnded(ClaimID(rawValue: 1), outcomes: [.changed]))
        let refusal = PresenterFailure(payload: [])
        counted.decide(.presenterAnswered(presenter, for: ClaimID(rawValue: 2), failure: refusal))
        #expect(counted.report[.claimsRefused] == 1)
        #expect(counted.report.waitingClaims == 0)
        #expect(counted.report[.notices] > 0)
    }
}
