// SPDX-License-Identifier: Apache-2.0
//
// Whom a claim asks, and for what (section 6): the table cell by cell, and the rules around it.

import FileCoordinationArbiter
import Testing

@Suite struct PresenterQuestionTests {
    /// What a claim asks of a presenter at `place`, or nil if it asks nothing.
    private func asked(
        _ items: [AccessItem], at place: String, _ methods: PresenterMethods = .all,
        purpose: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> YieldSteps? {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(
            place, methods, purpose: "editor", sourceLocation: sourceLocation)
        let claim = fixture.file(items, purpose: purpose, sourceLocation: sourceLocation)
        for effect in fixture.last {
            if case .askToYield(presenter, claim, let steps) = effect { return steps }
        }
        #expect(fixture.last == [.grant(claim)], sourceLocation: sourceLocation)
        return nil
    }

    // MARK: The table

    @Test func `Rule 6.1, read: presenters of the item and of all packages around it`() {
        let read = [AccessItem].read("/d/p.rtfd/q.rtfd/s/f")
        #expect(asked(read, at: "/d/p.rtfd/q.rtfd/s/f") == .toReaderAndSave)
        #expect(asked(read, at: "/d/p.rtfd/q.rtfd") == .toReaderAndSave)
        #expect(asked(read, at: "/d/p.rtfd") == .toReaderAndSave)
        #expect(asked(.read("/f"), at: "/f") == .toReaderAndSave)
        #expect(asked(.read("/d/"), at: "/d") == .toReaderAndSave)
    }

    @Test func `Rules 6.1, 6.9, read without changes: the same ones, and no save`() {
        for place in ["/p.rtfd/f", "/p.rtfd"] {
            #expect(asked(.read("/p.rtfd/f", .withoutChanges), at: place) == .toReader)
            #expect(
                asked(
                    .read(
                        "/p.rtfd/f",
                        [.withoutChanges, .immediatelyAvailableMetadataOnly, .forUploading]),
                    at: place) == .toReader)
        }
    }

    @Test(arguments: [ReadingOptions.immediatelyAvailableMetadataOnly, .forUploading])
    func `Rule 6.1: reads of metadata and for uploading ask like other reads`(
        options: ReadingOptions
    ) {
        for place in ["/p.rtfd/f", "/p.rtfd"] {
            #expect(asked(.read("/p.rtfd/f", options), at: place) == .toReaderAndSave)
        }
    }

    @Test(arguments: [WritingOptions.plain, .metadataOnly])
    func `Rule 6.1, write: presenters of the item and of all packages around it`(
        mode: WritingOptions
    ) {
        for place in ["/p.rtfd/q.rtfd/f", "/p.rtfd/q.rtfd", "/p.rtfd"] {
            #expect(asked(.write("/p.rtfd/q.rtfd/f", mode), at: place) == .toWriter)
        }
        #expect(asked(.write("/d/", mode), at: "/d") == .toWriter)
        #expect(asked(.write("/d/", mode), at: "/d/f") == nil)
    }

    @Test func `Rule 6.1, merging: the same ones, and they save`() {
        for place in ["/p.rtfd/f", "/p.rtfd"] {
            #expect(asked(.write("/p.rtfd/f", .merging), at: place) == .toWriterAndSave)
        }
        #expect(asked(.write("/d/", .merging), at: "/d/f") == nil)
    }

    @Test func `Rule 6.1, moving: and presenters of everything inside a directory`() {
        #expect(asked(.move("/d/"), at: "/d") == .toWriter)
        #expect(asked(.move("/d/"), at: "/d/s/f") == .toWriter)
        #expect(asked(.move("/p.rtfd"), at: "/p.rtfd/f") == .toWriter)
        #expect(asked(.move("/p.rtfd/f"), at: "/p.rtfd") == .toWriter)
        // It may have become a directory since it was filed.
        #expect(asked(.move("/d/f"), at: "/d/f/x") == .toWriter)
    }

