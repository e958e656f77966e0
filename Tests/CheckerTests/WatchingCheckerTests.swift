// SPDX-License-Identifier: Apache-2.0
//
// The checker of watching finds what is planted (Rules 7.9, 7.14, 11.9), and nothing in histories
// that keep the promises.

import CoordinationCheckers
import Testing

@Suite struct WatchingCheckerTests {
    let folder = PresenterKey(1)
    let file = PresenterKey(2)
    let own = PresenterKey(3)
    let access = ClaimKey(9)

    /// `/d` with the files `/d/f` and `/d/g` and the directory `/d/e`, and presenters of `/d`, of
    /// `/d/f` and, with a purpose, of `/d`; all is quiet.
    var beginning: [WatchingFact] {
        [
            .created("/d", item: 1, isDirectory: true, by: nil),
            .created("/d/f", item: 2, isDirectory: false, by: nil),
            .created("/d/g", item: 3, isDirectory: false, by: nil),
            .created("/d/e", item: 4, isDirectory: true, by: nil),
            .created("/d/e/x", item: 5, isDirectory: false, by: nil),
            .created("/o", item: 6, isDirectory: true, by: nil),
            .presented(WatchingPresenter(folder, at: "/d", .directory)),
            .presented(WatchingPresenter(file, at: "/d/f", .file)),
            .presented(WatchingPresenter(own, at: "/d", .directory, purpose: "own")),
            .listening(folder), .listening(file), .listening(own), .quiet,
        ]
    }

    /// What the checker finds in the facts after the beginning; they are a millisecond apart.
    func findings(_ facts: [WatchingFact]) -> [WatchingViolation.Kind] {
        var checker = WatchingChecker()
        for (index, fact) in (beginning + facts).enumerated() {
            checker.take(fact, at: UInt64(index) * 1_000_000)
        }
        var kinds: [WatchingViolation.Kind] = []
        for violation in checker.violations where !kinds.contains(violation.kind) {
            kinds.append(violation.kind)
        }
        return kinds
    }

    /// All three presenters are told something, as far as it concerns them.
    func told(_ message: WatchingMessage) -> [WatchingFact] {
        var result: [WatchingFact] = [.told(folder, message), .told(own, message)]
        switch message {
        case .look("/d/f"), .moved("/d/f", _): result.append(.told(file, message))
        case .look, .lookInside, .lookAtAll, .moved: break
        }
        return result
    }

    // MARK: Never missing

    @Test func `A change that is told is no violation`() {
        #expect(findings([.changed("/d/f", by: nil)] + told(.look("/d/f")) + [.quiet]) == [])
    }

    @Test func `A change that no presenter is told of is found`() {
        #expect(findings([.changed("/d/g", by: nil), .quiet]) == [.missing])
    }

    @Test func `A change that one presenter of two is not told of is found`() {
        let facts: [WatchingFact] = [
            .changed("/d/f", by: nil), .told(folder, .look("/d/f")), .told(own, .look("/d/f")),
            .quiet,
        ]
        #expect(findings(facts) == [.missing])
    }

    @Test func `A message before the last change is not enough`() {
        let facts =
            [.changed("/d/g", by: nil)] + told(.look("/d/g")) + [.changed("/d/g", by: nil), .quiet]
        #expect(findings(facts) == [.missing])
    }

    @Test func `An item that goes while its presenter looks and comes back must be told`() {
        let facts =
            [.changed("/d/g", by: nil), .moved("/d/g", to: "/o/g", isPaired: false, by: nil)]
            + told(.look("/d/g")) + [.moved("/o/g", to: "/d/g", isPaired: false, by: nil), .quiet]
        #expect(findings(facts) == [.missing])
    }

    @Test func `A file made in a new directory after its presenter has read that must be told`() {
        let made: [WatchingFact] = [.created("/d/n", item: 7, isDirectory: true, by: nil)]
        let inside: [WatchingFact] = [.created("/d/n/x", item: 8, isDirectory: false, by: nil)]
        #expect(findings(made + inside + told(.look("/d/n")) + [.quiet]) == [])
        #expect(findings(made + told(.look("/d/n")) + inside + [.quiet]) == [.missing])
    }

    @Test func `What came and went and was never named need not be told`() {
        let facts: [WatchingFact] = [
            .created("/d/t", item: 7, isDirectory: false, by: nil), .removed("/d/t", by: nil),
            .quiet,
        ]
        #expect(findings(facts) == [])
    }

    @Test func `What was named and is gone must be told`() {
        let facts =
            [.created("/d/t", item: 7, isDirectory: false, by: nil)] + told(.look("/d/t"))
            + [.removed("/d/t", by: nil), .quiet]
        #expect(findings(facts) == [.missing])
    }

