// SPDX-License-Identifier: Apache-2.0
//
// Several writing options in one call are their union (Rule 2.8b). All 32 sets are compared here
// with the effects of each option alone, which other tests check.

import FileCoordinationArbiter
import Testing

@Suite struct CombinedWritesTests {
    /// The single options of a set; every set contains a plain write, too.
    private static func parts(of options: WritingOptions) -> [WritingOptions] {
        WritingOptions.single.filter { options.isSuperset(of: $0) }
    }

    /// An access by another purpose, and where.
    private static let others: [[AccessItem]] = [
        "/d/s/", "/d/s/f", "/d/s/t/", "/d/s/t/u/f", "/d/", "/d/f", "/d/s/p.rtfd/a", "/d/s2/",
    ].flatMap { place in
        [.read(place)] + WritingOptions.single.map { .write(place, $0) }
    }

    /// Whether the second of two claims waits for the first.
    private func waits(_ second: [AccessItem], for first: [AccessItem]) -> Bool {
        var fixture = ArbiterFixture()
        let holder = fixture.file(first)
        let waiter = fixture.file(second)
        #expect(fixture.stage(holder) == .granted)
        return fixture.stage(waiter) == .waiting
    }

    /// Whether a claim waits for another that is queued behind a reader.
    private func waits(_ second: [AccessItem], forQueued first: [AccessItem]) -> Bool {
        var fixture = ArbiterFixture()
        let reader = fixture.file(.read("/d/s/t/f"))
        let queued = fixture.file(first + .write("/d/s/t/f"))
        let waiter = fixture.file(second)
        #expect(fixture.stage(queued) == .waiting)
        let waits = fixture.arbiter.impediments(of: waiter).contains(.claim(queued))
        // The wait also ends.
        fixture.end(reader)
        for claim in waits ? [queued, waiter] : [waiter, queued] { fixture.end(claim, .unchanged) }
        #expect(fixture.arbiter.isIdle)
        return waits
    }

