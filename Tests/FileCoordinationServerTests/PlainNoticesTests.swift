// SPDX-License-Identifier: Apache-2.0
//
// What presenters are told of changes that the watcher saw, and what only claims tell.

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

@testable import FileCoordinationServer

/// A place whose path is known to be one.
private func place(_ text: String) -> ItemPath {
    guard let path = ItemPath(text) else { preconditionFailure("\(text) is no path") }
    return path
}

struct PlainNoticesTests {
    private let item = place("/d/f")
    private let directory = place("/d")
    private func presenter(
        _ path: ItemPath, _ methods: PresenterMethods = .all,
        _ item: WatchedPresenter.Item = .directory
    ) -> WatchedPresenter {
        WatchedPresenter(
            path: path, methods: methods, purpose: Purpose(bytes: [1]), item: item)
    }

    private func observed(changed: Int64) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: 2),
            stamp: FileStamp(size: 1, modified: changed, changed: changed))
    }

    private func change(
        _ what: WatchedChange.What, _ path: ItemPath, changed: Int64? = 5
    ) -> WatchedChange {
        WatchedChange(
            what: what, path: path, observed: changed.map { observed(changed: $0) })
    }

    @Test("Rules 7.3 to 7.6: the item, what is inside, what came and what went")
    func messages() {
        let inside = presenter(directory)
        #expect(
            inside.messages(of: change(.appeared, item))
                == [.notice(.subitemDidAppear(item)), .notice(.subitemDidChange(item))])
        for what in [WatchedChange.What.changed(.content), .changed(.attributes), .deleted] {
            #expect(
                inside.messages(of: change(what, item)) == [.notice(.subitemDidChange(item))])
            #expect(presenter(item).messages(of: change(what, item)) == [.notice(.itemDidChange)])
        }
    }

    @Test("Rules 11.3, 11.9: a move of the item is followed, one inside is told with both ends")
    func moves() {
        let new = place("/d/g")
        let move = change(.moved(former: item), new)
        #expect(presenter(item).messages(of: move) == [.moved(to: new)])
        let changes: [WatchedPresenter.Message] = [
            .notice(.subitemDidChange(new)), .notice(.subitemDidChange(item)),
        ]
        #expect(
            presenter(directory).messages(of: move)
                == [.notice(.subitemDidMove(item, to: new))] + changes)
        #expect(presenter(directory, .subitemDidChange).messages(of: move) == changes)
        // A package's presenter without the method hears once that its item has changed.
        #expect(
            presenter(directory, .itemDidChange, .package).messages(of: move)
                == [.notice(.itemDidChange)])
    }

    @Test("Rule 7.14: another item at the presented path is a reason to look at all of it")
    func replaced() {
        let new = change(.appeared, directory)
        #expect(
            presenter(directory, [.subitemDidChange]).messages(of: new)
                == [.notice(.subitemDidChange(directory))])
    }

    @Test("Rule 7.4: a package's presenter with no method for it hears of a change of its item")
    func packages() {
        let changed = change(.changed(.content), item)
        let terse = PresenterMethods.itemDidChange
        #expect(
            presenter(directory, terse, .package).messages(of: changed) == [.notice(.itemDidChange)]
        )
        #expect(presenter(directory, terse, .directory).messages(of: changed).isEmpty)
        #expect(presenter(directory, terse, .package).kind == .directory)
        #expect(presenter(directory, terse, .directory).kind == .file)
    }

    @Test("Rule 7.14: that anything may have changed is told of a directory with what there is")
    func anyChange() {
        let all = presenter(directory)
        #expect(all.messagesOfAll == [.notice(.itemDidChange)])
        let terse = presenter(directory, [.subitemDidChange, .subitemDidMove])
        #expect(terse.messagesOfAll == [.notice(.subitemDidChange(directory))])
        // The message of a move of the directory itself may still follow.
        let former = change(.changed(.content), place("/e/f"))
        #expect(terse.messages(of: former) == [.notice(.subitemDidChange(directory))])
        #expect(presenter(directory, .itemDidMove).messagesOfAll.isEmpty)
        // Rule 7.4: if the change is known, no other method is called instead.
        #expect(terse.messages(of: change(.changed(.attributes), directory)).isEmpty)
    }

    @Test("What is not about the item any more is told as a change of it, never swallowed")
    func stale() {
        let elsewhere = place("/e/f")
        #expect(
            presenter(directory).messages(of: change(.appeared, elsewhere))
                == [.notice(.itemDidChange)])
    }

    @Test("The names that filecoord uses for a moment are not told")
    func temporaries() {
        let temporary = place("/d/.filecoord-0123")
        #expect(change(.appeared, temporary).withoutTemporaries == nil)
        let moved = change(.moved(former: temporary), item).withoutTemporaries
        #expect(moved?.what == .changed(.content))
    }
}