    @Test(arguments: [WritingOptions.deleting, .replacing])
    func `Rules 6.1, 2.8, deleting and replacing: they accommodate`(mode: WritingOptions) {
        #expect(asked(.write("/d/f", mode), at: "/d/f") == .toWriterAndAccommodate)
        #expect(asked(.write("/d/", mode), at: "/d") == .toWriterAndAccommodate)
        #expect(asked(.write("/d/", mode), at: "/d/s/f") == .toWriterAndAccommodate)
        #expect(asked(.write("/p.rtfd", mode), at: "/p.rtfd/f") == .toWriterAndAccommodate)
    }

    @Test(arguments: [WritingOptions.deleting, .replacing])
    func `Rule 6.3: a package accommodates the deletion of a subitem, not its own`(
        mode: WritingOptions
    ) {
        let place = "/p.rtfd/q.rtfd/f"
        for package in ["/p.rtfd", "/p.rtfd/q.rtfd"] {
            #expect(asked(.write(place, mode), at: package) == .toWriterAndLose(place))
        }
        #expect(asked(.write(place, mode), at: place) == .toWriterAndAccommodate)
    }

    @Test func `Rule 6.2: presenters of plain directories around the item are not asked`() {
        for items in [[AccessItem].read("/d/s/f"), .write("/d/s/f"), .delete("/d/s/f")] {
            #expect(asked(items, at: "/d") == nil)
            #expect(asked(items, at: "/d/s") == nil)
            #expect(asked(items, at: "/") == nil)
            #expect(asked(items, at: "/d/s/g") == nil)
        }
    }

    @Test func `Rule 6.4: presenters of anything else in the package relinquish, and do not save`()
    {
        for read in [[AccessItem].read("/p.rtfd"), .read("/p.rtfd/a"), .read("/p.rtfd/q.rtfd/b")] {
            #expect(asked(read, at: "/p.rtfd/s/f") == .toReader)
        }
        for mode in [WritingOptions.plain, .merging, .metadataOnly] {
            #expect(asked(.write("/p.rtfd", mode), at: "/p.rtfd/s/f") == .toWriter)
            #expect(asked(.write("/p.rtfd/a", mode), at: "/p.rtfd/s/f") == .toWriter)
        }
        for mode in [WritingOptions.moving, .deleting, .replacing] {
            #expect(asked(.write("/p.rtfd/a", mode), at: "/p.rtfd/s/f") == .toWriter)
        }
    }

    @Test func `Rules 6.2, 6.4: but not those of a plain directory on the way`() {
        #expect(asked(.read("/p.rtfd/s/f"), at: "/p.rtfd/s") == nil)
        #expect(asked(.write("/p.rtfd/s/f"), at: "/p.rtfd/s") == nil)
        #expect(asked(.write("/p.rtfd/s/f"), at: "/p.rtfd/t") == .toWriter)
    }

    // MARK: What is left out

