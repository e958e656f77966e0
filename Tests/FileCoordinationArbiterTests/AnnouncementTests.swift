// SPDX-License-Identifier: Apache-2.0
//
// Versions and ubiquity attributes that an accessor announces (section 10), and coordinators whose
// presenter has not been told yet of its move (Rule 11.7).

import FileCoordinationArbiter
import Testing

@Suite struct AnnouncementTests {
    // MARK: Versions

    /// What a presenter is told of news of a version of `/p.rtfd/s/f`.
    private func heard(
        _ news: VersionNews, at place: String, _ methods: PresenterMethods = .didMethods,
        purpose: String? = nil
    ) -> [Notice] {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(place, methods, purpose: "editor")
        let writer = fixture.file(.write("/p.rtfd/s/f"), purpose: purpose)
        fixture.answer(presenter, writer)
        fixture.handle(.claimAnnounced(writer, .versionChanged(path("/p.rtfd/s/f"), news)))
        return fixture.heard(presenter)
    }

    private static let news = VersionFate.allCases.map { VersionNews($0, identifier: [7, 0, 255]) }
    private let item = path("/p.rtfd/s/f")

    @Test(arguments: news)
    func `Rule 10.1: presenters of the file, and of every directory that contains it`(
        news: VersionNews
    ) {
        #expect(heard(news, at: "/p.rtfd/s/f") == [.itemVersion(item, news)])
        for place in ["/p.rtfd/s", "/p.rtfd", "/"] {
            #expect(heard(news, at: place) == [.subitemVersion(item, news)])
        }
        for place in ["/p.rtfd/s/f/x", "/p.rtfd/s/g", "/p.rtfd/t"] {
            #expect(heard(news, at: place).isEmpty)
        }
    }

    @Test(arguments: news)
    func `Rule 10.3: the writer's own, too`(news: VersionNews) {
        #expect(heard(news, at: "/p.rtfd/s/f", purpose: "editor") == [.itemVersion(item, news)])
        #expect(heard(news, at: "/p.rtfd", purpose: "editor") == [.subitemVersion(item, news)])
    }

    @Test func `Rules 5.3, 10.1: each by the method that is for it, and no other`() {
        let methods: [(PresenterMethods, PresenterMethods)] = [
            (.itemDidGainVersion, .subitemDidGainVersion),
            (.itemDidLoseVersion, .subitemDidLoseVersion),
            (.itemDidResolveConflict, .subitemDidResolveVersion),
        ]
        for (index, news) in Self.news.enumerated() {
            for (other, method) in methods.enumerated() {
                let count = index == other ? 1 : 0
                #expect(heard(news, at: "/p.rtfd/s/f", method.0).count == count)
                #expect(heard(news, at: "/p.rtfd/s", method.1).count == count)
                #expect(heard(news, at: "/p.rtfd/s/f", method.1).isEmpty)
                #expect(heard(news, at: "/p.rtfd/s", method.0).isEmpty)
            }
            // A package's presenter gets no `itemDidChange` instead of it.
            #expect(heard(news, at: "/p.rtfd", .itemDidChange).isEmpty)
        }
    }

