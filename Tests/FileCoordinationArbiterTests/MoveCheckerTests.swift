// SPDX-License-Identifier: Apache-2.0
//
// Moves with wrong effects on purpose: the witness must complain about each.

import FileCoordinationArbiter
import InstantLiterals
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
    private func beginning() -> EventHistory {
        var history = EventHistory()
        history.tell(added(editor, "/d"))
        history.tell(added(own, "/d", purpose: "mover"))
        history.tell(added(above, "/"))
        history.tell(added(inside, "/d/s/f"))
        history.tell(
            filed(mover, .move("/d/"), purpose: "mover"), [.grant(mover)], [mover: .granted])
        history.tell(filed(reader, .read("/d/f")), [], [reader: .waiting])
        history.tell(filed(replacing, .replace("/d/f")), [], [replacing: .waiting])
        return history
    }

    private var announced: Event { .claimAnnounced(mover, .moved([move("/d/", to: "/e/")])) }

    private var proper: [Effect] {
        [
            .relocate(editor, to: path("/e"), isTold: true),
            .relocate(own, to: path("/e"), isTold: false),
            .relocate(inside, to: path("/e/s/f"), isTold: true),
            .notify(above, .subitemDidMove(path("/d"), to: path("/e"))),
            .notify(above, .subitemDidChange(path("/e"))),
            .notify(above, .subitemDidChange(path("/d"))),
            .retarget(reader, .read("/e/f")),
        ]
    }

    private func complaint(_ effects: [Effect], _ stages: [ClaimID: ClaimStage?] = [:]) -> String? {
        var history = beginning()
        history.tell(announced, effects, stages)
        return history.complaint
    }

    @Test func `A proper move passes, and goes on to pass`() {
        #expect(complaint(proper) == nil)
        var history = beginning()
        history.tell(announced, proper)
        history.tell(
            .claimEnded(mover, outcomes: [.unchanged]), [.grant(reader), .grant(replacing)],
            [mover: nil, reader: .granted, replacing: .granted])
        #expect(history.complaint == nil)
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
            (4, .notify(above, .subitemDidChange(path("/e/f")))),
            (6, .retarget(reader, .read("/e/g"))),
            (6, .retarget(reader, .write("/e/f"))),
            (6, .retarget(replacing, .replace("/e/f"))),
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
        #expect(complaint(proper[3...5] + proper[..<3] + [proper[6]]) != nil)
        var history = EventHistory()
        history.tell(added(editor, "/d"))
        history.tell(added(inside, "/d/s/f"))
        history.tell(filed(mover, .move("/d/")), [.grant(mover)], [mover: .granted])
        history.tell(announced, [proper[2], proper[0]])
        #expect(history.complaint?.contains("11.2") == true)
    }

    @Test func `A claim is let in that must wait for the mover's end`() {
        #expect(complaint(proper + [.grant(reader)], [reader: .granted]) != nil)
    }

    @Test func `A claim waits that need not`() {
        var history = beginning()
        history.tell(announced, proper)
        history.tell(
            .claimEnded(mover, outcomes: [.unchanged]), [.grant(reader)],
            [mover: nil, reader: .granted])
        #expect(history.complaint == "claim 3 waits for nothing: a lost wake-up")
    }

    @Test func `Something moves though no running claim has said so`() {
        var history = beginning()
        history.tell(.claimAnnounced(reader, .moved([move("/d/", to: "/e/")])), proper)
        #expect(history.complaint != nil)
        history = beginning()
        history.tell(.clockAdvanced(to: 1), [proper[0]])
        #expect(history.complaint != nil)
    }

    @Test func `A claim in stage 2 runs beside one that held its new place before`() {
        let (first, holder, back) = (
            ClaimID(rawValue: 1), ClaimID(rawValue: 2), ClaimID(rawValue: 3)
        )
        var history = EventHistory()
        history.tell(added(editor, "/a", .save))
        history.tell(
            filed(first, .write("/a", .merging)), [.askToYield(editor, for: first, .saveOnly)],
            [first: .asking])
        history.tell(filed(holder, .write("/b")), [.grant(holder)], [holder: .granted])
        history.tell(filed(back, .move("/a"), purpose: "editor"), [.grant(back)], [back: .granted])
        history.tell(
            .claimAnnounced(back, .moved([move("/a", to: "/b")])),
            [
                .relocate(editor, to: path("/b"), isTold: false),
                .retarget(first, .write("/b", .merging)),
            ])
        history.tell(.claimEnded(back, outcomes: [.unchanged]), [], [back: nil])
        #expect(history.complaint == nil)
        history.tell(
            .presenterAnswered(editor, for: first, failure: nil), [.grant(first)],
            [first: .granted])
        #expect(history.complaint?.contains("while") == true)
    }

    @Test func `A claim is not sent on to where its presenter is, or is for nothing`() {
        for (place, effects) in [
            ("/d/f", [Effect]()), ("/e/f", [.retarget(reader, .read("/x"))]),
        ] {
            var history = EventHistory()
            history.tell(added(editor, "/e/f", formerly: "/d/f"))
            history.tell(
                filed(
                    reader, .read(place), purpose: "editor",
                    standpoint: Standpoint(editor, at: path("/d/f"))),
                effects + [.grant(reader)], [reader: .granted])
            #expect(history.complaint?.contains("retargeted") == true)
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
            var history = beginning()
            history.tell(.claimAnnounced(mover, announcement), effects)
            #expect((history.complaint == nil) == isProper)
        }
    }
}