    @Test func `After an overflow a message about everything is enough and a loss is found`() {
        let lost: [WatchingFact] = [.changed("/d/g", by: nil), .notificationsLost]
        #expect(findings(lost + told(.lookAtAll("/d")) + [.quiet]) == [])
        #expect(findings(lost + [.quiet]) == [.missing])
    }

    // MARK: At most twice as many messages

    @Test func `A change may be told twice, and not three times`() {
        let facts = [.changed("/d/g", by: nil)] + told(.look("/d/g")) + told(.look("/d/g"))
        #expect(findings(facts + [.quiet]) == [])
        #expect(findings(facts + told(.look("/d/g")) + [.quiet]) == [.tooMany])
    }

    @Test func `A message about nothing is found`() {
        #expect(findings([.told(folder, .look("/d/g")), .quiet]) == [.tooMany])
    }

    @Test func `A message about a change inside and about its package count as one`() {
        let package = PresenterKey(4)
        let facts: [WatchingFact] = [
            .presented(WatchingPresenter(package, at: "/d/e", .package)), .listening(package),
            .quiet, .changed("/d/e/x", by: nil),
        ]
        let rest = [WatchingFact.told(package, .look("/d/e/x")), .told(package, .look("/d/e"))]
        #expect(findings(facts + rest + rest + told(.look("/d/e/x")) + [.quiet]) == [])
    }

    // MARK: Everything

    @Test func `A message about everything without a loss is found`() {
        let facts = [.changed("/d/g", by: nil)] + told(.lookAtAll("/d"))
        #expect(findings(facts + [.quiet]) == [.whole])
    }

    @Test func `A message about everything is right where the directory itself was replaced`() {
        let facts: [WatchingFact] = [
            .moved("/d", to: "/o/d", isPaired: false, by: nil),
            .created("/d", item: 7, isDirectory: true, by: nil),
        ]
        let gone: [WatchingFact] = [.told(file, .look("/d/f"))]
        #expect(findings(facts + told(.lookAtAll("/d")) + gone + [.quiet]) == [])
    }

    // MARK: Moves

    @Test func `A move that was paired must be told as a move`() {
        let facts: [WatchingFact] = [.moved("/d/g", to: "/d/e/g", isPaired: true, by: nil)]
        let asTwo = told(.look("/d/g")) + told(.look("/d/e/g"))
        #expect(findings(facts + told(.moved("/d/g", to: "/d/e/g")) + [.quiet]) == [])
        #expect(findings(facts + asTwo + [.quiet]) == [.notAMove])
    }

    @Test func `A move that was not paired may be told as a removal and an arrival`() {
        let facts: [WatchingFact] = [.moved("/d/g", to: "/d/e/g", isPaired: false, by: nil)]
        #expect(findings(facts + told(.look("/d/g")) + told(.look("/d/e/g")) + [.quiet]) == [])
    }

    @Test func `Two moves may be told as one, also if a directory has moved in between`() {
        let facts: [WatchingFact] = [
            .moved("/d/e/x", to: "/d/e/y", isPaired: true, by: nil),
            .moved("/d/e", to: "/d/h", isPaired: true, by: nil),
        ]
        let directory = told(.moved("/d/e", to: "/d/h"))
        #expect(findings(facts + directory + told(.moved("/d/h/x", to: "/d/h/y")) + [.quiet]) == [])
        #expect(findings(facts + directory + [.quiet]) == [.notAMove])
    }

    @Test func `Two names that were exchanged are two moves`() {
        let facts: [WatchingFact] = [.exchanged("/d/g", with: "/d/e/x", isPaired: true, by: nil)]
        let first = told(.moved("/d/g", to: "/d/e/x"))
        #expect(findings(facts + first + told(.moved("/d/e/x", to: "/d/g")) + [.quiet]) == [])
        #expect(findings(facts + first + told(.look("/d/g")) + [.quiet]) == [.notAMove])
    }

    // MARK: Following

    @Test func `A presented item must be followed to its place, and to no other`() {
        let facts: [WatchingFact] = [.moved("/d/f", to: "/d/h", isPaired: true, by: nil)]
        let folders: [WatchingFact] = [
            .told(folder, .moved("/d/f", to: "/d/h")), .told(own, .moved("/d/f", to: "/d/h")),
        ]
        func end(_ message: WatchingMessage) -> [WatchingViolation.Kind] {
            findings(facts + folders + [.told(file, message), .quiet])
        }
        #expect(end(.moved("/d/f", to: "/d/h")) == [])
        #expect(end(.look("/d/f")) == [.wrongPlace])
        #expect(end(.moved("/d/f", to: "/d/e/h")) == [.wrongPlace])
    }

