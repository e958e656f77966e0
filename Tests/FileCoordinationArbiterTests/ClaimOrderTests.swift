// SPDX-License-Identifier: Apache-2.0
//
// Which claim waits for which (section 2, without the exceptions).

import FileCoordinationArbiter
import Testing

@Suite struct ClaimOrderTests {
    @Test func `Rule 2.1: readers never wait for readers`() {
        expectTimeline(
            .claim("first reader ", .read("/d/f"), "====  "),
            .claim("second reader", .read("/d/f"), " ===== "))
    }

    @Test func `Rule 2.2: a reader waits for a writer, and a writer for every reader`() {
        expectTimeline(
            .claim("writer        ", .write("/d/f"), "===            "),
            .claim("reader        ", .read("/d/f"), " ..====        "),
            .claim("second reader ", .read("/d/f"), "  .======      "),
            .claim("second writer ", .write("/d/f"), "   ......===   "))
    }

    @Test func `Rule 2.3: writers go one after the other`() {
        expectTimeline(
            .claim("first ", .write("/d/f"), "==      "),
            .claim("second", .write("/d/f"), "..==    "),
            .claim("third ", .write("/d/f"), " ...==  "))
    }

    @Test func `Rules 2.2, 2.3: items of one package exclude each other`() {
        expectTimeline(
            .claim("writer of a part   ", .write("/p.rtfd/a"), "==          "),
            .claim("reader of another  ", .read("/p.rtfd/b"), " .==        "),
            .claim("reader of the whole", .read("/p.rtfd"), " .===       "),
            .claim("writer of the whole", .write("/p.rtfd"), "  ...==     "),
            .claim("reader far inside  ", .read("/p.rtfd/q.rtfd/c"), "   ....=    "))
    }

    @Test func `Rule 1.12: for waiting the outermost package counts`() {
        expectTimeline(
            .claim("in the inner package", .write("/p.rtfd/q.rtfd/a"), "==   "),
            .claim("beside it           ", .write("/p.rtfd/b"), " .== "))
    }

    @Test(arguments: [WritingOptions.plain, .merging, .metadataOnly])
    func `Rule 2.4: a plain write of a plain directory leaves its contents alone`(
        mode: WritingOptions
    ) {
        expectTimeline(
            .claim("writer of the directory", .write("/d/", mode), "====   "),
            .claim("writer inside          ", .write("/d/f"), " ====  "),
            .claim("reader inside          ", .read("/d/s/g"), " ===== "),
            .claim("writer of the parent   ", .write("/", mode), "  ==== "))
    }

    @Test func `Rule 2.4: a read of a plain directory leaves its contents alone`() {
        expectTimeline(
            .claim("reader of the directory", .read("/d/"), "====   "),
            .claim("writer inside          ", .write("/d/f"), " ====  "))
    }

    @Test(arguments: [WritingOptions.deleting, .moving, .replacing])
    func `Rule 2.5: deleting, moving or replacing an item leaves its plain parent alone`(
        mode: WritingOptions
    ) {
        expectTimeline(
            .claim("reader of the parent", .read("/d/"), "====   "),
            .claim("writer of the parent", .write("/e/"), "====   "),
            .claim("in the one          ", .write("/d/f", mode), " ====  "),
            .claim("in the other        ", .write("/e/s/", mode), " ====  "))
    }

    @Test(arguments: [WritingOptions.deleting, .moving, .replacing])
    func `Rule 2.6: deleting, moving or replacing a directory excludes all inside, both ways`(
        mode: WritingOptions
    ) {
        expectTimeline(
            .claim("reader inside      ", .read("/d/s/f"), "===         "),
            .claim("D, M or R          ", .write("/d/", mode), " ..===      "),
            .claim("later reader inside", .read("/d/g"), "  ....==     "),
            .claim("later writer inside", .write("/d/s/f"), "   ...===    "),
            .claim("elsewhere          ", .write("/dd/f"), "   =        "))
    }

    @Test(arguments: [WritingOptions.deleting, .moving, .replacing])
    func `Rule 2.6: two such writes exclude each other if one contains the other`(
        mode: WritingOptions
    ) {
        expectTimeline(
            .claim("inner", .write("/d/s/", mode), "===    "),
            .claim("outer", .write("/d/", .deleting), " ..==  "))
        expectTimeline(
            .claim("outer", .write("/d/", mode), "===    "),
            .claim("inner", .write("/d/s/f", .deleting), " ..==  "))
    }

