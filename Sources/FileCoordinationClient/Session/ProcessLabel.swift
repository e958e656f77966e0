// SPDX-License-Identifier: Apache-2.0
//
// The label of this process in status reports and messages (Rule 18.15). It is one text in the
// ledger's header and applies to all claims and presenters without a label of their own. So records
// need no label, and a delegated access writes none.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// The label of this process.
package enum ProcessLabel {
    private static let given = Lock("")

    /// A fork must not copy the lock while a thread holds it.
    private static func withText<Result>(_ body: (inout String) -> Result) -> Result {
        ForkGuard.holdingForks { given.withLock { body(&$0) } }
    }

    /// The label; if empty, people see the program's name.
    ///
    /// May be used on any thread.
    package static var text: String {
        get { withText { $0 } }
        set {
            let label = Label.cut(newValue)
            withText { text in
                text = label
                Session.withExisting { $0?.ledger.setLabel(Array(label.utf8)) }
            }
        }
    }

    /// Writes the label into the ledger of a new session.
    static func apply(to session: Session) {
        withText { text in
            if !text.isEmpty { session.ledger.setLabel(Array(text.utf8)) }
        }
    }
}