    @Test func `A presented item is followed with a directory above it`() {
        let facts: [WatchingFact] = [.moved("/d", to: "/c", isPaired: true, by: nil)]
        let folders: [WatchingFact] = [
            .told(folder, .moved("/d", to: "/c")), .told(own, .moved("/d", to: "/c")),
        ]
        let followed = WatchingFact.told(file, .moved("/d/f", to: "/c/f"))
        #expect(findings(facts + folders + [followed, .quiet]) == [])
        let stays = WatchingFact.told(file, .look("/d/f"))
        #expect(findings(facts + folders + [stays, .quiet]) == [.wrongPlace])
    }

    @Test func `A presenter stays where another item has taken its place`() {
        let facts: [WatchingFact] = [
            .moved("/d/f", to: "/d/f~", isPaired: true, by: nil),
            .created("/d/f", item: 7, isDirectory: false, by: nil), .told(file, .look("/d/f")),
            .told(folder, .moved("/d/f", to: "/d/f~")), .told(folder, .look("/d/f")),
            .told(own, .moved("/d/f", to: "/d/f~")), .told(own, .look("/d/f")), .quiet,
        ]
        #expect(findings(facts) == [])
    }

    @Test func `A presenter may go back to a former place, where another item has come`() {
        let left: [WatchingFact] =
            [.moved("/d/f", to: "/d/h", isPaired: true, by: nil)]
            + told(.moved("/d/f", to: "/d/h")) + [.quiet]
        let gone: [WatchingFact] =
            [.removed("/d/h", by: nil), .created("/d/f", item: 7, isDirectory: false, by: nil)]
            + [.told(folder, .look("/d/h")), .told(own, .look("/d/h"))]
            + [.told(folder, .look("/d/f")), .told(own, .look("/d/f"))]
        let back: [WatchingFact] = [.told(file, .moved("/d/h", to: "/d/f")), .quiet]
        #expect(findings(left + gone + back) == [])
        let elsewhere: [WatchingFact] = [.told(file, .moved("/d/h", to: "/d/g")), .quiet]
        #expect(findings(left + gone + elsewhere) == [.wrongPlace])
    }

    @Test func `A move into a directory that has left what is watched need not be followed`() {
        let facts: [WatchingFact] = [
            .moved("/d/e", to: "/o/e", isPaired: false, by: nil),
            .moved("/d/f", to: "/o/e/f", isPaired: true, by: nil), .told(file, .look("/d/f")),
        ]
        let folders = [WatchingMessage.look("/d/e"), .look("/d/f")].flatMap { message in
            [WatchingFact.told(folder, message), .told(own, message)]
        }
        #expect(findings(facts + folders + [.quiet]) == [])
    }

    @Test func `A presenter goes along with what a claim has moved, also if its item is gone`() {
        let gone: [WatchingFact] = [.removed("/d/f", by: nil)] + told(.look("/d/f")) + [.quiet]
        let moved: [WatchingFact] = [
            .claimBegan(access, purpose: "other", places: ["/d", "/c"]),
            .moved("/d", to: "/c", isPaired: true, by: access), .claimEnded(access),
            .told(folder, .moved("/d", to: "/c")), .told(own, .moved("/d", to: "/c")),
            .told(file, .moved("/d/f", to: "/c/f")), .quiet,
        ]
        #expect(findings(gone + moved) == [])
        let plain: [WatchingFact] = [
            .moved("/d", to: "/c", isPaired: true, by: nil),
            .told(folder, .moved("/d", to: "/c")), .told(own, .moved("/d", to: "/c")),
            .told(file, .moved("/d/f", to: "/c/f")), .quiet,
        ]
        #expect(findings(gone + plain) == [.wrongPlace])
    }

    @Test func `A change by another name of a file may be told, and need not be`() {
        let linked: [WatchingFact] =
            [.linked("/d/g", as: "/o/g", by: nil)] + [.quiet, .changed("/o/g", by: nil)]
        #expect(findings(linked + [.quiet]) == [])
        #expect(findings(linked + told(.look("/d/g")) + [.quiet]) == [])
        // The times that the other name's removal has left may be seen much later.
        let removed = linked + told(.look("/d/g")) + [.removed("/o/g", by: nil), .quiet]
        #expect(findings(removed + told(.look("/d/g")) + [.quiet]) == [])
    }

    // MARK: The own side

