// SPDX-License-Identifier: Apache-2.0
//
// Everything that can happen in small worlds in which items move: announcements at every moment or
// never, with claims that wait, ask or run at the old place and at the new one.

import FileCoordinationArbiter
import Testing

@Suite struct ExhaustiveMoveTests {
    /// Tries everything in worlds of a mover and each two of these; returns their number.
    private func expectNoComplaint(
        _ movers: [Program], with things: [Program],
        presenters: [(place: String, purpose: String)] = [], trouble: Trouble = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Int {
        var worlds = 0
        for mover in movers {
            for first in things.indices {
                for second in things.indices where second >= first {
                    let programs = [mover, things[first], things[second]]
                    let result = explore(
                        World(programs, presenters: presenters, trouble: trouble))
                    worlds += result.worlds
                    #expect(
                        result.complaint == nil,
                        "\(programs.map(\.outer)) \(result.history.map { "\($0)" })",
                        sourceLocation: sourceLocation)
                    if result.complaint != nil { return worlds }
                }
            }
        }
        return worlds
    }

    private func mover(
        _ items: [AccessItem], inner: [AccessItem]? = nil, purpose: String? = nil,
        _ moves: [ItemMove]...
    ) -> Program {
        Program(items, inner: inner, purpose: purpose, announcing: moves.map { .moved($0) })
    }

    /// Programs with these claims, and, in the long form, with `more`.
    private func programs(
        _ things: [[AccessItem]], more: [[AccessItem]] = []
    ) -> [Program] {
        (things + (Length.isLong ? more : [])).map { Program($0) }
    }

    private static let fe = move("/d/f", to: "/e/f")
    private static let df = "/d/f"

    /// Movers of one file, of its directory, and over something.
    private var movers: [Program] {
        [
            mover(.move("/d/f"), [Self.fe]),
            mover(.move("/d/"), [move("/d/", to: "/e/")]),
            mover(.move("/d/f") + .replace("/e/f"), [Self.fe]),
        ]
    }

    /// What is done at both places.
    private let things: [[AccessItem]] = [
        .write("/d/f"), .replace("/d/f"), .read("/d/f") + .write("/e/f"),
    ]
    private let others: [[AccessItem]] = [.read("/d/f"), .write("/e/f"), .move("/d/")]

    private var trouble: Trouble { Length.isLong ? [.cancels, .deaths] : .cancels }

    @Test func `Rules 11.4, 11.5: claims that wait, with cancels and deaths`() {
        let worlds = expectNoComplaint(
            movers, with: programs(things, more: others), trouble: trouble)
        #expect(worlds > 200)
    }

    @Test func `Rules 11.4, 11.6: and a presenter, which moves along and answers, fails or goes`() {
        let worlds = expectNoComplaint(
            movers,
            with: programs([.read("/d/f"), .replace("/d/f")], more: things + others),
            presenters: [("/d/f", "editor")], trouble: [.failures, .removals])
        #expect(worlds > 200)
    }

    @Test func `Rules 2.16, 11.6: and a presenter that moves its item while it is asked`() {
        let worlds = expectNoComplaint(
            [
                mover(.move("/d/f"), purpose: "editor", [Self.fe]),
                mover(
                    .move("/d/"), purpose: "editor", [move("/d/", to: "/t/")],
                    [move("/t/", to: "/e/")]),
            ],
            with: programs(
                [.write("/d/f"), .write("/e/f"), .replace("/d/f")], more: things + others),
            presenters: [("/d/f", "editor")], trouble: .cancels)
        #expect(worlds > 200)
    }

    @Test func `Rules 2.16, 11.6: and other presenters where it comes to`() {
        let worlds = expectNoComplaint(
            [mover(.move("/d/f"), purpose: "editor", [Self.fe])],
            with: programs([.read("/d/f"), .write("/e/f"), .read("/e/f") + .write("/d/f")]),
            presenters: [("/d/f", "editor"), ("/e/f", "other")],
            trouble: Length.isLong ? [.cancels, .failures] : [])
        #expect(worlds > 100)
    }

