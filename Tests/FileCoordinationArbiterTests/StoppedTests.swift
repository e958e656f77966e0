// SPDX-License-Identifier: Apache-2.0
//
// Processes that are stopped (Rule 18.6). These tests do not use the witness, which does not
// support stops.

import FileCoordinationArbiter
import InstantLiterals
import Testing

@Suite struct StoppedTests {

    /// An arbiter, and claims each of a process and a purpose of the same number.
    private struct Line {
        var arbiter = Arbiter()
        var last: [Effect] = []

        mutating func handle(_ event: Event) { last = arbiter.handle(event) }

        mutating func file(_ number: UInt64, _ items: [AccessItem]) {
            handle(
                .claimFiled(
                    FiledClaim(
                        id: ClaimID(rawValue: number), client: client(number),
                        purpose: Purpose("\(number)"), items: items)))
        }

        mutating func present(_ number: UInt64, _ place: String, answerTimeout: Duration? = nil) {
            handle(
                .presenterAdded(
                    RegisteredPresenter(
                        id: PresenterID(rawValue: number), client: client(number),
                        purpose: Purpose("\(number)"), path: path(place), methods: .all,
                        answerTimeout: answerTimeout)))
        }

        mutating func end(_ number: UInt64) {
            handle(.claimEnded(ClaimID(rawValue: number), outcomes: [.changed]))
        }

        mutating func stop(_ number: UInt64) { handle(.clientStopped(client(number))) }

        mutating func go(_ number: UInt64) { handle(.clientContinued(client(number))) }

        mutating func pass(_ seconds: Double) {
            handle(.clockAdvanced(to: .seconds(seconds)))
        }

        var granted: [UInt64] {
            last.compactMap { if case .grant(let id) = $0 { id.rawValue } else { nil } }
        }

        func stage(_ number: UInt64) -> ClaimStage? {
            arbiter.stage(of: ClaimID(rawValue: number))
        }

        func client(_ number: UInt64) -> ClientID { ClientID(rawValue: UInt32(number)) }
    }

    @Test func `A stopped waiter is skipped, and keeps its number`() {
        var line = Line()
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.file(3, .write("/f"))
        line.file(4, .write("/f"))
        line.stop(2)
        #expect(line.granted == [])
        line.end(1)
        #expect(line.granted == [3])
        line.go(2)
        line.end(3)
        #expect(line.granted == [2])
        line.end(2)
        #expect(line.granted == [4])
    }

    @Test func `A reader goes past a stopped writer at once`() {
        var line = Line()
        line.file(1, .read("/f"))
        line.file(2, .write("/f"))
        line.file(3, .read("/f"))
        #expect(line.granted == [])
        line.stop(2)
        #expect(line.granted == [3])
    }

    @Test func `A stopped waiter that no claim blocks is not granted either`() {
        var line = Line()
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.stop(2)
        line.end(1)
        #expect(line.granted == [])
        line.go(2)
        #expect(line.granted == [2])
    }

    @Test func `What a stopped process filed before it was seen stopped waits`() {
        var line = Line()
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.stop(2)
        line.handle(
            .claimFiled(
                FiledClaim(
                    id: ClaimID(rawValue: 3), client: line.client(2), purpose: Purpose("3"),
                    items: .write("/g"))))
        #expect(line.granted == [])
        line.go(2)
        #expect(line.granted == [3])
    }

    @Test func `One that asks goes back to the line; its presenter is recalled and asked anew`() {
        var line = Line()
        let editor = PresenterID(rawValue: 9)
        line.present(9, "/f")
        line.file(1, .write("/f"))
        #expect(line.stage(1) == .asking)
        line.file(2, .write("/f"))
        line.stop(1)
        #expect(line.last.first == .withdrawQuestions(ClaimID(rawValue: 1)))
        #expect(line.last.contains(.reacquire(editor, .writer)))
        #expect(line.stage(1) == .waiting)
        #expect(line.stage(2) == .asking)
        line.handle(.presenterAnswered(editor, for: ClaimID(rawValue: 1), failure: nil))
        #expect(line.granted == [])
        line.handle(.presenterAnswered(editor, for: ClaimID(rawValue: 2), failure: nil))
        #expect(line.granted == [2])
        line.go(1)
        #expect(line.stage(1) == .waiting)
        line.end(2)
        #expect(line.stage(1) == .asking)
        line.handle(.presenterAnswered(editor, for: ClaimID(rawValue: 1), failure: nil))
        #expect(line.granted == [1])
    }

