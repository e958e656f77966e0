// SPDX-License-Identifier: Apache-2.0
//
// The text form: a history that is written is read back as the same, and any other text is refused.

import CoordinationCheckers
import Testing

@Suite struct HistoryTextTests {
    private let everything: [Fact] = [
        .filed(
            Claim(
                ClaimKey(5), of: ClientKey(2), purpose: "my purpose",
                items: [
                    Item(.move, "/a b/c,d%", packages: ["/a b", "/ü"]),
                    Item(.readWithoutChanges, "/"),
                ], order: 5, enclosing: [ClaimKey(3), ClaimKey(4)], blocksCaller: true,
                isBatch: true)),
        .holding(ClaimKey(5)), .granted(ClaimKey(5), items: nil),
        .granted(ClaimKey(5), items: [Item(.merge, "/f")]), .returned(ClaimKey(5)),
        .ended(ClaimKey(5)), .cancelled(ClaimKey(5)), .failed(ClaimKey(5)),
        .foundInCycle(
            ClaimKey(5), [Link(ClaimKey(5)), Link(ClaimKey(6), through: PresenterKey(7))]),
        .moved(by: ClaimKey(5), [Move(from: "/a b", to: "/c,", packages: ["/c,"])]),
        .presenterAdded(
            Presenter(
                PresenterKey(7), of: ClientKey(2), purpose: "p", place: "/x y",
                steps: [.save, .accommodateSubitemDeletion(nil)], patience: 3)),
        .presenterRemoved(PresenterKey(7)), .presenterRelocated(PresenterKey(7), "/q"),
        .presenterRelocated(PresenterKey(7), nil),
        .asked(
            PresenterKey(7), for: nil,
            [.relinquishToReader, .relinquishToWriter, .accommodateSubitemDeletion("/a,b")]),
        .answered(PresenterKey(7), for: ClaimKey(5), succeeds: false),
        .reacquired(PresenterKey(7), .relinquishToWriter),
        .blocked(PresenterKey(7), for: ClaimKey(4), by: ClaimKey(5)),
        .blocked(PresenterKey(7), for: nil, by: nil),
        .died(ClientKey(2)), .stopped(ClientKey(2)), .continued(ClientKey(2)), .arbiterReplaced,
        .rested,
    ]

    @Test func `What is written is read back`() throws {
        var history = History()
        for (index, fact) in everything.enumerated() {
            let time = UInt64(index)
            history.append(
                fact, at: index.isMultiple(of: 2) ? Moment(at: time) : Moment(from: time, to: 99))
        }
        #expect(try History(text: history.text) == history)
    }

    @Test(arguments: [
        "filed claim=1", "1 filed", "1 flew claim=1", "x ended claim=1", "3-1 ended claim=1",
        "1 granted claim=1 item=peek,/f", "1 ended claim=-1", "1 filed claim=1 client=1",
        "1 moved claim=1 move=/f", "1 died client=%zz", "1 asked presenter=1 do=dance",
    ])
    func `A line that says nothing is an error that names it`(line: String) {
        let thrown = #expect(throws: HistoryTextError.self) {
            try History(text: "# a comment\n\n\(line)\n")
        }
        #expect(thrown?.line == 3)
    }

    @Test func `Journals are merged by the earliest moment, and keep their order within one`()
        throws
    {
        let history = try History(text: "5 ended claim=1\n2-9 died client=1\n5 rested\n")
        #expect(
            history.entries.map(\.fact) == [.died(ClientKey(1)), .ended(ClaimKey(1)), .rested])
    }
}