    @Test func `Rule 11.12: two items that change places, at once or by way of a third`() {
        let (ab, ba) = (move("/a", to: "/b"), move("/b", to: "/a"))
        let worlds = expectNoComplaint(
            [
                mover(.move("/a") + .move("/b"), purpose: "editor", [ab, ba]),
                mover(
                    .move("/a") + .move("/b"), purpose: "editor", [move("/a", to: "/t")], [ba],
                    [move("/t", to: "/b")]),
            ],
            with: programs(
                [.read("/a") + .write("/b"), .replace("/t")],
                more: [.read("/a"), .write("/b")]),
            presenters: [("/a", "editor")], trouble: Length.isLong ? .all : .cancels)
        #expect(worlds > 200)
    }

    @Test func `Rule 11.12: two movers, one after the other or of one purpose`() {
        let first = mover(.move("/a"), purpose: "m", [move("/a", to: "/b")])
        let seconds = [
            mover(.move("/b"), purpose: "m", [move("/b", to: "/c")]),
            mover(.move("/b"), [move("/b", to: "/a")]),
        ]
        let worlds = expectNoComplaint(
            [first], with: seconds + programs([.read("/a"), .write("/b"), .replace("/c")]),
            trouble: .cancels)
        #expect(worlds > 200)
    }

    @Test func `Rule 2.0: into a package, out of it, and a directory that becomes one`() {
        let worlds = expectNoComplaint(
            [
                mover(.move("/f"), purpose: "editor", [move("/f", to: "/p.rtfd/f")]),
                mover(.move("/p.rtfd/f"), purpose: "editor", [move("/p.rtfd/f", to: "/f")]),
                mover(.move("/s/"), purpose: "editor", [move("/s/", to: "/p.rtfd/")]),
            ],
            with: programs(
                [.read("/f"), .write("/p.rtfd/g"), .write("/s/g")],
                more: [.read("/p.rtfd/f"), .move("/s/")]),
            presenters: [("/p.rtfd", "editor")], trouble: Length.isLong ? .all : [])
        #expect(worlds > 200)
    }

    @Test func `Rules 2.17, 2.20: and claims inside the mover's accessor, at both places`() {
        let worlds = expectNoComplaint(
            [
                mover(.move("/d/f"), inner: .write("/e/f"), [Self.fe]),
                mover(.move("/d/f"), inner: .read("/d/f") + .read("/e/g"), [Self.fe]),
            ],
            with: programs(
                [.read("/d/f"), .write("/e/f"), .move("/e/")], more: [.write("/e/")]),
            trouble: Length.isLong ? .all : [])
        #expect(worlds > 200)
    }

    @Test func `Rule 2.20: and movers inside accessors of other claims to the item`() {
        var movers = [
            mover(.write("/d/f"), inner: .move("/d/f"), [Self.fe]),
            mover(.read("/d/f"), inner: .move("/d/"), [move("/d/", to: "/e/d/")]),
            mover(.move("/d/f"), inner: .write("/x"), [Self.fe]),
        ]
        for index in movers.indices { movers[index].announcesInside = true }
        let worlds = expectNoComplaint(
            movers,
            with: programs(
                [.read("/d/f"), .write("/e/f"), .write("/e/d/f")], more: [.move("/e/")]),
            trouble: Length.isLong ? .all : [])
        #expect(worlds > 200)
    }

    @Test func `Rules 11.7, 14.3: and batches, and coordinators that know nothing of it yet`() {
        let editor = PresenterID(rawValue: 1)
        let late = Program(
            .write("/d/f"), purpose: "editor", standpoint: Standpoint(editor, at: path("/d/f")))
        let batch = Program(
            .read("/d/"), inner: Length.isLong ? .read("/d/f") : nil, kind: .preparation)
        let worlds = expectNoComplaint(
            Length.isLong ? movers : [movers[0]],
            with: [batch, late] + programs([], more: [.write("/e/f")]),
            presenters: [("/d/f", "editor")], trouble: Length.isLong ? .all : [])
        #expect(worlds > 200)
    }
}