    @Test func `Rule 5.3: only implemented methods are asked for`() {
        #expect(asked(.read("/f"), at: "/f", []) == nil)
        #expect(asked(.read("/f"), at: "/f", [.itemDidChange, .relinquishToWriter]) == nil)
        #expect(asked(.read("/f"), at: "/f", .relinquishToReader) == .toReader)
        #expect(asked(.write("/f", .merging), at: "/f", [.relinquishToWriter]) == .toWriter)
        #expect(
            asked(.delete("/f"), at: "/f", .accommodateDeletion)
                == YieldSteps(accommodateDeletion: true))
        #expect(asked(.delete("/p.rtfd/f"), at: "/p.rtfd", .accommodateDeletion) == nil)
        #expect(asked(.delete("/f"), at: "/f", .accommodateSubitemDeletion) == nil)
    }

    @Test func `Rule 6.6: without relinquish, save is asked for directly`() {
        #expect(asked(.read("/f"), at: "/f", .save) == .saveOnly)
    }

    @Test func `Rule 4.5: nothing is asked of the claim's own purpose`() {
        for items in [[AccessItem].read("/f"), .write("/f"), .delete("/f")] {
            #expect(asked(items, at: "/f", purpose: "editor") == nil)
        }
    }

    @Test func `Rule 5.5: a presenter without a place is not asked until it has one`() {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(nil)
        let first = fixture.file(.read("/f"))
        #expect(fixture.last == [.grant(first)])
        fixture.handle(.presenterRelocated(presenter, path("/f")))
        let second = fixture.file(.read("/f"))
        #expect(fixture.last == [.askToYield(presenter, for: second, .toReaderAndSave)])
        fixture.handle(.presenterRelocated(presenter, path("/elsewhere")))
        let third = fixture.file(.read("/f"))
        #expect(fixture.last == [.grant(third)])
    }

    // MARK: Several presenters, several items

    @Test func `Rules 5.10, 6.7: all presenters are asked at once, and all are waited for`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let presenters = (0..<3).map { _ in fixture.present("/f", client: client) }
        let claim = fixture.file(.write("/f"))
        #expect(fixture.last == presenters.map { .askToYield($0, for: claim, .toWriter) })
        fixture.answer(presenters[1], claim)
        fixture.answer(presenters[2], claim)
        #expect(fixture.arbiter.impediments(of: claim) == [.presenter(presenters[0], .toWriter)])
        fixture.answer(presenters[0], claim)
        #expect(fixture.last == [.grant(claim)])
    }

    @Test func `Rule 6.10: several items, and each needed message once`() {
        var read = YieldSteps.toReaderAndSave
        #expect(asked(.read("/f") + .read("/f"), at: "/f") == read)
        read.relinquish = [.reader, .writer]
        #expect(asked(.write("/f") + .read("/f"), at: "/f") == read)
        #expect(
            asked(.delete("/p.rtfd/b") + .delete("/p.rtfd/a"), at: "/p.rtfd")
                == .toWriterAndLose("/p.rtfd/b", "/p.rtfd/a"))
        #expect(
            asked(.write("/f", .merging) + .delete("/f"), at: "/f")
                == YieldSteps(relinquish: [.writer], save: true, accommodateDeletion: true))
    }

    // MARK: When

    @Test func `Rule 2.19: no presenter is asked for a claim that is still in the queue`() {
        expectTimeline(
            .presenter("editor", at: "/f", " ????rr??ww "),
            .claim("reader", .read("/f"), " ....==     "),
            .claim("writer", .write("/f"), "   ......== "))
    }

    @Test func `Rules 5.4, 6.12: presenters of the time when it takes its place are asked`() {
        var fixture = ArbiterFixture()
        let holder = fixture.file(.write("/f"))
        let gone = fixture.present("/f")
        let reader = fixture.file(.read("/f"))
        fixture.handle(.presenterRemoved(gone))
        let present = fixture.present("/f")
        fixture.end(holder, .unchanged)
        #expect(fixture.last == [.askToYield(present, for: reader, .toReaderAndSave)])
        let late = fixture.present("/f")
        #expect(fixture.last.isEmpty)
        fixture.answer(present, reader)
        #expect(fixture.last == [.grant(reader)])
        fixture.end(reader)
        #expect(fixture.all(to: late).isEmpty)
        #expect(fixture.all(to: gone).isEmpty)
    }

    @Test func `Rule 5.7: who waits for a presenter that is removed stops waiting`() {
        expectTimeline(
            .presenter("editor", at: "/f", " ??†     "),
            .claim("reader", .read("/f"), " ..===   "))
    }

    @Test func `Rule 6.14: a presenter's own claim is waited for before it is asked`() {
        expectTimeline(
            .presenter("editor  ", at: "/f", purpose: "editor", "   ??r   "),
            .claim("its write", .write("/f"), purpose: "editor", "===      "),
            .claim("reader   ", .read("/f"), " ....=   "))
    }
}
