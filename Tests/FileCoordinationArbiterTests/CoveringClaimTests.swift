// SPDX-License-Identifier: Apache-2.0
//
// Claims that cover a whole tree (Rule 2.23): compared with claims that name every item inside.

import FileCoordinationArbiter
import Testing

@Suite struct CoveringClaimTests {
    private static let inside = [
        "/d/f", "/d/s/", "/d/s/g", "/d/s/t/u/v/g", "/d/p.rtfd", "/d/p.rtfd/a",
        "/d/p.rtfd/q.rtfd/h",
    ]
    private static let outside = ["/", "/e", "/d2/", "/d2/f", "/e/d/f"]

    /// A claim on the tree, and one that names each item there.
    private static let pairs: [(tree: [AccessItem], named: [AccessItem])] =
        [
            Access.reading([]), .reading(.withoutChanges), .writing(.plain), .writing(.merging),
            .writing(.metadataOnly),
        ].map { access in
            let named = (["/d/"] + inside).map { item($0, access) }
            return ([item("/d/", covering(access))], named)
        }

    private static func covering(_ access: Access) -> Access {
        switch access {
        case .reading(let options): .reading(options.union(.includingContents))
        case .writing(let options): .writing(options.union(.includingContents))
        }
    }

    private static let others: [[AccessItem]] = (["/d/"] + inside + outside).flatMap { place in
        [AccessItem].read(place) + .readTree(place) + .writeTree(place)
            + WritingOptions.single.flatMap { [AccessItem].write(place, $0) }
    }.map { [$0] }

    private func waits(_ second: [AccessItem], for first: [AccessItem]) -> Bool {
        var fixture = ArbiterFixture()
        let holder = fixture.file(first)
        let waiter = fixture.file(second)
        #expect(fixture.stage(holder) == .granted)
        return fixture.stage(waiter) == .waiting
    }

    // MARK: Waiting

    @Test(arguments: pairs.indices)
    func `Rule 2.23: it waits as if each item inside were named, both ways in time`(pair: Int) {
        let (tree, named) = Self.pairs[pair]
        for other in Self.others {
            #expect(waits(tree, for: other) == waits(named, for: other), "after \(other)")
            #expect(waits(other, for: tree) == waits(other, for: named), "before \(other)")
        }
    }

    @Test func `Rule 2.23: a tree that is read lets readers in, and keeps writers out`() {
        expectTimeline(
            .claim("tree      ", .readTree("/d/"), "=====      "),
            .claim("reader    ", .read("/d/s/t/u/v/g"), " ====      "),
            .claim("writer    ", .write("/d/s/t/u/v/g"), " ....==    "),
            .claim("another   ", .readTree("/d/"), "  .....==  "),
            .claim("outside   ", .write("/e"), "  ===      "))
    }

    @Test func `Rule 2.23: a tree is claimed at once or not at all, and holds nothing before`() {
        expectTimeline(
            .claim("writer    ", .write("/d/s/t/u/v/g"), "===         "),
            .claim("tree      ", .readTree("/d/"), " ..===      "),
            .claim("later     ", .write("/d/f"), "  ....==    "),
            .claim("reader    ", .read("/d/f"), " ====       "))
    }

    @Test func `Rules 2.4, 2.23: a plain claim on a directory stays what it is`() {
        #expect(!waits(.write("/d/f"), for: .read("/d/")))
        #expect(!waits(.write("/d/f"), for: .write("/d/")))
        #expect(waits(.write("/d/f"), for: .readTree("/d/")))
        #expect(!waits(.read("/d/f"), for: .readTree("/d/")))
        #expect(waits(.read("/d/f"), for: .writeTree("/d/")))
    }

    @Test func `Rule 2.23: of a file it is a plain claim`() {
        #expect(!waits(.writeTree("/d/f"), for: .read("/d/")))
        #expect(!waits(.writeTree("/d/f"), for: .writeTree("/d/g")))
        #expect(waits(.writeTree("/d/f"), for: .read("/d/f")))
        #expect(!waits(.readTree("/d/f"), for: .read("/d/f")))
    }

    @Test func `Rules 2.8a, 2.23: a move that covers its tree waits for what is queued inside`() {
        for (options, waits) in [
            (WritingOptions.moving, false), ([.moving, .includingContents], true),
        ] {
            var fixture = ArbiterFixture()
            let reader = fixture.file(.read("/d/f"))
            let queued = fixture.file(.write("/d/f"))
            let mover = fixture.file(.write("/d/", options))
            #expect(fixture.arbiter.impediments(of: mover).contains(.claim(queued)) == waits)
            fixture.end(reader)
            #expect(fixture.last == [.grant(waits ? queued : mover)])
        }
    }

    @Test func `Rules 2.10, 2.17, 2.23: equal purposes and calls inside pass`() {
        expectTimeline(
            .claim("tree  ", .writeTree("/d/"), "=====   "),
            .claim("other ", .write("/d/s/g"), " ....== "),
            .claim("inner ", .write("/d/s/g"), inside: "tree", "  ==    "))
    }

    // MARK: Asking

    private func asked(_ items: [AccessItem], at place: String) -> YieldSteps? {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(place)
        let claim = fixture.file(items)
        for effect in fixture.last {
            if case .askToYield(presenter, claim, let steps) = effect { return steps }
        }
        return nil
    }