    @Test func `Rule 10.1: where the item is by now, and nothing else happens`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/a", .didMethods)
        let writer = fixture.file(.write("/a"))
        let reader = fixture.file(.read("/a"))
        fixture.announce(writer, move("/a", to: "/b"))
        let news = VersionNews(.gained, identifier: [1])
        fixture.handle(.claimAnnounced(writer, .versionChanged(path("/b"), news)))
        #expect(fixture.last == [.notify(editor, .itemVersion(path("/b"), news))])
        fixture.handle(.claimAnnounced(reader, .versionChanged(path("/b"), news)))
        #expect(fixture.last.isEmpty)
    }

    // MARK: Ubiquity attributes

    private let names: [[UInt8]] = [Array("one".utf8), [0, 255]]

    @Test func `Rules 10.4, 10.6: presenters of the item alone hear of its attributes`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", .didMethods)
        for place in ["/d", "/", "/d/f/x", "/d/g"] { _ = fixture.present(place, .didMethods) }
        let reader = fixture.file(.read("/d/f"))
        fixture.handle(.claimAnnounced(reader, .ubiquityAttributesChanged(path("/d/f"), names)))
        #expect(fixture.last == [.notify(editor, .ubiquityAttributes(names))])
    }

    @Test func `Rules 10.4, 10.5: not for none, not for the speaker's own, not without the method`()
    {
        var fixture = ArbiterFixture()
        let other = fixture.present("/f", .didMethods)
        _ = fixture.present("/f", .didMethods, purpose: "w")
        _ = fixture.present("/f", .didMethods.subtracting(.itemDidChangeUbiquityAttributes))
        let writer = fixture.file(.write("/f"), purpose: "w")
        fixture.handle(.claimAnnounced(writer, .ubiquityAttributesChanged(path("/f"), [])))
        #expect(fixture.last.isEmpty)
        fixture.handle(.claimAnnounced(writer, .ubiquityAttributesChanged(path("/f"), names)))
        #expect(fixture.last == [.notify(other, .ubiquityAttributes(names))])
    }

    // MARK: Coordinators that do not know yet

    /// A presenter that was moved from one place to another, and has not been told.
    private func moved(_ old: String, _ new: String) -> (ArbiterFixture, PresenterID) {
        var fixture = ArbiterFixture()
        let editor = fixture.present(old, [], purpose: "editor")
        let mover = fixture.file(.move(old))
        fixture.announce(mover, move(old, to: new))
        fixture.end(mover, .unchanged)
        return (fixture, editor)
    }

    @Test func `Rule 11.7: a claim for the old place is sent on to the new one`() {
        var (fixture, editor) = moved("/d/f", "/e/f")
        let claim = fixture.file(
            .read("/d/f") + .write("/d/g"), purpose: "editor",
            standpoint: Standpoint(editor, at: path("/d/f")))
        #expect(
            fixture.last == [.retarget(claim, .read("/e/f") + .write("/d/g")), .grant(claim)])
        let other = fixture.file(.write("/e/f"))
        #expect(fixture.arbiter.impediments(of: other) == [.claim(claim)])
    }

    @Test func `Rule 11.7: so are those for what is below`() {
        var (fixture, editor) = moved("/d/", "/p.rtfd/d/")
        let standpoint = Standpoint(editor, at: path("/d"))
        let claim = fixture.file(
            .write("/d/s/f") + .replace("/d/g"), purpose: "editor", standpoint: standpoint)
        let expected = [AccessItem].write("/p.rtfd/d/s/f") + .replace("/p.rtfd/d/g")
        #expect(fixture.last == [.retarget(claim, expected), .grant(claim)])
        // Rule 2.0: at its new path, the item is part of a package.
        let other = fixture.file(.read("/p.rtfd/x"))
        #expect(fixture.arbiter.impediments(of: other) == [.claim(claim)])
    }

    @Test func `Rule 11.7: not when it knows, and not for other places`() {
        var (fixture, editor) = moved("/d/f", "/e/f")
        let knowing = Standpoint(editor, at: path("/e/f"))
        let behind = Standpoint(editor, at: path("/d/f"))
        for (place, standpoint) in [
            ("/d/f", knowing), ("/e/f", knowing), ("/e/f", behind), ("/d/f2", behind),
            ("/d", behind), ("/d/f", Standpoint(PresenterID(rawValue: 9), at: path("/d/f"))),
            // A path at which the presenter has never been.
            ("/h/f", Standpoint(editor, at: path("/h/f"))),
        ] {
            let claim = fixture.file(.read(place), standpoint: standpoint)
            #expect(fixture.last == [.grant(claim)])
        }
        let unrelated = fixture.file(.read("/d/f"))
        #expect(fixture.last == [.grant(unrelated)])
        // If nothing has moved, the packages that the claim names count.
        let part = fixture.present("/p.rtfd/f", [], purpose: "part")
        let claim = fixture.file(
            .read("/p.rtfd/f"), purpose: "part", standpoint: Standpoint(part, at: path("/p.rtfd/f"))
        )
        #expect(fixture.last == [.grant(claim)])
        let other = fixture.file(.write("/p.rtfd/g"))
        #expect(fixture.arbiter.impediments(of: other) == [.claim(claim)])
    }

    @Test func `Rules 5.5, 11.7: a presenter that presents nothing any more leads nowhere`() {
        var (fixture, editor) = moved("/d/f", "/e/f")
        fixture.handle(.presenterRelocated(editor, nil))
        let standpoint = Standpoint(editor, at: path("/d/f"))
        let claim = fixture.file(.read("/d/f"), standpoint: standpoint)
        #expect(fixture.last == [.grant(claim)])
    }

    @Test func `Rules 2.0, 5.5: packages of a place that it has left by its own word do not count`()
    {
        var (fixture, editor) = moved("/f", "/p.rtfd/f")
        fixture.handle(.presenterRelocated(editor, path("/d/f")))
        let claim = fixture.file(
            .write("/f"), purpose: "editor", standpoint: Standpoint(editor, at: path("/f")))
        #expect(fixture.last == [.retarget(claim, .write("/d/f")), .grant(claim)])
        let other = fixture.file(.write("/d/g"))
        #expect(fixture.last == [.grant(other)])
    }

    @Test func `Rules 11.4, 11.7: sent on, and moved once more while it waits`() {
        var (fixture, editor) = moved("/a", "/b")
        let mover = fixture.file(.move("/b"))
        let claim = fixture.file(
            .read("/a"), purpose: "editor", standpoint: Standpoint(editor, at: path("/a")))
        #expect(fixture.last == [.retarget(claim, .read("/b"))])
        fixture.announce(mover, move("/b", to: "/c"))
        #expect(fixture.last.contains(.retarget(claim, .read("/c"))))
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(claim)])
    }
}
