// SPDX-License-Identifier: Apache-2.0
//
// Moves that are told wrongly on purpose: the witness must complain about each.

import FileCoordinationArbiter
import Testing

@Suite struct MoveCheckerTests {
    private let mover = ClaimID(rawValue: 1)
    private let reader = ClaimID(rawValue: 2)
    private let replacing = ClaimID(rawValue: 3)
    private let editor = PresenterID(rawValue: 1)
    private let own = PresenterID(rawValue: 2)
    private let above = PresenterID(rawValue: 3)
    private let inside = PresenterID(rawValue: 4)

    private func filed(
        _ id: ClaimID, _ items: [AccessItem], purpose: String? = nil,
        standpoint: Standpoint? = nil
    ) -> Event {
        .claimFiled(
            FiledClaim(
                id: id, client: ClientID(rawValue: UInt32(id.rawValue)),
                purpose: Purpose(purpose ?? "\(id)"), items: items, standpoint: standpoint))
    }

    private func added(
        _ id: PresenterID, _ place: String, _ methods: PresenterMethods = .didMethods,
        purpose: String = "editor", formerly: String? = nil
    ) -> Event {
        .presenterAdded(
            RegisteredPresenter(
                id: id, client: ClientID(rawValue: 9), purpose: Purpose(purpose),
                path: path(place), formerPlaces: formerly.map { [path($0)] } ?? [],
                methods: methods))
    }

    /// A mover, two that wait, and four presenters, up to the announcement.
    private func beginning() -> Tale {
        var tale = Tale()
        tale.tell(added(editor, "/d"))
        tale.tell(added(own, "/d", purpose: "mover"))
        tale.tell(added(above, "/"))
        tale.tell(added(inside, "/d/s/f"))
        tale.tell(
            filed(mover, .move("/d/"), purpose: "mover"), [.grant(mover)], [mover: .granted])
        tale.tell(filed(reader, .read("/d/f")), [], [reader: .waiting])
        tale.tell(filed(replacing, .replace("/d/f")), [], [replacing: .waiting])
        return tale
    }

    private var announced: Event { .claimAnnounced(mover, .moved([move("/d/", to: "/e/")])) }

    private var proper: [Effect] {
        [
            .relocate(editor, to: path("/e"), isTold: true),
            .relocate(own, to: path("/e"), isTold: false),
            .relocate(inside, to: path("/e/s/f"), isTold: true),
            .notify(above, .subitemDidMove(path("/d"), to: path("/e"))),
            .retarget(reader, .read("/e/f")),
        ]
    }

    private func complaint(_ effects: [Effect], _ stages: [ClaimID: ClaimStage?] = [:]) -> String? {
        var tale = beginning()
        tale.tell(announced, effects, stages)
        return tale.complaint
    }

    @Test func `A proper move passes, and goes on to pass`() {
        #expect(complaint(proper) == nil)
        var tale = beginning()
        tale.tell(announced, proper)
        tale.tell(
            .claimEnded(mover, outcomes: [.unchanged]), [.grant(reader), .grant(replacing)],
            [mover: nil, reader: .granted, replacing: .granted])
        #expect(tale.complaint == nil)
    }

    @Test func `Something is missing, or comes twice`() {
        for index in proper.indices {
            var missing = proper
            missing.remove(at: index)
            #expect(complaint(missing) != nil)
            #expect(complaint(proper + [proper[index]]) != nil)
        }
    }

    @Test func `Something is not as it should be`() {
        let wrong: [(Int, Effect)] = [
            (0, .relocate(editor, to: path("/e/d"), isTold: true)),
            (0, .relocate(editor, to: path("/e"), isTold: false)),
            (1, .relocate(own, to: path("/e"), isTold: true)),
            (2, .relocate(inside, to: path("/e/f"), isTold: true)),
            (3, .notify(above, .subitemDidMove(path("/e"), to: path("/d")))),
            (3, .notify(above, .subitemDidAppear(path("/e")))),
            (3, .notify(editor, .subitemDidMove(path("/d"), to: path("/e")))),
            (4, .retarget(reader, .read("/e/g"))),
            (4, .retarget(reader, .write("/e/f"))),
            (4, .retarget(replacing, .replace("/e/f"))),
        ]
        for (index, effect) in wrong {
            var effects = proper
            effects[index] = effect
            #expect(complaint(effects) != nil, "\(effect)")
        }
    }