    /// An own save of a file, aside and over it.
    private func save(_ number: UInt64, echo: Bool) -> [WatchingFact] {
        let claim = ClaimKey(number)
        let saved: [WatchingFact] = [
            .claimBegan(claim, purpose: "own", places: ["/d/f"]),
            .created("/d/t", item: 100 + number, isDirectory: false, by: claim),
            .moved("/d/t", to: "/d/f", isPaired: true, by: claim), .claimEnded(claim),
            .told(folder, .look("/d/f")), .told(file, .look("/d/f")),
        ]
        return saved + (echo ? [.told(own, .look("/d/f"))] : []) + [.quiet]
    }

    private func tally(_ facts: [WatchingFact]) -> (WatchingTally, [WatchingViolation]) {
        var checker = WatchingChecker()
        for (index, fact) in (beginning + facts).enumerated() {
            checker.take(fact, at: UInt64(index) * 1_000_000)
        }
        return (checker.tally, checker.violations)
    }

    @Test func `One echo in a hundred own saves is allowed, and two are found`() {
        let saves = (1...100).map { UInt64($0) }
        let (one, first) = tally(saves.flatMap { save($0, echo: $0 == 50) })
        let (two, second) = tally(saves.flatMap { save($0, echo: $0.isMultiple(of: 50)) })
        #expect(first == [] && second == [])
        #expect(one.ownSaves == 100 && one.echoes == 1 && one.violation == nil)
        #expect(two.echoes == 2 && two.violation?.kind == .echo)
    }

    @Test func `A message after another program's change is no echo`() {
        let facts = save(1, echo: false) + [.changed("/d/f", by: nil)] + told(.look("/d/f"))
        #expect(tally(facts + [.quiet]).0.echoes == 0)
    }

    @Test func `A temporary of a short claim must not be told, during the claim or after it`() {
        let begun: [WatchingFact] = [
            .claimBegan(access, purpose: "other", places: ["/d/f"]),
            .created("/d/t", item: 7, isDirectory: false, by: access),
        ]
        let done: [WatchingFact] = [
            .moved("/d/t", to: "/d/f", isPaired: true, by: access), .claimEnded(access),
        ]
        let after = told(.look("/d/f"))
        let temporary: [WatchingFact] = [.told(folder, .look("/d/t"))]
        #expect(findings(begun + done + after + [.quiet]) == [])
        #expect(findings(begun + temporary + done + after + [.quiet]).contains(.temporary))
        #expect(findings(begun + done + temporary + after + [.quiet]).contains(.temporary))
        let asMove = told(.moved("/d/t", to: "/d/f"))
        #expect(findings(begun + done + asMove + [.quiet]).contains(.temporary))
    }

    @Test func `A temporary may be told to those who were told to look inside meanwhile`() {
        let begun: [WatchingFact] = [
            .claimBegan(access, purpose: "other", places: ["/d/e/f"]),
            .created("/d/e/t", item: 7, isDirectory: false, by: access),
        ]
        let done: [WatchingFact] = [
            .removed("/d/e/t", by: access), .claimEnded(access), .told(folder, .look("/d/e/t")),
            .quiet,
        ]
        #expect(findings(begun + done).contains(.temporary))
        let looked: [WatchingFact] = [.told(folder, .lookInside("/d/e"))]
        #expect(!findings(begun + looked + done).contains(.temporary))
    }

    @Test func `What a plain program had made is no temporary of a claim`() {
        let facts: [WatchingFact] = [
            .created("/d/t", item: 7, isDirectory: false, by: nil), .told(folder, .look("/d/t")),
            .removed("/d/t", by: nil), .claimBegan(access, purpose: "other", places: ["/d/f"]),
            .created("/d/t", item: 8, isDirectory: false, by: access),
            .removed("/d/t", by: access), .claimEnded(access), .told(folder, .look("/d/t")), .quiet,
        ]
        #expect(findings(facts) == [])
    }

    // MARK: Excuses

    @Test func `What came and went beside a claim need not be told, and elsewhere it must`() {
        func facts(claim place: String) -> [WatchingFact] {
            [
                .claimBegan(access, purpose: "other", places: [place]), .claimEnded(access),
                .created("/d/e/y", item: 7, isDirectory: false, by: nil),
                .told(folder, .lookInside("/d/e")), .told(own, .lookInside("/d/e")),
                .removed("/d/e/y", by: nil), .quiet,
            ]
        }
        #expect(findings(facts(claim: "/d/e/x")) == [])
        #expect(findings(facts(claim: "/o/z")) == [.missing])
    }

