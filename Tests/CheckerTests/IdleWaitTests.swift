// SPDX-License-Identifier: Apache-2.0
//
// Waits for nothing, at the instants at which they begin, and moves that do not go first (Rules
// 2.8a, 2.14 to 2.19).

import CoordinationCheckers
import Testing

@Suite struct IdleWaitTests {
    // MARK: Rule 2.8a

    @Test func `Rule 2.8a: a move that waits for what is only queued inside is found`() {
        /// A writer inside `/d` waits for `/e`; then comes the move of `/d`.
        func history(_ use: String, movedAt: UInt64, writtenAt: UInt64) -> String {
            """
            10 filed claim=1 client=1 purpose=a order=1 item=write,/e
            10 granted claim=1
            11 filed claim=2 client=2 purpose=b order=2 item=write,/e item=write,/d/f
            12 filed claim=3 client=3 purpose=c order=3 item=\(use),/d
            \(movedAt) granted claim=3
            13 ended claim=1
            \(writtenAt) granted claim=2
            \(movedAt + 2) ended claim=3
            \(writtenAt + 2) ended claim=2
            """
        }
        #expect(findings(history("write.moving", movedAt: 12, writtenAt: 14)) == [])
        #expect(findings(history("write.moving", movedAt: 15, writtenAt: 13)) == [.rest])
        #expect(findings(history("write.deleting", movedAt: 15, writtenAt: 13)) == [])
        // Only claims inside a plain directory are passed: a package is one file.
        let package = history("write.moving", movedAt: 15, writtenAt: 13)
            .replacing("/d\n", with: "/d,/d\n").replacing("/d/f", with: "/d/f,/d")
        #expect(findings(package) == [])
    }

    /// A writer inside `/d` and then the move of `/d` wait for another writer inside.
    private let moveAndWriter = """
        10 filed claim=1 client=1 purpose=a order=1 item=write,/d/f
        10 granted claim=1
        11 filed claim=2 client=2 purpose=b order=2 item=write,/d/f
        12 filed claim=3 client=3 purpose=c order=3 item=write.moving,/d
        13 ended claim=1
        13 granted claim=2
        14 ended claim=2
        14 granted claim=3
        15 ended claim=3

        """

    @Test func `Rule 2.8a: at the instant at which the move can be granted it goes first`() {
        #expect(findings(moveAndWriter) == [.rest])
        #expect(findings(moveAndWriter.replacing("moving", with: "deleting")) == [])
        let inner = "item=write.moving,/d/f"
        #expect(findings(moveAndWriter.replacing("item=write,/d/f", with: inner)) == [.rest])
        // While something else holds it back, what was filed before it is granted as usual.
        let heldBack = moveAndWriter.replacing(
            "item=write.moving,/d", with: "item=write.moving,/d item=write,/e")
        let other = """
            1 filed claim=9 client=9 purpose=z order=0 item=write,/e
            1 granted claim=9
            14 ended claim=9

            """
        #expect(findings(heldBack + other) == [])
        #expect(findings(heldBack + other.replacing("14 ended", with: "12 ended")) == [.rest])
        // So it is if its process is stopped (Rule 18.6).
        let stopped = "12 stopped client=3\n14 continued client=3\n"
        #expect(findings(moveAndWriter + stopped) == [])
    }

    @Test func `Rule 2.8a: what was filed after the move waits for it, held back or not`() {
        let later = """
            10 filed claim=1 client=1 purpose=a order=1 item=write,/e
            10 granted claim=1
            11 filed claim=2 client=2 purpose=b order=2 item=write.moving,/d item=write,/e
            12 filed claim=3 client=3 purpose=c order=3 item=write,/d/f
            12 granted claim=3
            13 ended claim=3
            14 ended claim=1
            14 granted claim=2
            15 ended claim=2
            """
        #expect(findings(later) == [.order])
        #expect(findings(later.replacing("order=3", with: "order=0")) == [])
    }

    // MARK: Rule 2.16

    /// A presenter's process files a claim at 11 while it is asked; the claim is granted at one
    /// time, and the claim that asks at another.
    private func saving(_ call: String, granted: UInt64, asker: UInt64) -> String {
        """
        1 added presenter=7 client=7 purpose=e place=/f do=toWriter
        10 filed claim=1 client=1 purpose=a order=1 item=write,/f
        10 placed claim=1
        10 asked presenter=7 claim=1 do=toWriter
        11 filed claim=2 client=7 order=2 \(call)
        \(granted) granted claim=2
        \(granted + 2) ended claim=2
        14 answered presenter=7 claim=1
        \(asker) granted claim=1
        \(asker + 2) ended claim=1
        \(asker + 2) reacquired presenter=7 do=toWriter
        90 stopped client=9
        """
    }

