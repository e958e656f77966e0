// SPDX-License-Identifier: Apache-2.0
//
// The table of a process's presenters: their order, also after many were removed, and that the time
// for one does not depend on how many there are.

import Testing

@testable import FileCoordinationClient

@Suite struct PresenterTableTests {
    private func entry(_ presenter: IdlePresenter) -> PresenterEntry {
        PresenterEntry(
            registration: PresenterRegistration(presenter, label: ""),
            mailbox: PresenterMailbox(
                presenter: presenter, answer: { _, _ in }, relinquishmentChanged: { _, _ in }))
    }

    /// Checks the table against what is in `presenters`, in this order.
    private func check(_ table: PresenterTable, _ presenters: [IdlePresenter]) {
        #expect(table.map(\.identity) == presenters.map(\.identity))
        #expect(table.count == presenters.count)
        #expect(table.isEmpty == presenters.isEmpty)
        #expect(presenters.allSatisfy { table[$0.identity]?.identity == $0.identity })
    }

    @Test func `Rules 5.1, 5.2 and 5.7: presenters keep their order, each is there once`() {
        var presenters = (0..<100).map { _ in IdlePresenter() }
        var table = PresenterTable()
        for presenter in presenters {
            let isNew = table.add(entry(presenter))
            #expect(isNew)
        }
        let isNewAgain = table.add(entry(presenters[3]))
        #expect(!isNewAgain)
        check(table, presenters)
        // Enough for the empty slots to be dropped, more than once.
        for step in 0..<95 {
            let presenter = presenters.remove(at: step * 7 % presenters.count)
            let removed = table.remove(presenter.identity)
            #expect(removed?.identity == presenter.identity)
            let removedAgain = table.remove(presenter.identity)
            #expect(removedAgain == nil)
            #expect(table[presenter.identity] == nil)
            check(table, presenters)
        }
        presenters.append(IdlePresenter())
        let isAdded = table.add(entry(presenters[5]))
        #expect(isAdded)
        check(table, presenters)
    }
}