    @Test(arguments: WritingOptions.every)
    func `Rule 2.8b: it waits as the strictest, in either order`(options: WritingOptions) {
        for place in ["/d/s/", "/d/s/f", "/d/s/p.rtfd"] {
            let write = [AccessItem].write(place, options)
            for other in Self.others {
                let parts = Self.parts(of: options).map { [AccessItem].write(place, $0) }
                #expect(
                    waits(write, for: other) == parts.contains { waits($0, for: other) },
                    "\(options) at \(place) after \(other)")
                #expect(
                    waits(other, for: write) == parts.contains { waits(other, for: $0) },
                    "\(options) at \(place) before \(other)")
            }
        }
    }

    @Test(arguments: WritingOptions.every)
    func `Rules 2.8a, 2.8b: only a move that is nothing stricter goes first`(
        options: WritingOptions
    ) {
        let write = [AccessItem].write("/d/s/", options)
        for inside in [[AccessItem].write("/d/s/f"), .write("/d/s/t/"), .read("/d/s/t/g")] {
            let parts = Self.parts(of: options).map { [AccessItem].write("/d/s/", $0) }
            #expect(
                waits(write, forQueued: inside)
                    == parts.contains { waits($0, forQueued: inside) }, "\(options), \(inside)")
        }
        let isStrict = options.has(.deleting, .replacing)
        #expect(waits(write, forQueued: .write("/d/s/f")) == isStrict)
    }

    // MARK: Asking

    /// What a claim asks of a presenter.
    private func asked(
        _ items: [AccessItem], at place: String, kind: ClaimKind = .access
    ) -> YieldSteps {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(place)
        let claim = fixture.file(items, kind: kind)
        for effect in fixture.last {
            if case .askToYield(presenter, claim, let steps) = effect { return steps }
        }
        return YieldSteps()
    }

    private func union(_ steps: [YieldSteps]) -> YieldSteps {
        var result = YieldSteps()
        for step in steps {
            result.relinquish.formUnion(step.relinquish)
            if step.save { result.save = true }
            if step.accommodateDeletion { result.accommodateDeletion = true }
            for path in step.accommodateSubitemDeletions
            where !result.accommodateSubitemDeletions.contains(path) {
                result.accommodateSubitemDeletions.append(path)
            }
        }
        return result
    }

    @Test(arguments: WritingOptions.every)
    func `Rules 2.8b, 6.1, 14.2: it asks whatever any of them asks`(options: WritingOptions) {
        let presented = [
            "/d", "/d/s", "/d/s/f", "/d/s/t/g", "/d/p.rtfd", "/d/p.rtfd/a", "/d/p.rtfd/b",
        ]
        for kind in [ClaimKind.access, .preparation] {
            for place in ["/d/s/", "/d/s/f", "/d/p.rtfd", "/d/p.rtfd/a"] {
                for presenter in presented {
                    let parts = Self.parts(of: options).map {
                        asked(.write(place, $0), at: presenter, kind: kind)
                    }
                    #expect(
                        asked(.write(place, options), at: presenter, kind: kind) == union(parts),
                        "\(options) of \(place), presented: \(presenter)")
                }
            }
        }
    }

    @Test func `Rules 2.8b, 6.1: the table, for the pairs that programs use`() {
        let saveAndAccommodate = YieldSteps(
            relinquish: [.writer], save: true, accommodateDeletion: true)
        let table: [(WritingOptions, item: YieldSteps, inside: YieldSteps)] = [
            ([.replacing, .deleting], .toWriterAndAccommodate, .toWriterAndAccommodate),
            ([.replacing, .merging], saveAndAccommodate, .toWriterAndAccommodate),
            ([.replacing, .moving], .toWriterAndAccommodate, .toWriterAndAccommodate),
            ([.moving, .merging], .toWriterAndSave, .toWriter),
            ([.merging, .metadataOnly], .toWriterAndSave, YieldSteps()),
        ]
        for (options, item, inside) in table {
            #expect(asked(.write("/d/", options), at: "/d") == item)
            #expect(asked(.write("/d/", options), at: "/d/f") == inside)
        }
        #expect(
            asked(.write("/p.rtfd/f", [.replacing, .deleting]), at: "/p.rtfd")
                == .toWriterAndLose("/p.rtfd/f"))
    }

    // MARK: Ending

    @Test(arguments: WritingOptions.every)
    func `Rules 2.8b, 11.4, 11.5: what replaces stays, whatever else it does`(
        options: WritingOptions
    ) {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/f"))
        let waiter = fixture.file(.write("/f", options))
        fixture.announce(mover, move("/f", to: "/g"))
        #expect(fixture.places(waiter) == [options.has(.replacing) ? "/f" : "/g"])
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(waiter)])
    }

    @Test(arguments: WritingOptions.every)
    func `Rules 2.8b, 2.20: what it has moved it holds there, unless it only replaces`(
        options: WritingOptions
    ) {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.write("/f", options))
        fixture.announce(mover, move("/f", to: "/g"))
        let there = fixture.file(.write("/g"))
        let holdsIt = options.has(.moving) || !options.has(.replacing)
        #expect(fixture.stage(there) == (holdsIt ? .waiting : .granted))
        let behind = fixture.file(.write("/f"))
        #expect(fixture.stage(behind) == .waiting)
    }

    @Test func `Rules 2.8b, 7.4: moved away and replaced, it changed at both places`() {
        var fixture = ArbiterFixture()
        let directory = fixture.present("/d", .didMethods)
        let mover = fixture.file(.write("/d/f", [.moving, .replacing]))
        fixture.announce(mover, move("/d/f", to: "/d/g"))
        fixture.end(mover, .changed)
        #expect(
            fixture.heard(directory)
                == [.subitemDidChange(path("/d/g")), .subitemDidChange(path("/d/f"))])
        // With a move alone, or with nothing new at the old
        // path, the directory is not told of the old path.
        for (options, outcome) in [
            (WritingOptions.moving, ItemOutcome.changed), ([.moving, .replacing], .unchanged),
        ] {
            let mover = fixture.file(.write("/d/f", options))
            fixture.announce(mover, move("/d/f", to: "/d/g"))
            fixture.end(mover, outcome)
            #expect(
                fixture.heard(directory)
                    == (outcome == .changed ? [.subitemDidChange(path("/d/g"))] : []))
        }
    }

    @Test(arguments: WritingOptions.every)
    func `Rule 2.8b: only what is none of D, M and R is delegated`(options: WritingOptions) {
        let isPlain = !options.has(.deleting, .moving, .replacing)
        #expect(item("/d/f", .writing(options)).isDelegable == isPlain)
    }
}
