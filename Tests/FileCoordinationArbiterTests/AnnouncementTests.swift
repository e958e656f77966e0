// SPDX-License-Identifier: Apache-2.0
//
// Versions and ubiquity attributes, made known by an accessor (section 10), and coordinators that
// do not know yet where their presenter is (Rule 11.7).

import FileCoordinationArbiter
import Testing

@Suite struct AnnouncementTests {
    // MARK: Versions

    /// What a presenter hears of news of a version of `/p.rtfd/s/f`.
    private func heard(
        _ news: VersionNews, at place: String, _ methods: PresenterMethods = .didMethods,
        purpose: String? = nil
    ) -> [Notice] {
        var desk = Desk()
        let presenter = desk.present(place, methods, purpose: "editor")
        let writer = desk.file(.write("/p.rtfd/s/f"), purpose: purpose)
        desk.answer(presenter, writer)
        desk.handle(.claimAnnounced(writer, .versionChanged(path("/p.rtfd/s/f"), news)))
        return desk.heard(presenter)
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
            // There is no fallback for packages.
            #expect(heard(news, at: "/p.rtfd", .itemDidChange).isEmpty)
        }
    }

    @Test func `Rule 10.1: where the item is by now, and nothing else happens`() {
        var desk = Desk()
        let editor = desk.present("/a", .didMethods)
        let writer = desk.file(.write("/a"))
        let reader = desk.file(.read("/a"))
        desk.announce(writer, move("/a", to: "/b"))
        let news = VersionNews(.gained, identifier: [1])
        desk.handle(.claimAnnounced(writer, .versionChanged(path("/b"), news)))
        #expect(desk.last == [.notify(editor, .itemVersion(path("/b"), news))])
        desk.handle(.claimAnnounced(reader, .versionChanged(path("/b"), news)))
        #expect(desk.last.isEmpty)
    }

    // MARK: Ubiquity attributes

    private let names: [[UInt8]] = [Array("one".utf8), [0, 255]]

    @Test func `Rules 10.4, 10.6: presenters of the item alone hear of its attributes`() {
        var desk = Desk()
        let editor = desk.present("/d/f", .didMethods)
        for place in ["/d", "/", "/d/f/x", "/d/g"] { _ = desk.present(place, .didMethods) }
        let reader = desk.file(.read("/d/f"))
        desk.handle(.claimAnnounced(reader, .ubiquityAttributesChanged(path("/d/f"), names)))
        #expect(desk.last == [.notify(editor, .ubiquityAttributes(names))])
    }

    @Test func `Rules 10.4, 10.5: not for none, not for the speaker's own, not without the method`()
    {
        var desk = Desk()
        let other = desk.present("/f", .didMethods)
        _ = desk.present("/f", .didMethods, purpose: "w")
        _ = desk.present("/f", .didMethods.subtracting(.itemDidChangeUbiquityAttributes))
        let writer = desk.file(.write("/f"), purpose: "w")
        desk.handle(.claimAnnounced(writer, .ubiquityAttributesChanged(path("/f"), [])))
        #expect(desk.last.isEmpty)
        desk.handle(.claimAnnounced(writer, .ubiquityAttributesChanged(path("/f"), names)))
        #expect(desk.last == [.notify(other, .ubiquityAttributes(names))])
    }

    // MARK: Coordinators that do not know yet

    /// A presenter that was moved from one place to another, and has not been told.
    private func moved(_ old: String, _ new: String) -> (Desk, PresenterID) {
        var desk = Desk()
        let editor = desk.present(old, [], purpose: "editor")
        let mover = desk.file(.move(old))
        desk.announce(mover, move(old, to: new))
        desk.end(mover, .unchanged)
        return (desk, editor)
    }

    @Test func `Rule 11.7: a claim for the old place is sent on to the new one`() {
        var (desk, editor) = moved("/d/f", "/e/f")
        let claim = desk.file(
            .read("/d/f") + .write("/d/g"), purpose: "editor",
            standpoint: Standpoint(editor, at: path("/d/f")))
        #expect(
            desk.last == [.retarget(claim, .read("/e/f") + .write("/d/g")), .grant(claim)])
        let other = desk.file(.write("/e/f"))
        #expect(desk.arbiter.impediments(of: other) == [.claim(claim)])
    }

    @Test func `Rule 11.7: so are those for what is below`() {
        var (desk, editor) = moved("/d/", "/p.rtfd/d/")
        let standpoint = Standpoint(editor, at: path("/d"))
        let claim = desk.file(
            .write("/d/s/f") + .replace("/d/g"), purpose: "editor", standpoint: standpoint)
        let expected = [AccessItem].write("/p.rtfd/d/s/f") + .replace("/p.rtfd/d/g")
        #expect(desk.last == [.retarget(claim, expected), .grant(claim)])
        // Rule 2.0: it is part of the package there.
        let other = desk.file(.read("/p.rtfd/x"))
        #expect(desk.arbiter.impediments(of: other) == [.claim(claim)])
    }

    @Test func `Rule 11.7: not when it knows, and not for other places`() {
        var (desk, editor) = moved("/d/f", "/e/f")
        let knowing = Standpoint(editor, at: path("/e/f"))
        let behind = Standpoint(editor, at: path("/d/f"))
        for (place, standpoint) in [
            ("/d/f", knowing), ("/e/f", knowing), ("/e/f", behind), ("/d/f2", behind),
            ("/d", behind), ("/d/f", Standpoint(PresenterID(rawValue: 9), at: path("/d/f"))),
            // Where it has never been.
            ("/h/f", Standpoint(editor, at: path("/h/f"))),
        ] {
            let claim = desk.file(.read(place), standpoint: standpoint)
            #expect(desk.last == [.grant(claim)])
        }
        let anybody = desk.file(.read("/d/f"))
        #expect(desk.last == [.grant(anybody)])
        // Where nothing has moved, what the claim says of packages is what counts.
        let part = desk.present("/p.rtfd/f", [], purpose: "part")
        let claim = desk.file(
            .read("/p.rtfd/f"), purpose: "part", standpoint: Standpoint(part, at: path("/p.rtfd/f"))
        )
        #expect(desk.last == [.grant(claim)])
        let other = desk.file(.write("/p.rtfd/g"))
        #expect(desk.arbiter.impediments(of: other) == [.claim(claim)])
    }

    @Test func `Rules 5.5, 11.7: a presenter that presents nothing any more leads nowhere`() {
        var (desk, editor) = moved("/d/f", "/e/f")
        desk.handle(.presenterPlaced(editor, nil))
        let standpoint = Standpoint(editor, at: path("/d/f"))
        let claim = desk.file(.read("/d/f"), standpoint: standpoint)
        #expect(desk.last == [.grant(claim)])
    }

    @Test func `Rules 2.0, 5.5: packages of a place that it has left by its own word do not count`()
    {
        var (desk, editor) = moved("/f", "/p.rtfd/f")
        desk.handle(.presenterPlaced(editor, path("/d/f")))
        let claim = desk.file(
            .write("/f"), purpose: "editor", standpoint: Standpoint(editor, at: path("/f")))
        #expect(desk.last == [.retarget(claim, .write("/d/f")), .grant(claim)])
        let other = desk.file(.write("/d/g"))
        #expect(desk.last == [.grant(other)])
    }

    @Test func `Rules 11.4, 11.7: sent on, and moved once more while it waits`() {
        var (desk, editor) = moved("/a", "/b")
        let mover = desk.file(.move("/b"))
        let claim = desk.file(
            .read("/a"), purpose: "editor", standpoint: Standpoint(editor, at: path("/a")))
        #expect(desk.last == [.retarget(claim, .read("/b"))])
        desk.announce(mover, move("/b", to: "/c"))
        #expect(desk.last.contains(.retarget(claim, .read("/c"))))
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(claim)])
    }
}
