// SPDX-License-Identifier: Apache-2.0
//
// Histories that are written for a test, and the violations that the checkers find in them.

import CoordinationCheckers

/// What the checkers find in a history, or some of them, once each; nil if its text cannot be read.
func findings(
    _ text: String, of kinds: [Violation.Kind] = Violation.Kind.allCases
) -> Set<Violation.Kind>? {
    guard let history = try? History(text: text) else { return nil }
    return Set(history.violations(of: kinds).map(\.kind))
}

/// Two writers of `/f`, of two processes, the first of which runs from 10 on.
let firstWriter = """
    10 filed claim=1 client=1 purpose=a order=1 item=write,/f
    10 granted claim=1
    11 filed claim=2 client=2 purpose=b order=2 item=write,/f

    """

/// An editor of `/f`, and a reader that has to ask it.
let editorAndReader = """
    1 added presenter=7 client=7 purpose=e place=/f patience=5000000000 do=toReader do=save
    10 filed claim=1 client=1 purpose=a order=1 item=read,/f
    10 placed claim=1

    """
