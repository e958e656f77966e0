// SPDX-License-Identifier: Apache-2.0
//
// What this process is called in status and messages (Rule 18.15): one text in its ledger's header,
// which counts for all claims and presenters that have none of their own. So a record holds no
// label, and a delegated access writes none.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// The label of this process.
package enum ProcessLabel {
    private static let given = Lock("")

    /// The label; empty: people see the program's name.
    ///
    /// May be used on any thread.
    package static var text: String {
        get { given.withLock { $0 } }
        set {
            let label = Label.cut(newValue)
            given.withLock { text in
                text = label
                Session.withExisting { $0?.ledger.setLabel(Array(label.utf8)) }
            }
        }
    }

    /// Writes it into the ledger of a session that was opened just now.
    static func apply(to session: Session) {
        given.withLock { text in
            if !text.isEmpty { session.ledger.setLabel(Array(text.utf8)) }
        }
    }
}
