// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom in a cycle, in sentences (Rules 18.4, 18.12).

import FileCoordinationWire
import Testing

@testable import FileCoordinationClient

@Suite("Cycles of waits")
struct CycleTextTests {
    private func member(
        _ role: PartyRole, _ path: String, process: Int32, isOwn: Bool = false,
        message: String? = nil
    ) -> CycleMember {
        CycleMember(
            processID: process, isOwn: isOwn, who: "P\(process)", path: path, role: role,
            time: "2.0 s", message: message)
    }

    @Test func `Two programs that each hold what the other one wants`() {
        let cycle = CycleText([
            member(.waiter, "/b", process: 1, isOwn: true), member(.holder, "/b", process: 2),
            member(.waiter, "/a", process: 2), member(.holder, "/a", process: 1, isOwn: true),
        ])
        #expect(
            cycle.sentences == [
                "This program (pid 1) waits for /b, because P2 has held it for 2.0 s.",
                "P2 waits for /a, because this program (pid 1) has held it for 2.0 s.",
            ])
        #expect(cycle.advice.hasSuffix("Make one call for all items instead."))
    }

    @Test func `A claim behind another one, and a process that waits for another one's end`() {
        let cycle = CycleText([
            member(.waiter, "/d/f", process: 1), member(.waiter, "/d", process: 2),
            member(.holder, "/d/g", process: 3),
        ])
        #expect(
            cycle.sentences == [
                "P1 waits for /d/f, because P2 is before it in the queue for /d.",
                "P2 waits for /d, because P3 has held /d/g for 2.0 s.",
                "P3 goes on only after P1.",
            ])
    }

    @Test func `A presenter that waits for access before it answers`() {
        let cycle = CycleText([
            member(.waiter, "/f", process: 1),
            member(.presenter, "/f", process: 2, message: "savePresentedItemChanges"),
            member(.waiter, "/f", process: 2),
        ])
        #expect(
            cycle.sentences == [
                "P1 waits for /f until P2, which presents it, answers savePresentedItemChanges.",
                "P2 does not answer before its own access is granted.",
                "P2 waits for /f, because P1 is before it in the queue for it.",
            ])
        #expect(cycle.advice.contains("Have the presenter answer"))
    }

    @Test func `One program alone, and no member at all`() {
        let alone = CycleText([
            member(.waiter, "/f", process: 1, isOwn: true),
            member(.holder, "/f", process: 1, isOwn: true),
        ])
        #expect(
            alone.sentences == [
                "This program (pid 1) waits for /f, because another access of its own has held it "
                    + "for 2.0 s."
            ])
        #expect(alone.advice.contains("the coordinator of the outer one"))
        #expect(CycleText([]).sentences.isEmpty)
        #expect(CycleText([]).advice.hasSuffix("Make one call for all items instead."))
    }

    @Test func `Processes of two namespaces with one number are two`() {
        let cycle = CycleText([
            member(.waiter, "/f", process: 7), member(.holder, "/f", process: -7),
            member(.waiter, "/g", process: -7), member(.holder, "/g", process: 7),
        ])
        #expect(cycle.sentences.count == 2)
        #expect(cycle.sentences.first?.contains("P-7 has held it") == true)
    }
}
