// SPDX-License-Identifier: Apache-2.0
//
// What a presenter that is slow to read is told: each change by a notice that starts after it, and
// not one notice for each change (Rules 7.12 and 7.14).

import FileCoordinationArbiter
import FileCoordinationClient
import Testing

@Suite struct UnreadNoticesTests {
    private typealias Mailbox = PresenterMailboxState<String, String>
    private var mailbox = Mailbox(methods: .all)

    private func item(_ number: Int) -> ItemPath { itemPath("/d/\(number)") }

    /// Reports so many new items; returns the notices that are put onto the presenter's queue.
    private mutating func tell(of count: Int) -> [PresenterNotice] {
        (0..<count).flatMap { mailbox.noticed(.plain(.subitemDidAppear(item($0)))) }.notices
    }

    @Test mutating func `Rule 7.12: a change is told once until the presenter has begun to read`() {
        let notice = PresenterNotice.plain(.itemDidChange)
        #expect(mailbox.noticed(notice) == [.deliver(.notify(notice))])
        for _ in 0..<1000 { #expect(mailbox.noticed(notice) == []) }
        #expect(mailbox.begin(.notify(notice)) == true)
        // The presenter may have read the item before this change, so it is told again.
        #expect(mailbox.noticed(notice) == [.deliver(.notify(notice))])
    }

    @Test mutating func `Rule 7.14: what a coordinated writer did is told beside a plain change`() {
        #expect(mailbox.noticed(.plain(.itemDidChange)).count == 1)
        #expect(mailbox.noticed(.itemDidChange) == [.deliver(.notify(.itemDidChange))])
    }

    @Test mutating func `Rule 7.1a: a change after a move is told after the move`() {
        let change = PresenterNotice.subitemDidChange(item(1))
        #expect(mailbox.noticed(change).count == 1)
        #expect(mailbox.noticed(.itemDidMove(to: itemPath("/e"))).count == 1)
        #expect(mailbox.noticed(change) == [.deliver(.notify(change))])
    }

    @Test mutating func `Rule 7.1a: a change after a move inside is told after the move`() {
        let change = PresenterNotice.subitemDidChange(item(1))
        #expect(mailbox.noticed(change).count == 1)
        for (old, new) in [(1, 2), (3, 1)] {
            let move = PresenterNotice.subitemDidMove(from: item(old), to: item(new))
            #expect(mailbox.noticed(move).count == 1)
        }
        #expect(mailbox.noticed(change) == [.deliver(.notify(change))])
    }

    @Test mutating func `Rule 7.2: a change after a reacquire is told after the reacquire`() {
        #expect(mailbox.noticed(.itemDidChange).count == 1)
        _ = mailbox.reacquired(.writer)
        #expect(mailbox.noticed(.itemDidChange) == [.deliver(.notify(.itemDidChange))])
    }

    @Test mutating func `Rule 7.14: many unread changes end with one that tells of all`() {
        let told = tell(of: 5 * UnreadNotices.limit)
        #expect(told.count == UnreadNotices.limit + 1)
        #expect(told.last == .plain(.itemDidChange))
        for notice in told.dropLast() { #expect(mailbox.begin(.notify(notice)) == true) }
        #expect(tell(of: 1) == [], "the last one has not begun")
        #expect(mailbox.begin(.notify(.plain(.itemDidChange))) == true)
        #expect(tell(of: 1) == [.plain(.subitemDidAppear(item(0)))])
    }

    @Test mutating func `Rule 7.1a: so does a change after a move, which is told after the move`() {
        _ = tell(of: UnreadNotices.limit + 1)
        let move = PresenterNotice.plain(.itemDidMove(to: itemPath("/e")))
        #expect(mailbox.noticed(move) == [.deliver(.notify(move))])
        // The notice that anything may have changed, which
        // waits before the move, is about the old path.
        #expect(tell(of: 2) == [.plain(.itemDidChange)])
    }

    @Test mutating func `Rule 16.4: on a concurrent queue, the one about all may be first`() {
        let told = tell(of: UnreadNotices.limit + 7)
        #expect(mailbox.begin(.notify(.plain(.itemDidChange))) == true)
        // The presenter may have read by now. It needs
        // another such notice, as the others still wait.
        #expect(tell(of: 7) == [.plain(.itemDidChange)])
        for notice in told { #expect(mailbox.begin(.notify(notice)) == true) }
        #expect(tell(of: 1) == [.plain(.subitemDidAppear(item(0)))])
    }

    @Test mutating func `Moves of the item, versions and attributes are never left out`() {
        _ = tell(of: 2 * UnreadNotices.limit)
        let news = VersionNews(.gained, identifier: [1])
        for notice: PresenterNotice in [
            .plain(.itemDidMove(to: itemPath("/e"))), .itemVersion(news, of: itemPath("/d")),
            .subitemVersion(news, at: item(1)), .itemDidChangeUbiquityAttributes(["k"]),
        ] {
            #expect(mailbox.noticed(notice) == [.deliver(.notify(notice))])
        }
    }

    @Test mutating func `A presenter that cannot be told of all is told of each`() {
        mailbox = Mailbox(methods: [.subitemDidAppear])
        #expect(tell(of: 2 * UnreadNotices.limit).count == 2 * UnreadNotices.limit)
    }
}

extension [PresenterMailboxState<String, String>.Action] {
    /// The notices among what is put onto the presenter's queue.
    fileprivate var notices: [PresenterNotice] {
        compactMap { action in
            if case .deliver(.notify(let notice)) = action { notice } else { nil }
        }
    }
}
