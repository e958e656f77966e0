// SPDX-License-Identifier: Apache-2.0
//
// A mailbox that is not read: it says that it has dropped messages, and never drops a message about
// the path of a presenter's own item.

import FileCoordinationArbiter
import Testing

@testable import FileCoordinationWatching

@Suite struct WatchMailboxTests {
    private func path(_ text: String) throws -> ItemPath { try #require(ItemPath(text)) }

    @Test func `Where its own item went is told among however many moves that do not fit`() throws {
        let mailbox = try WatchMailbox(changesPerPresenter: 8)
        let (old, new) = (try path("/d"), try path("/e"))
        func move(_ old: ItemPath, _ new: ItemPath) -> WatchedChange {
            WatchedChange(
                what: .moved(former: old), path: new, observed: nil)
        }
        var changes = try (0..<40).map { number in
            try move(path("/d/\(number)"), path("/e/x\(number)"))
        }
        changes.insert(move(old, new), at: 20)
        mailbox.put([WatchNews(presenter: 1, body: .changes(changes))])
        let told = mailbox.take().map(\.body)
        #expect(told == [.changes([move(old, new)]), .wholeMayHaveChanged(.manyChanges)])
    }

    @Test func `What does not fit is said once until the mailbox is emptied`() throws {
        let mailbox = try WatchMailbox(changesPerPresenter: 2)
        let change = WatchedChange(
            what: .appeared, path: try path("/d/f"), observed: nil)
        let news = WatchNews(presenter: 1, body: .changes([change, change, change]))
        mailbox.put([news, news])
        #expect(mailbox.take().map(\.body) == [.wholeMayHaveChanged(.manyChanges)])
        mailbox.put([news])
        #expect(mailbox.take().count == 1)
    }
}
