// SPDX-License-Identifier: Apache-2.0
//
// Each checker finds the violations of its rule, and no others (Rules 2.1 to 2.17).

import CoordinationCheckers
import Testing

@Suite struct ExclusionAndOrderTests {
    @Test func `Rule 2.3: two writers that run at the same time are found`() {
        let overlap = firstWriter + "12 granted claim=2\n13 ended claim=1\n14 ended claim=2\n"
        #expect(findings(overlap)?.contains(.exclusion) == true)
        let turns = firstWriter + "12 ended claim=1\n12 granted claim=2\n14 ended claim=2\n"
        #expect(findings(turns) == [])
    }

    @Test func `Intervals count only where both certainly ran`() {
        let uncertain = """
            10 filed claim=1 client=1 purpose=a item=write,/f
            11 granted claim=1
            5-20 filed claim=2 client=2 purpose=b item=write,/f
            15-30 ended claim=1
            20-25 granted claim=2
            40 ended claim=2
            """
        #expect(findings(uncertain) == [])
        let certain = uncertain.replacing("15-30 ended", with: "31-35 ended")
        #expect(findings(certain)?.contains(.exclusion) == true)
    }

    @Test func `The death of a process ends what runs in it, and not before it can have happened`()
    {
        let dead = firstWriter + "12-14 died client=1\n"
        #expect(findings(dead + "15 granted claim=2\n16 ended claim=2\n") == [])
        #expect(
            findings(dead + "11 granted claim=2\n16 ended claim=2\n")?.contains(.exclusion) == true)
    }

    @Test(arguments: [
        ("read,/p.k/a,/p.k", "write,/p.k/b,/p.k", true), ("read,/f", "read,/f", false),
        ("write.deleting,/d", "read,/d/s/f", true), ("write,/d", "write,/d/f", false),
        ("read,/d", "write.deleting,/d/f", false), ("write.moving,/d", "write,/de", false),
        ("write.metadata,/f", "read,/f", true), ("write.replacing,/", "read,/f", true),
    ])
    func `Rules 2.1 to 2.9: which accesses exclude each other`(
        one: String, other: String, excludes: Bool
    ) {
        let text = """
            10 filed claim=1 client=1 purpose=a order=1 item=\(one)
            10 granted claim=1
            11 filed claim=2 client=2 purpose=b order=2 item=\(other)
            11 granted claim=2
            13 ended claim=1
            14 ended claim=2
            """
        #expect(findings(text)?.contains(.exclusion) == excludes)
        #expect(findings(text.replacing("purpose=b", with: "purpose=a")) == [])
        #expect(findings(text.replacing("order=2", with: "order=2 batch")) == [])
    }

    @Test func `Rule 2.20: what a mover has moved it holds where it is now`() {
        let moved = """
            10 filed claim=1 client=1 purpose=a order=1 item=write.moving,/f
            10 granted claim=1
            12 moved claim=1 move=/f,/g
            13 filed claim=2 client=2 purpose=b order=2 item=read,/g
            14 granted claim=2
            15 ended claim=1
            16 ended claim=2
            """
        #expect(findings(moved)?.contains(.exclusion) == true)
    }

    @Test func `Rules 2.23, 11.1: a move to the same path does not hide what leaves a directory`() {
        let moved = { (moves: String) in
            """
            10 filed claim=1 client=1 purpose=a order=1 item=write.contents,/d
            10 granted claim=1
            12 moved claim=1 \(moves)
            13 filed claim=2 client=2 purpose=b order=2 item=read,/e
            13 granted claim=2
            15 ended claim=1
            16 ended claim=2
            """
        }
        #expect(findings(moved("move=/d/f,/d/f move=/d/f,/e"))?.contains(.exclusion) == true)
        // Of two moves of one item, the first counts.
        #expect(findings(moved("move=/d/f,/d/g move=/d/f,/e")) == [])
    }

    @Test func `Rule 2.14: a claim that overtakes is found`() {
        let overtaken =
            firstWriter + """
                12 filed claim=3 client=3 purpose=c order=3 item=write,/f
                13 ended claim=1
                13 granted claim=3
                14 ended claim=3
                14 granted claim=2
                15 ended claim=2
                """
        #expect(findings(overtaken) == [.order])
        // Rule 18.6
        #expect(findings(overtaken + "\n12 stopped client=2\n13 continued client=2\n") == [])
        // Without `order`, the checker does not know which claim came first.
        let together = overtaken.replacing(" order=2", with: "").replacing(
            "12 filed", with: "11-12 filed"
        ).replacing("11 filed", with: "11-12 filed")
        #expect(findings(together) == [])
    }

    @Test func `Rule 2.8a: what is queued inside a directory does not hold up its move`() {
        let mover = """
            10 filed claim=1 client=1 purpose=a order=1 item=write,/d/f
            10 granted claim=1
            11 filed claim=2 client=2 purpose=b order=2 item=write,/d/f
            12 filed claim=3 client=3 purpose=c order=3 item=write.moving,/d
            13 ended claim=1
            13 granted claim=3
            14 ended claim=3
            14 granted claim=2
            15 ended claim=2
            """
        #expect(findings(mover) == [])
        #expect(findings(mover.replacing("moving", with: "deleting")) == [.order])
    }

    @Test func `Rule 2.17: a call inside what the other waits for goes first`() {
        let nested =
            firstWriter + """
                12 filed claim=3 client=1 purpose=a order=3 in=1 item=read,/f
                12 granted claim=3
                13 ended claim=3
                14 ended claim=1
                14 granted claim=2
                15 ended claim=2
                """
        #expect(findings(nested) == [])
        #expect(
            findings(
                nested.replacing("client=1 purpose=a order=3 in=1", with: "client=3 purpose=c"))?
                .contains(.order) == true)
    }

    @Test func `Rules 2.16 and 11.6: a presenter that is asked again may coordinate again`() {
        let asked = """
            1 added presenter=7 client=7 purpose=e place=/f patience=5000 do=toReader do=toWriter
            10 filed claim=1 client=1 purpose=a order=1 item=write,/f
            10 placed claim=1
            10 asked presenter=7 claim=1 do=toWriter
            11 answered presenter=7 claim=1

            """
        let again = "12 asked presenter=7 claim=1 do=toReader\n"
        let saving = """
            13 filed claim=2 client=7 purpose=e order=2 item=read,/f
            13 granted claim=2
            14 ended claim=2
            15 granted claim=1
            16 ended claim=1
            """
        #expect(findings(asked + again + saving)?.contains(.order) == false)
        #expect(findings(asked + saving)?.contains(.order) == true)
    }

    @Test func `A claim goes back into the line only when its process was stopped`() {
        let back = """
            10 filed claim=1 client=1 purpose=a order=1 item=write,/f
            10 placed claim=1
            12 returned claim=1
            13 granted claim=1
            14 ended claim=1
            """
        #expect(findings(back)?.contains(.order) == true)
        let stopped = back + "\n12 stopped client=1\n13 continued client=1\n"
        #expect(findings(stopped, of: [.order]) == [])
    }

    @Test func `Rule 11.4: wrong places at the grant are found, and facts about unknown clients`() {
        let told =
            firstWriter + "12 ended claim=1\n12 granted claim=2 item=write,/g\n13 ended claim=2\n"
        #expect(findings(told) == [.places])
        #expect(
            findings(
                firstWriter + "12 ended claim=1\n12 granted claim=2\n13 ended claim=2\n"
                    + "14 granted claim=2\n") == [.stray])
    }
}
