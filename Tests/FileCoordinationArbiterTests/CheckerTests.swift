// SPDX-License-Identifier: Apache-2.0
//
// Histories that are wrong on purpose: the witness must complain about each, or it proves nothing.

import FileCoordinationArbiter
import Testing

@Suite struct CheckerTests {
    private let a = ClaimID(rawValue: 1)
    private let b = ClaimID(rawValue: 2)
    private let editor = PresenterID(rawValue: 1)

    private func filed(_ id: ClaimID, _ items: [AccessItem]) -> Event {
        .claimFiled(
            FiledClaim(
                id: id, client: ClientID(rawValue: UInt32(id.rawValue)),
                purpose: Purpose("\(id)"), items: items))
    }

    private var added: Event {
        .presenterAdded(
            RegisteredPresenter(
                id: editor, client: ClientID(rawValue: 9), purpose: Purpose("editor"),
                path: path("/d/f"), methods: .all))
    }

    @Test func `A proper history passes`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .write("/d/f")), [.askToYield(editor, for: a, .toWriter)], [a: .asking])
        history.tell(filed(b, .read("/d/f")), [], [b: .waiting])
        history.tell(
            .presenterAnswered(editor, for: a, failure: nil), [.grant(a)], [a: .granted])
        history.tell(
            .claimEnded(a, outcomes: [.changed]),
            [
                .notify(editor, .itemDidChange), .reacquire(editor, .writer),
                .askToYield(editor, for: b, .toReaderAndSave),
            ], [a: nil, b: .asking])
        #expect(history.complaint == nil)
    }

    @Test func `Two conflicting claims run`() {
        var history = EventHistory()
        history.tell(filed(a, .delete("/d/")), [.grant(a)], [a: .granted])
        history.tell(filed(b, .read("/d/f")), [.grant(b)], [b: .granted])
        #expect(history.complaint != nil)
    }

    @Test func `A claim overtakes`() {
        let c = ClaimID(rawValue: 3)
        var history = EventHistory()
        history.tell(filed(a, .read("/d/f")), [.grant(a)], [a: .granted])
        history.tell(filed(b, .write("/d/f")), [], [b: .waiting])
        history.tell(filed(c, .read("/d/f")), [.grant(c)], [c: .granted])
        #expect(history.complaint == "claim 3 overtook claim 2")
    }

    @Test func `A deleter takes the liberties of a mover`() {
        let c = ClaimID(rawValue: 3)
        for mode in [WritingOptions.moving, .deleting] {
            var history = EventHistory()
            history.tell(filed(a, .read("/d/f")), [.grant(a)], [a: .granted])
            history.tell(filed(b, .write("/d/f")), [], [b: .waiting])
            history.tell(filed(c, .write("/d/", mode)), [], [c: .waiting])
            history.tell(.claimEnded(a, outcomes: []), [.grant(c)], [a: nil, c: .granted])
            #expect((history.complaint == nil) == (mode == .moving))
        }
    }

    @Test func `A claim is granted without any presenter being asked`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(filed(a, .write("/d/f")), [.grant(a)], [a: .granted])
        #expect(history.complaint?.contains("made way") == true)
    }

    @Test func `A claim is granted before the answer`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .write("/d/f")), [.askToYield(editor, for: a, .toWriter), .grant(a)],
            [a: .granted])
        #expect(history.complaint != nil)
    }

    @Test func `A wake-up is lost`() {
        var history = EventHistory()
        history.tell(filed(a, .write("/d/f")), [.grant(a)], [a: .granted])
        history.tell(filed(b, .write("/d/f")), [], [b: .waiting])
        history.tell(.claimEnded(a, outcomes: [.changed]), [], [a: nil])
        #expect(history.complaint == "claim 2 waits for nothing: a lost wake-up")
    }

    @Test func `An answer is lost`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .write("/d/f")), [.askToYield(editor, for: a, .toWriter)], [a: .asking])
        history.tell(.presenterAnswered(editor, for: a, failure: nil))
        #expect(history.complaint == "claim 1 has every answer and is not granted")
    }

    @Test func `An item is never given back`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .write("/d/f")), [.askToYield(editor, for: a, .toWriter)], [a: .asking])
        history.tell(.claimCancelled(a), [], [a: nil])
        #expect(history.complaint == "presenter 1 did not get its item back")
    }

    @Test func `An item is given back too early, or twice, or before the news`() {
        let ending: [(effects: [Effect], isProper: Bool)] = [
            ([.notify(editor, .itemDidChange), .reacquire(editor, .writer)], true),
            ([.reacquire(editor, .writer), .notify(editor, .itemDidChange)], false),
            ([.reacquire(editor, .writer), .reacquire(editor, .writer)], false),
            ([.reacquire(editor, .writer), .reacquire(editor, .reader)], false),
        ]
        for (effects, isProper) in ending {
            var history = EventHistory()
            history.tell(added)
            history.tell(
                filed(a, .write("/d/f")), [.askToYield(editor, for: a, .toWriter)], [a: .asking])
            history.tell(
                .presenterAnswered(editor, for: a, failure: nil), [.grant(a)], [a: .granted])
            history.tell(.claimEnded(a, outcomes: [.changed]), effects, [a: nil])
            #expect((history.complaint == nil) == isProper)
        }
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .write("/d/f")), [.askToYield(editor, for: a, .toWriter)], [a: .asking])
        history.tell(
            .presenterAnswered(editor, for: a, failure: nil),
            [.grant(a), .reacquire(editor, .writer)], [a: .granted])
        #expect(history.complaint?.contains("8.3") == true)
    }

    @Test func `A presenter is asked twice, or for its own purpose`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .read("/d/f")), [.askToYield(editor, for: a, .toReaderAndSave)], [a: .asking])
        history.tell(
            filed(b, .read("/d/f")), [.askToYield(editor, for: b, .toReaderAndSave)], [b: .asking])
        #expect(history.complaint?.contains("6.11") == true)
        history = EventHistory()
        history.tell(added)
        let own = FiledClaim(
            id: a, client: ClientID(rawValue: 1), purpose: Purpose("editor"), items: .read("/d/f"))
        history.tell(.claimFiled(own), [.askToYield(editor, for: a, .toReader)], [a: .asking])
        #expect(history.complaint?.contains("4.5") == true)
    }

    @Test func `A save-back passes after the answer`() {
        var history = EventHistory()
        history.tell(added)
        history.tell(
            filed(a, .read("/d/f")), [.askToYield(editor, for: a, .toReaderAndSave)], [a: .asking])
        history.tell(.presenterAnswered(editor, for: a, failure: nil), [.grant(a)], [a: .granted])
        let back = FiledClaim(
            id: b, client: ClientID(rawValue: 9), purpose: Purpose("editor"), items: .write("/d/f"))
        history.tell(.claimFiled(back), [.grant(b)], [b: .granted])
        #expect(history.complaint != nil)
    }

    @Test func `A claim fails though no presenter failed it, or vanishes`() {
        var history = EventHistory()
        history.tell(filed(a, .write("/f")), [.fail(a, .disk)])
        #expect(history.complaint != nil)
        history = EventHistory()
        history.tell(filed(a, .write("/f")))
        #expect(history.complaint == "claim 1 has vanished")
    }
}