    @Test(arguments: pairs.indices)
    func `Rules 2.23, 6.1: presenters inside are asked as for their own item`(pair: Int) {
        let (tree, named) = Self.pairs[pair]
        for place in ["/d"] + Self.inside + Self.outside {
            #expect(asked(tree, at: place) == asked(named, at: place), "at \(place)")
        }
    }

    @Test func `Rule 2.23: a presenter inside saves before a tree is read`() {
        #expect(asked(.readTree("/d/"), at: "/d/s/t/u/v/g") == .toReaderAndSave)
        #expect(asked(.read("/d/"), at: "/d/s/t/u/v/g") == nil)
        #expect(asked(.writeTree("/d/"), at: "/d/s/t/u/v/g") == .toWriter)
        #expect(
            asked(.write("/d/", [.includingContents, .deleting]), at: "/d/s/g")
                == .toWriterAndAccommodate)
    }

    // MARK: Ending

    @Test func `Rules 2.23, 7.8: who presents something inside hears that it may have changed`() {
        var fixture = ArbiterFixture()
        let viewer = fixture.present("/d/s/g", .didMethods)
        let own = fixture.present("/d/s/h", .didMethods, purpose: "own")
        let outside = fixture.present("/e", .didMethods)
        let tree = fixture.file(.writeTree("/d/"), purpose: "own")
        fixture.end(tree, .changed)
        #expect(fixture.heard(viewer) == [.itemDidChange])
        #expect(fixture.heard(own).isEmpty && fixture.heard(outside).isEmpty)
        for (items, outcome) in [
            ([AccessItem].writeTree("/d/"), ItemOutcome.unchanged), (.write("/d/"), .changed),
            (.readTree("/d/"), .unchanged),
        ] {
            let claim = fixture.file(items)
            fixture.end(claim, outcome)
            #expect(fixture.heard(viewer).isEmpty)
        }
    }

    @Test func `Rules 2.20, 2.23, 11.4: what leaves the tree is held where it goes`() {
        var fixture = ArbiterFixture()
        let tree = fixture.file(.writeTree("/d/"))
        let waiting = fixture.file(.write("/d/s/g"))
        fixture.announce(tree, move("/d/s", to: "/e/s"))
        #expect(fixture.places(waiting) == ["/e/s/g"])
        #expect(fixture.stage(waiting) == .waiting)
        // The tree moves on, and back to its first path.
        fixture.announce(tree, move("/e/s", to: "/d2"))
        #expect(fixture.places(waiting) == ["/d2/g"])
        #expect(fixture.stage(waiting) == .waiting)
        fixture.announce(tree, move("/d2", to: "/d/s"))
        #expect(fixture.stage(waiting) == .waiting)
        fixture.end(tree, .changed)
        #expect(fixture.last.contains(.grant(waiting)))
    }

    @Test func `Rules 2.20, 2.23: what was not in the tree when it moved is not held`() {
        var fixture = ArbiterFixture()
        let tree = fixture.file(.writeTree("/d/s/t/"))
        // The tree moves to the other item's path, and the other item away, at the same time.
        fixture.announce(tree, move("/d/s/t", to: "/e"), move("/e/f", to: "/d2"))
        let there = fixture.file(.write("/d2"))
        #expect(fixture.stage(there) == .granted)
    }

    @Test
    func `Rules 11.4, 2.23: a claim that waits goes along, and one on what contains it stays`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/s/"))
        let inner = fixture.file(.readTree("/d/s/t/"))
        let outer = fixture.file(.readTree("/d/"))
        fixture.announce(mover, move("/d/s", to: "/e"))
        #expect(fixture.places(inner) == ["/e/t"] && fixture.places(outer) == ["/d"])
        fixture.end(mover, .changed)
        #expect([inner, outer].allSatisfy { fixture.stage($0) == .granted })
    }

    // MARK: Delegation

    @Test func `Rule 2.23: nothing is delegated to it, and what is inside is taken back for it`() {
        for access in [Access.reading(.includingContents), .writing(.includingContents)] {
            #expect(!item("/d/", access).isDelegable)
            var index = DelegationIndex()
            let (own, far, directory, other) = (
                DelegationID(rawValue: 1), DelegationID(rawValue: 2), DelegationID(rawValue: 3),
                DelegationID(rawValue: 4)
            )
            index.insert(own, at: path("/d"))
            index.insert(far, at: path("/d/s/t/u/v/g"))
            index.insert(directory, inside: path("/d/s"))
            index.insert(other, at: path("/e"))
            #expect(index.concerned(by: [item("/d/", access)]) == [own, far, directory])
        }
    }

    @Test func `Rule 2.23: and nothing inside is delegated while it lasts`() {
        var fixture = ArbiterFixture()
        for items in [[AccessItem].readTree("/d/"), .writeTree("/d/")] {
            let tree = fixture.file(items)
            #expect(!fixture.arbiter.isUncontested(path("/d/s/g")))
            #expect(fixture.arbiter.contenders(at: path("/d/s/g")) == nil)
            fixture.end(tree, .changed)
            #expect(fixture.arbiter.isUncontested(path("/d/s/g")))
        }
    }
}