    @Test func `One that went back to the line blocks no claim that comes to its place`() {
        var line = Line()
        line.present(8, "/f")
        line.present(9, "/g")
        line.file(1, .write("/g"))
        line.stop(1)
        line.file(2, .write("/f"))
        #expect(line.stage(2) == .asking)
        // While the presenter is asked, it moves its item to /g (Rules 2.16, 11.6).
        let mover = ClaimID(rawValue: 3)
        line.handle(
            .claimFiled(
                FiledClaim(
                    id: mover, client: line.client(8), purpose: Purpose("8"), items: .move("/f"))))
        #expect(line.granted == [3])
        line.handle(
            .claimAnnounced(mover, .moved([ItemMove(from: path("/f"), to: path("/g"))])))
        line.end(3)
        line.handle(
            .presenterAnswered(PresenterID(rawValue: 8), for: ClaimID(rawValue: 2), failure: nil))
        // The claim asks the presenter at the new path, too.
        line.handle(
            .presenterAnswered(PresenterID(rawValue: 9), for: ClaimID(rawValue: 2), failure: nil))
        #expect(line.granted == [2])
    }

    @Test func `A stopped holder keeps its claim`() {
        var line = Line()
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.stop(1)
        line.pass(100)
        #expect(line.granted == [])
        #expect(line.stage(1) == .granted)
        #expect(line.arbiter.clientsToLookAt == [line.client(1)])
        line.end(1)
        #expect(line.granted == [2])
    }

    @Test func `A grant that was not taken up is taken back; then it is the next one's turn`() {
        var line = Line()
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.file(3, .write("/f"))
        line.end(1)
        #expect(line.granted == [2])
        line.stop(2)
        #expect(line.granted == [])
        line.handle(.grantWithdrawn(ClaimID(rawValue: 2)))
        // Its questions are recalled, so that a late answer to one of them does not count.
        #expect(line.last.first == .withdrawQuestions(ClaimID(rawValue: 2)))
        #expect(line.granted == [3])
        #expect(line.stage(2) == .waiting)
        line.go(2)
        line.end(3)
        #expect(line.granted == [2])
    }

    @Test func `A grant taken back from a process that runs by now is given again`() {
        var line = Line()
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.end(1)
        line.handle(.grantWithdrawn(ClaimID(rawValue: 2)))
        #expect(line.granted == [2])
    }

    @Test func `A stopped presenter is passed over after two seconds, and told to look`() {
        var line = Line()
        let editor = PresenterID(rawValue: 9)
        line.present(9, "/f", answerTimeout: .seconds(30))
        line.pass(1)
        line.file(1, .read("/f"))
        line.stop(9)
        #expect(line.last == [])
        #expect(line.arbiter.nextDeadline == .seconds(3))
        line.pass(2.9)
        #expect(line.granted == [])
        line.pass(3)
        #expect(line.granted == [1])
        #expect(line.arbiter.presenters.map(\.isUnresponsive) == [true])
        // The presenter delays no claim until its process runs again.
        line.file(2, .read("/f"))
        #expect(line.granted == [2])
        line.go(9)
        #expect(line.last == [.notify(editor, .itemDidChange)])
        line.end(1)
        line.end(2)
        line.file(3, .read("/f"))
        #expect(line.stage(3) == .asking)
    }

    @Test func `A presenter that is asked while it is stopped is waited for no longer`() {
        var line = Line()
        line.present(9, "/f")
        line.present(8, "/g")
        line.stop(9)
        line.pass(1.5)
        line.file(1, .read("/f"))
        line.pass(2)
        #expect(line.granted == [1])
        // A presenter without a bound, whose process runs, has all the time that it wants.
        line.file(2, .read("/g"))
        line.pass(1000)
        #expect(line.granted == [])
        #expect(line.arbiter.clientsToLookAt == [line.client(8), line.client(9)])
    }

    @Test func `A presenter that goes on in time has its whole bound again`() {
        var line = Line()
        line.present(9, "/f", answerTimeout: .seconds(10))
        line.file(1, .read("/f"))
        line.stop(9)
        line.pass(1.9)
        line.go(9)
        line.pass(11.8)
        #expect(line.granted == [])
        line.pass(11.9)
        #expect(line.granted == [1])
    }

    @Test func `A stopped process that dies is forgotten`() {
        var line = Line()
        line.present(2, "/g")
        line.file(1, .write("/f"))
        line.file(2, .write("/f"))
        line.stop(2)
        line.handle(.clientDied(line.client(2)))
        #expect(line.arbiter.clientsToLookAt == [])
        line.end(1)
        #expect(line.arbiter.isIdle)
    }

    @Test func `No client is looked at while no claim waits`() {
        var line = Line()
        line.present(9, "/f")
        line.file(1, .write("/g"))
        #expect(!line.arbiter.hasWaitingClaims)
        #expect(line.arbiter.clientsToLookAt == [])
        line.file(2, .write("/g"))
        #expect(line.arbiter.hasWaitingClaims)
        #expect(line.arbiter.clientsToLookAt == [line.client(1)])
    }
}