    @Test func `Rule 2.16: a presenter that waits for the claim that asks it is found`() {
        #expect(findings(saving("purpose=e item=write,/f", granted: 11, asker: 14)) == [])
        #expect(findings(saving("purpose=e item=write,/f", granted: 16, asker: 14)) == [.rest])
        // The exception is for the presenter's purpose alone (Rule 2.18).
        let other = saving("purpose=n item=write,/f", granted: 16, asker: 14)
        #expect(findings(other, of: [.rest, .order]) == [])
        let passed = other.replacing("16 granted", with: "11 granted")
        #expect(findings(passed, of: [.rest, .order]) == [.order])
    }

    @Test func `Rule 2.16: the claim that asks waits for what was let past it, and no longer`() {
        // It ends at 15, and the answer came before.
        #expect(findings(saving("purpose=e item=write,/f", granted: 13, asker: 15)) == [.rest])
        #expect(
            findings(saving("purpose=e item=write,/f", granted: 11, asker: 13))
                == [.requiredStep])
        #expect(findings(saving("purpose=e item=write,/f", granted: 11, asker: 16)) == [.rest])
        let long = saving("purpose=e item=write,/f", granted: 11, asker: 16)
            .replacing("13 ended", with: "16 ended")
        #expect(findings(long) == [])
        #expect(
            findings(long.replacing("16 granted", with: "14 granted"))?.contains(.exclusion)
                == true)
    }

    @Test func `Rules 2.16, 18.4: a save is no part of a cycle with the claim that asks for it`() {
        func history(_ purpose: String) -> String {
            """
            1 added presenter=7 client=7 purpose=e place=/f do=toWriter
            10 filed claim=1 client=1 purpose=a order=1 item=write,/f
            10 placed claim=1
            10 asked presenter=7 claim=1 do=toWriter
            11 filed claim=2 client=7 purpose=\(purpose) order=2 blocks item=write,/f
            11 blocked presenter=7 claim=2 asking=1
            11 cycle claim=2 link=2 link=1,7
            """
        }
        #expect(findings(history("n")) == [])
        #expect(findings(history("e")) == [.cycle])
    }

    // MARK: Rule 2.17

    @Test func `Rule 2.17: a call that waits behind what waits for its own accessor is found`() {
        func history(_ call: String, granted: UInt64) -> String {
            firstWriter + """
                12 filed claim=3 order=3 \(call) item=read,/f
                \(granted) granted claim=3
                \(granted + 1) ended claim=3
                14 ended claim=1
                \(granted < 14 ? 14 : granted - 1) granted claim=2
                \(granted < 14 ? 15 : granted) ended claim=2
                """
        }
        let inside = "client=1 purpose=a in=1"
        #expect(findings(history(inside, granted: 12)) == [])
        #expect(findings(history(inside, granted: 15)) == [.rest])
        // So does any claim of a purpose that was granted before the other was filed.
        let beside = "client=3 purpose=a"
        #expect(findings(history(beside, granted: 12)) == [])
        #expect(findings(history(beside, granted: 15)) == [.rest])
        #expect(findings(history("client=3 purpose=c", granted: 15)) == [])
        // An arbiter may act late on what was filed before: then the grant did not come first.
        let filedBefore = history(beside, granted: 15).replacing("order=2", with: "order=0")
        #expect(findings(filedBefore) == [])
    }

    // MARK: At its position

    @Test func `Rule 2.19: a claim that holds its position when all have answered is found`() {
        func history(_ granted: UInt64) -> String {
            editorAndReader + """
                10 asked presenter=7 claim=1 do=toReader do=save
                11 answered presenter=7 claim=1
                12 stopped client=9
                \(granted) granted claim=1
                """
        }
        #expect(findings(history(11)) == [])
        #expect(findings(history(13)) == [.rest])
        let removed = history(11).replacing(
            "11 answered presenter=7 claim=1", with: "11 removed presenter=7")
        #expect(findings(removed) == [])
        #expect(findings(removed.replacing("11 granted", with: "13 granted")) == [.rest])
    }

    @Test func `Rule 6.11: a question may be postponed until another is answered, and no longer`() {
        func history(_ asked: UInt64) -> String {
            """
            1 added presenter=7 client=7 purpose=e place=/f do=toReader do=save
            10 filed claim=1 client=1 purpose=a order=1 item=read,/f
            10 placed claim=1
            10 asked presenter=7 claim=1 do=toReader do=save
            11 filed claim=2 client=2 purpose=b order=2 item=read,/f
            11 placed claim=2
            20 answered presenter=7 claim=1
            20 granted claim=1
            \(asked) asked presenter=7 claim=2 do=save
            40 answered presenter=7 claim=2
            40 granted claim=2
            """
        }
        #expect(findings(history(20)) == [])
        #expect(findings(history(30)) == [.rest])
    }

    @Test func `Rule 14.3: a batch waits for no claim`() {
        let batch = firstWriter.replacing("order=2", with: "order=2 batch") + "12 ended claim=1\n"
        #expect(findings(batch) == [.rest])
        #expect(findings(batch + "11 granted claim=2\n") == [])
    }
}
