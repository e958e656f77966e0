// SPDX-License-Identifier: Apache-2.0
//
// Presenters that get their items back too late, too early or twice (Rules 6.11, 8.3, 8.4).

import CoordinationCheckers
import Testing

@Suite struct ReacquireTests {
    /// An editor that has relinquished `/f` to a reader; at the end, something else happens.
    private func reading(_ rest: String) -> String {
        """
        1 added presenter=7 client=7 purpose=e place=/f do=toReader
        10 filed claim=1 client=1 purpose=a order=1 item=read,/f
        10 placed claim=1
        10 asked presenter=7 claim=1 do=toReader
        11 answered presenter=7 claim=1
        11 granted claim=1
        \(rest)
        90 stopped client=9

        """
    }

    @Test func `Rule 8.3: an item that comes back late is found, and one that never does`() {
        let back = "\n20 reacquired presenter=7 do=toReader"
        #expect(findings(reading("20 ended claim=1" + back)) == [])
        #expect(findings(reading("19 ended claim=1" + back)) == [.reacquire])
        #expect(findings(reading("19 ended claim=1")) == [.reacquire])
        #expect(findings(reading("19 died client=1" + back)) == [.reacquire])
        #expect(findings(reading("20 died client=1" + back)) == [])
        // A presenter that is removed gets nothing back (Rule 5.7).
        #expect(findings(reading("18 removed presenter=7\n19 ended claim=1")) == [])
        // Real processes write down when a block ran, which may be later.
        #expect(findings(reading("18-19 ended claim=1" + back)) == [])
    }

    @Test func `Rule 8.4: a claim that is given up before the answer gives the item back, too`() {
        let cancelled =
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                11 cancelled claim=1

                """
        let end = "90 stopped client=9\n"
        #expect(findings(cancelled + end) == [.reacquire])
        #expect(findings(cancelled + "11 reacquired presenter=7 do=toReader\n" + end) == [])
        // What a former arbiter asked need not be undone if the presenter did not do it.
        let replaced = cancelled.replacing("11 cancelled", with: "11 replaced\n11 cancelled")
        #expect(findings(replaced + end) == [])
    }

    /// A second reader that begins while the first one runs, and ends after it.
    private func overlapping(_ item: String, _ reacquired: UInt64) -> String {
        reading(
            """
            15 filed claim=2 client=2 purpose=b order=2 item=read,\(item)
            15 placed claim=2
            15 granted claim=2
            20 ended claim=1
            30 ended claim=2
            \(reacquired) reacquired presenter=7 do=toReader
            """)
    }

    @Test func `Rule 6.11: a presenter has its item back after the last of several readers`() {
        #expect(findings(overlapping("/f", 30)) == [])
        #expect(findings(overlapping("/f", 20)) == [.reacquire])
        // A reader of another item does not count.
        #expect(findings(overlapping("/g", 20)) == [])
        #expect(findings(overlapping("/g", 30)) == [.reacquire])
        // Nor does one that began before the presenter came (Rule 5.4).
        let before = overlapping("/f", 20).replacing("15 ", with: "0 ")
        #expect(findings(before) == [])
        #expect(
            findings(overlapping("/f", 30).replacing("15 ", with: "0 ")) == [.reacquire])
    }

    @Test func `Rule 8.3: nothing comes back while a claim that has asked for it runs`() {
        #expect(
            findings(reading("15 reacquired presenter=7 do=toReader\n20 ended claim=1"))
                == [.reacquire])
        let twice = """
            20 ended claim=1
            20 reacquired presenter=7 do=toReader
            21 reacquired presenter=7 do=toReader
            """
        #expect(findings(reading(twice)) == [.reacquire])
        #expect(findings(reading(twice.replacing("21 rea", with: "89 rea"))) == [.reacquire])
    }

    @Test func `Rule 18.7: the next arbiter leaves relinquished what a running claim needs`() {
        let replaced = reading(
            "15 replaced\n20 ended claim=1\n20 reacquired presenter=7 do=toReader")
        #expect(findings(replaced) == [])
        #expect(findings(replaced.replacing("20 rea", with: "15 rea")) == [.reacquire])
        let gone = reading("15 ended claim=1\n15 replaced")
        #expect(findings(gone) == [.reacquire])
        #expect(
            findings(
                gone.replacing("replaced", with: "replaced\n15 reacquired presenter=7 do=toReader"))
                == [])
    }
}