    @Test(arguments: [WritingOptions.deleting, .moving, .replacing])
    func `Rules 2.7, 2.8: on a plain file they all wait like a plain write`(mode: WritingOptions) {
        expectTimeline(
            .claim("D, M or R", .write("/d/f", mode), "===    "),
            .claim("reader   ", .read("/d/f"), " ..==  "),
            // The file may have become a directory since the first claim was filed.
            .claim("below    ", .write("/d/f/x"), "  .==  "))
        expectTimeline(
            .claim("reader    ", .read("/d/f"), "===       "),
            .claim("writer    ", .write("/d/f"), " ..==     "),
            .claim("D, M or R ", .write("/d/f", mode), "  ...==   "))
    }

    @Test func `Rule 2.9: metadata only makes no difference for waiting`() {
        expectTimeline(
            .claim("writer", .write("/d/f", .metadataOnly), "===   "),
            .claim("reader", .read("/d/f", .immediatelyAvailableMetadataOnly), " ..== "))
    }

    @Test func `Rules 2.10, 2.11: equal purposes never wait for each other`() {
        expectTimeline(
            .claim("writer ", .write("/d/f"), purpose: "sync", "====  "),
            .claim("again  ", .write("/d/f"), purpose: "sync", " ==== "),
            .claim("deleter", .delete("/d/"), purpose: "sync", "  === "))
    }

    @Test func `Rule 2.12: different purposes of one process exclude each other`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let outer = fixture.file(.write("/f"), client: client)
        let inner = fixture.file(.write("/f"), client: client, inside: [outer])
        #expect(fixture.stage(inner) == .waiting)
        #expect(fixture.arbiter.impediments(of: inner) == [.claim(outer)])
    }

    @Test func `Rule 2.13: several items are granted at once, and nothing is held before`() {
        expectTimeline(
            .claim("writer of a   ", .write("/a"), "====      "),
            .claim("both          ", .read("/a") + .write("/b"), " ...==    "),
            .claim("reader of c   ", .read("/c"), "  =       "),
            .claim("writer of b   ", .write("/b"), "   ...==  "))
        expectTimeline(
            .claim("writer of a   ", .write("/a"), "====      "),
            .claim("both          ", .read("/a") + .write("/b"), " ...==    "),
            .claim("the other way ", .read("/b") + .write("/a"), "  ....==  "))
    }

    @Test func `Rule 2.13: items of one call never conflict with each other`() {
        expectTimeline(
            .claim("twice     ", .write("/a") + .read("/a") + .write("/a"), "==  "),
            .claim("and around", .delete("/d/") + .write("/d/f"), "=== "))
    }

    @Test func `Rule 13.6: a claim for nothing is granted`() {
        expectTimeline(.claim("nothing", [], "== "))
    }

    @Test func `Rule 2.14: a reader waits behind a waiting writer`() {
        expectTimeline(
            .claim("reader        ", .read("/d/f"), "====       "),
            .claim("writer        ", .write("/d/f"), " ...==     "),
            .claim("later reader  ", .read("/d/f"), "  ....==   "),
            .claim("another reader", .read("/d/f"), "   ...=    "))
    }

    @Test func `Rule 2.14: when a waiting writer gives up, those behind it go on`() {
        expectTimeline(
            .claim("reader      ", .read("/d/f"), "=====   "),
            .claim("writer      ", .write("/d/f"), " ..x    "),
            .claim("later reader", .read("/d/f"), "  .==== "))
    }

    @Test func `Rule 2.15: claims that do not conflict overtake freely`() {
        expectTimeline(
            .claim("reader   ", .read("/d/f"), "====    "),
            .claim("writer   ", .write("/d/f"), " ...==  "),
            .claim("elsewhere", .write("/d/g"), "  ====  "))
    }

    @Test func `A line of writers is a chain in which each end wakes one claim`() {
        var fixture = ArbiterFixture()
        let line = (0..<12).map { _ in fixture.file(.write("/d/f")) }
        for (index, claim) in line.enumerated() {
            #expect(fixture.stage(claim) == .granted)
            fixture.end(claim, .unchanged)
            let next = index + 1 < line.count ? [Effect.grant(line[index + 1])] : []
            #expect(fixture.last == next)
        }
        #expect(fixture.arbiter.isIdle)
    }

    @Test func `Processes that disagree about packages still exclude each other on one item`() {
        let inPackage = item("/p.rtfd/a", .writing(.plain))
        var plain = inPackage
        plain.packageDepths = []
        for (first, second) in [(inPackage, plain), (plain, inPackage)] {
            expectTimeline(
                .claim("one  ", [first], "==   "),
                .claim("other", [second], " .== "))
        }
    }

    @Test func `Package depths that make no sense are passed over`() {
        var odd = item("/a/b", .writing(.plain))
        odd.packageDepths = [7, -3, 0, Int.max, 1, 1]
        expectTimeline(
            .claim("odd   ", [odd], "==   "),
            .claim("beside", .read("/a/c"), " ==  "))
        var root = item("/", .writing(.deleting))
        root.packageDepths = [0]
        expectTimeline(.claim("root", [root], "==   "))
    }
}
