// SPDX-License-Identifier: Apache-2.0
//
// Presenters that were not asked, waits without end, and
// reported cycles that are none (Rules 2.19, 18.3, 18.4).

import CoordinationCheckers
import Testing

@Suite struct StepsAndRestTests {
    /// What the checker of required steps finds.
    ///
    /// The histories that are judged by it say nothing of how long a claim waits after an answer.
    private func stepFindings(_ text: String) -> Set<Violation.Kind>? {
        findings(text, of: [.requiredStep])
    }

    @Test func `Rule 2.19: a grant without asking is found`() {
        #expect(
            stepFindings(editorAndReader + "11 granted claim=1\n12 ended claim=1\n") == [
                .requiredStep
            ])
        let asked = editorAndReader + "10 asked presenter=7 claim=1 do=toReader do=save\n"
        #expect(stepFindings(asked + "11 granted claim=1\n12 ended claim=1\n") == [.requiredStep])
        let answered = asked + "11 answered presenter=7 claim=1\n"
        #expect(stepFindings(answered + "12 granted claim=1\n13 ended claim=1\n") == [])
        // A journal of a real process does not say for which claim a presenter was asked.
        let nameless = answered.replacing("presenter=7 claim=1", with: "presenter=7")
        #expect(stepFindings(nameless + "12 granted claim=1\n13 ended claim=1\n") == [])
        #expect(
            stepFindings(answered.replacing(" do=save\n11", with: "\n11") + "12 granted claim=1\n")
                == [.requiredStep])
    }

    @Test func `Rule 6.11: a presenter that has its item back must be asked again`() {
        let back =
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                11 answered presenter=7 claim=1
                12 reacquired presenter=7 do=toReader
                13 granted claim=1
                14 ended claim=1
                """
        #expect(stepFindings(back) == [.requiredStep])
    }

    @Test func `Rules 6.3, 11.6: what has moved is asked for by the name that it has then`() {
        func history(_ destination: String, asked name: String?) -> String {
            """
            1 added presenter=7 client=7 purpose=e place=/p.k do=lose
            10 filed claim=1 client=1 purpose=a order=1 item=write.deleting,/p.k/a,/p.k
            10 placed claim=1
            11 filed claim=2 client=7 purpose=e order=2 item=write.moving,/p.k/a,/p.k
            11 granted claim=2
            12 moved claim=2 move=/p.k/a,\(destination)
            13 ended claim=2

            """ + (name.map { "14 asked presenter=7 claim=1 do=lose,\($0)\n" } ?? "")
                + (name == nil ? "" : "15 answered presenter=7 claim=1\n")
                + "16 granted claim=1\n17 ended claim=1\n"
        }
        #expect(stepFindings(history("/p.k/b,/p.k", asked: "/p.k/b")) == [])
        #expect(stepFindings(history("/p.k/b,/p.k", asked: "/p.k/a")) == [.requiredStep])
        #expect(stepFindings(history("/p.k/b,/p.k", asked: nil)) == [.requiredStep])
        // The presenter's item is no part of the package any more.
        #expect(stepFindings(history("/e", asked: nil)) == [])
        let before = history("/p.k/b,/p.k", asked: "/p.k/a").replacing("14 asked", with: "10 asked")
        let lines = before.split(separator: "\n")
        let early = [lines[0], lines[1], lines[2], lines[7]] + lines[3...6] + lines[8...]
        #expect(stepFindings(early.joined(separator: "\n") + "\n") == [])
    }

    @Test func `Rule 11.6: presenters where an item has moved to are asked, too`() {
        func history(_ asking: String) -> String {
            """
            1 added presenter=7 client=7 purpose=e place=/b do=save
            2 added presenter=8 client=8 purpose=f place=/a do=save
            10 filed claim=1 client=1 purpose=a order=1 item=read,/a
            10 placed claim=1
            10 asked presenter=8 claim=1 do=save
            11 filed claim=2 client=8 purpose=f order=2 item=write.moving,/a
            11 granted claim=2
            12 moved claim=2 move=/a,/b
            13 ended claim=2
            14 answered presenter=8 claim=1

            """ + asking + "17 granted claim=1\n18 ended claim=1\n"
        }
        let asked = "15 asked presenter=7 claim=1 do=save\n"
        #expect(stepFindings(history("")) == [.requiredStep])
        #expect(stepFindings(history(asked)) == [.requiredStep])
        #expect(stepFindings(history(asked + "16 answered presenter=7 claim=1\n")) == [])
    }

    @Test func `Rule 9.1: a grant although a presenter failed is found`() {
        let failed =
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                11 answered presenter=7 claim=1 error
                12 granted claim=1
                13 ended claim=1
                """
        #expect(stepFindings(failed) == [.requiredStep])
    }

    @Test func `Rules 18.3, 18.6: passing over is excused when the time was over, not before`() {
        let silent = editorAndReader + "10 asked presenter=7 claim=1 do=toReader do=save\n"
        func granted(_ time: UInt64) -> String {
            "\(time) granted claim=1\n\(time + 1) ended claim=1\n"
        }
        #expect(stepFindings(silent + granted(5_000_000_010)) == [])
        #expect(stepFindings(silent + granted(4_999_999_999)) == [.requiredStep])
        let stopped = silent + "20 stopped client=7\n"
        #expect(stepFindings(stopped + granted(2_000_000_020)) == [])
        #expect(stepFindings(stopped + granted(1_999_999_999)) == [.requiredStep])
    }

    @Test func `Rule 18.3: an access extends the time only at the presenter's item`() {
        let second = """
            5000000010 granted claim=1
            5000000011 ended claim=1
            5000000012 filed claim=3 client=1 purpose=b order=3 item=read,/f
            5000000012 granted claim=3
            5000000013 ended claim=3

            """
        func history(_ item: String, at moment: UInt64) -> String {
            let access = """
                \(moment) filed claim=2 client=7 purpose=e order=2 item=read,\(item)
                \(moment) granted claim=2
                \(moment) ended claim=2

                """
            let asked = editorAndReader + "10 asked presenter=7 claim=1 do=toReader do=save\n"
            return moment < 5_000_000_000
                ? asked + access + second
                : asked
                    + second.replacing("5000000012 filed", with: access + "5000000012 filed")
        }
        // It was passed over and is still silent: no claim asks it again.
        #expect(stepFindings(history("/elsewhere", at: 4_000_000_000)) == [])
        // Busy with its item, it had more time for the second claim, too.
        #expect(stepFindings(history("/f", at: 4_000_000_000)) == [.requiredStep])
        // It is back, and must be asked again.
        #expect(stepFindings(history("/elsewhere", at: 5_000_000_011)) == [.requiredStep])
    }

    @Test func `No claim waits in the queue for nothing`() {
        let forgotten = firstWriter + "12 ended claim=1\n20 granted claim=2\n21 ended claim=2\n"
        #expect(findings(forgotten) == [.rest])
        let skipped =
            firstWriter + "11 stopped client=2\n12 ended claim=1\n19 continued client=2\n"
            + "19 granted claim=2\n21 ended claim=2\n"
        #expect(findings(skipped) == [])
    }

    @Test func `At the end no claim waits or runs, and no presenter misses its item`() {
        #expect(findings(firstWriter) == [])
        #expect(findings(firstWriter + "12 rested\n") == [.rest])
        let answered =
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                11 answered presenter=7 claim=1
                11 granted claim=1
                12 ended claim=1

                """
        #expect(findings(answered + "13 rested\n") == [.rest, .reacquire])
        #expect(findings(answered + "12 reacquired presenter=7 do=toReader\n13 rested\n") == [])
    }

    /// Two processes, each of which waits inside its accessor for the other's item.
    private let mirror = """
        10 filed claim=1 client=1 purpose=a order=1 item=write,/f
        10 granted claim=1
        11 filed claim=2 client=2 purpose=b order=2 item=write,/g
        11 granted claim=2
        12 filed claim=3 client=1 purpose=c order=3 in=1 blocks item=write,/g
        13 filed claim=4 client=2 purpose=d order=4 in=2 blocks item=write,/f

        """

    @Test func `Rule 18.4: what a former arbiter asked does not count, whatever comes later`() {
        let history = """
            1 added presenter=8 client=1 purpose=e place=/f do=toReader
            2 filed claim=4 client=2 purpose=a order=4 item=read,/f
            3 filed claim=11 client=2 purpose=b order=11 item=read,/f
            5 placed claim=4
            5 placed claim=11
            5 asked presenter=8 claim=11 do=toReader
            6 replaced
            6 placed claim=4
            6 placed claim=11
            6 asked presenter=8 claim=4 do=toReader
            7 filed claim=12 client=1 purpose=c order=12 blocks item=write,/f
            8 blocked presenter=8 claim=12 asking=4
            8 cycle claim=12 link=12 link=11,8
            9 answered presenter=8 claim=4
            9 granted claim=4
            9 granted claim=11
            10 ended claim=4
            10 ended claim=11
            11 replaced

            """
        #expect(findings(history)?.contains(.cycle) == false)
    }

    @Test func `Rule 18.4: a cycle that is not found is found`() {
        let found = mirror + "13 cycle claim=4 link=4 link=1 link=3 link=2\n"
        #expect(findings(found) == [])
        #expect(findings(mirror + "14 cancelled claim=4\n") == [.cycle])
        #expect(findings(mirror.replacing(" blocks", with: "") + "14 cancelled claim=4\n") == [])
    }

    @Test func `Rule 18.4: a false alarm is found, and the wrong victim`() {
        let wrong = mirror + "13 cycle claim=3 link=4 link=1 link=3 link=2\n"
        #expect(findings(wrong)?.contains(.cycle) == true)
        let none = firstWriter + "12 cycle claim=2 link=2 link=1\n"
        #expect(findings(none) == [.cycle])
        let excused =
            firstWriter + """
                12 filed claim=3 client=1 purpose=a order=3 in=1 blocks item=read,/f
                12 cycle claim=3 link=3 link=2 link=1
                """
        #expect(findings(excused)?.contains(.cycle) == true)
    }

    @Test func `Rules 2.10, 6.11: equals wait for each other only for a presenter's sake`() {
        func history(_ time: UInt64) -> String {
            """
            1 added presenter=7 client=7 purpose=e place=/f do=toReader
            10 filed claim=1 client=1 purpose=a order=1 item=read,/f
            10 placed claim=1
            10 asked presenter=7 claim=1 do=toReader
            11 answered presenter=7 claim=1
            11 granted claim=1
            \(time) filed claim=2 client=2 purpose=a order=2 item=read,/f
            \(time) granted claim=2
            41000000000 ended claim=1
            42000000000 filed claim=3 client=3 purpose=a order=3 item=read,/f
            42000000000 placed claim=3
            43000000000 filed claim=4 client=2 purpose=z order=4 in=2 blocks item=write,/f
            43000000000 cycle claim=4 link=4 link=3 link=2

            """
        }
        #expect(findings(history(30_000_000_011)) == [])
        #expect(findings(history(30_000_000_010)) == [.cycle])
    }

    @Test func `Rule 18.4: a cycle by way of a presenter`() {
        let blocked =
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                11 filed claim=2 client=7 purpose=n order=2 blocks item=write,/f
                12 blocked presenter=7 claim=2 asking=1

                """
        #expect(findings(blocked + "12 cycle claim=2 link=2 link=1,7\n") == [])
        #expect(findings(blocked + "13 cancelled claim=2\n") == [.cycle])
    }

    @Test func `Rule 18.4: a cycle by way of another question than the blocked one`() {
        let blocked =
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                10 filed claim=3 client=3 purpose=c order=2 item=read,/f
                10 placed claim=3
                10 asked presenter=7 claim=3 do=save
                11 filed claim=2 client=7 purpose=n order=3 blocks item=write,/f
                12 blocked presenter=7 claim=2 asking=3

                """
        #expect(findings(blocked + "12 cycle claim=2 link=2 link=3,7\n") == [])
        #expect(findings(blocked + "12 cycle claim=2 link=2 link=1,7\n") == [.cycle])
    }
}