    @Test func `What a new presenter alone has seen beside a claim need not be told as gone`() {
        func facts(claim place: String) -> [WatchingFact] {
            let new = PresenterKey(4)
            return [
                .created("/d/e/y", item: 7, isDirectory: false, by: nil),
                .presented(WatchingPresenter(new, at: "/d", .directory)), .listening(new),
                .claimBegan(access, purpose: "other", places: [place]), .claimEnded(access),
                .removed("/d/e/y", by: nil), .quiet,
            ]
        }
        #expect(findings(facts(claim: "/d/e/x")) == [])
        #expect(findings(facts(claim: "/o/z")) == [.missing])
    }

    @Test func `What comes back after an own claim of its directory has not been missed`() {
        func facts(_ end: WatchingFact) -> [WatchingFact] {
            [
                .moved("/d/e/x", to: "/o/x", isPaired: false, by: nil),
                .told(folder, .look("/d/e/x")),
                .claimBegan(access, purpose: "own", places: ["/d/e"]), .claimEnded(access), end,
                .told(folder, .look("/d/e/x")), .quiet,
            ]
        }
        #expect(findings(facts(.moved("/o/x", to: "/d/e/x", isPaired: false, by: nil))) == [])
        let other = WatchingFact.created("/d/e/x", item: 7, isDirectory: false, by: nil)
        #expect(findings(facts(other)) == [.missing])
    }

    @Test func `What goes just before an own claim of the directory may count as the claim's`() {
        func facts(of purpose: String) -> [WatchingFact] {
            [
                .removed("/d/e/x", by: nil), .told(folder, .look("/d/e/x")),
                .claimBegan(access, purpose: purpose, places: ["/d/e"]), .claimEnded(access),
                .quiet,
            ]
        }
        #expect(findings(facts(of: "own")) == [])
        #expect(findings(facts(of: "other")) == [.missing])
    }

    @Test func `Presenters that have just begun may be told too much, and not too little`() {
        let new = PresenterKey(4)
        let begun: [WatchingFact] = [
            .presented(WatchingPresenter(new, at: "/d", .directory)), .listening(new),
        ]
        #expect(findings(begun + [.told(new, .look("/d/g")), .quiet]) == [])
        #expect(findings(begun + [.quiet, .told(new, .look("/d/g")), .quiet]) == [.tooMany])
        let changed: [WatchingFact] = [.removed("/d/g", by: nil)] + told(.look("/d/g"))
        #expect(findings(begun + changed + [.quiet]) == [.missing])
    }

    @Test func `A presenter that was removed is told nothing`() {
        let facts: [WatchingFact] = [.unpresented(own), .changed("/d/g", by: nil)]
        let rest: [WatchingFact] = [.told(folder, .look("/d/g")), .quiet]
        #expect(findings(facts + rest) == [])
        #expect(findings(facts + [.told(own, .look("/d/g"))] + rest) == [.missing])
    }

    @Test func `An overflow excuses echoes and many messages until the next quiet moment only`() {
        let many = told(.lookAtAll("/d")) + told(.look("/d/g")) + told(.look("/d/g"))
        #expect(findings([.notificationsLost] + many + [.quiet]) == [])
        #expect(findings([.notificationsLost, .quiet] + many + [.quiet]) != [])
    }

    @Test func `What is inside an item that is told as gone is gone, and what stays is not`() {
        let gone: [WatchingFact] = [.removed("/d/e/x", by: nil), .removed("/d/e", by: nil)]
        #expect(findings(gone + told(.look("/d/e")) + [.quiet]) == [])
        #expect(findings(gone + told(.look("/d/g")) + [.quiet]) == [.missing])
    }

    @Test func `A temporary of a long claim may be told`() {
        var checker = WatchingChecker()
        var time: UInt64 = 0
        for fact in beginning {
            checker.take(fact, at: time)
            time += 1_000_000
        }
        checker.take(.claimBegan(access, purpose: "other", places: ["/d/f"]), at: time)
        checker.take(.created("/d/t", item: 7, isDirectory: false, by: access), at: time)
        for fact in told(.look("/d/t")) { checker.take(fact, at: time + 1_100_000_000) }
        time += 2_000_000_000
        checker.take(.removed("/d/t", by: access), at: time)
        checker.take(.claimEnded(access), at: time)
        for fact in told(.look("/d/t")) { checker.take(fact, at: time) }
        checker.take(.quiet, at: time)
        #expect(checker.violations == [])
    }

    @Test func `A fact says in one line what happened`() {
        #expect(
            "\(WatchingFact.moved("/a", to: "/b", isPaired: false, by: access))"
                == "moved /a to /b, not paired by claim 9")
        #expect("\(WatchingFact.told(folder, .look("/a")))" == "presenter 1 told: look at /a")
    }
}