    @Test func `Something comes in addition`() {
        let wrong: [Effect] = [
            .retarget(replacing, .replace("/e/f")), .retarget(mover, .move("/e/")),
            .notify(own, .itemDidChange), .notify(inside, .itemDidChange),
            .relocate(above, to: path("/"), isTold: false),
        ]
        for effect in wrong { #expect(complaint(proper + [effect]) != nil, "\(effect)") }
    }

    @Test func `The order is wrong`() {
        #expect(complaint([proper[3]] + proper[..<3] + [proper[4]]) != nil)
        var tale = Tale()
        tale.tell(added(editor, "/d"))
        tale.tell(added(inside, "/d/s/f"))
        tale.tell(filed(mover, .move("/d/")), [.grant(mover)], [mover: .granted])
        tale.tell(announced, [proper[2], proper[0]])
        #expect(tale.complaint?.contains("11.2") == true)
    }

    @Test func `A claim is let in that must wait for the mover's end`() {
        #expect(complaint(proper + [.grant(reader)], [reader: .granted]) != nil)
    }

    @Test func `A claim waits that need not`() {
        var tale = beginning()
        tale.tell(announced, proper)
        tale.tell(
            .claimEnded(mover, outcomes: [.unchanged]), [.grant(reader)],
            [mover: nil, reader: .granted])
        #expect(tale.complaint == "claim 3 waits for nothing: a lost wake-up")
    }

    @Test func `Something moves though no running claim has said so`() {
        var tale = beginning()
        tale.tell(.claimAnnounced(reader, .moved([move("/d/", to: "/e/")])), proper)
        #expect(tale.complaint != nil)
        tale = beginning()
        tale.tell(.clockAdvanced(to: 1), [proper[0]])
        #expect(tale.complaint != nil)
    }

    @Test func `A claim in stage 2 runs beside one that held its new place before`() {
        let (first, holder, back) = (
            ClaimID(rawValue: 1), ClaimID(rawValue: 2), ClaimID(rawValue: 3)
        )
        var tale = Tale()
        tale.tell(added(editor, "/a", .save))
        tale.tell(
            filed(first, .write("/a", .merging)), [.askToYield(editor, for: first, .saveOnly)],
            [first: .asking])
        tale.tell(filed(holder, .write("/b")), [.grant(holder)], [holder: .granted])
        tale.tell(filed(back, .move("/a"), purpose: "editor"), [.grant(back)], [back: .granted])
        tale.tell(
            .claimAnnounced(back, .moved([move("/a", to: "/b")])),
            [
                .relocate(editor, to: path("/b"), isTold: false),
                .retarget(first, .write("/b", .merging)),
            ])
        tale.tell(.claimEnded(back, outcomes: [.unchanged]), [], [back: nil])
        #expect(tale.complaint == nil)
        tale.tell(
            .presenterAnswered(editor, for: first, failure: nil), [.grant(first)],
            [first: .granted])
        #expect(tale.complaint?.contains("while") == true)
    }

    @Test func `A claim is not sent on to where its presenter is, or is for nothing`() {
        for (place, effects) in [
            ("/d/f", [Effect]()), ("/e/f", [.retarget(reader, .read("/x"))]),
        ] {
            var tale = Tale()
            tale.tell(added(editor, "/e/f", formerly: "/d/f"))
            tale.tell(
                filed(
                    reader, .read(place), purpose: "editor",
                    standpoint: Standpoint(editor, at: path("/d/f"))),
                effects + [.grant(reader)], [reader: .granted])
            #expect(tale.complaint?.contains("retargeted") == true)
        }
    }

    @Test func `News of versions and attributes go to too few, or to too many`() {
        let item = path("/d/s/f")
        let news = VersionNews(.gained, identifier: [1])
        let all: [Effect] = [editor, own, above].map { .notify($0, .subitemVersion(item, news)) }
        let version = Announcement.versionChanged(item, news)
        let names: [[UInt8]] = [[1]]
        let attributes = Announcement.ubiquityAttributesChanged(item, names)
        let histories: [(Announcement, [Effect], isProper: Bool)] = [
            (version, [.notify(inside, .itemVersion(item, news))] + all, true),
            (version, all, false),
            (version, [.notify(inside, .itemVersion(item, news))] + all.dropFirst(), false),
            (attributes, [.notify(inside, .ubiquityAttributes(names))], true),
            (attributes, [], false),
            (attributes, [.notify(above, .ubiquityAttributes(names))], false),
        ]
        for (announcement, effects, isProper) in histories {
            var tale = beginning()
            tale.tell(.claimAnnounced(mover, announcement), effects)
            #expect((tale.complaint == nil) == isProper)
        }
    }
}
