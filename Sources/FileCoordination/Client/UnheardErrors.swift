// SPDX-License-Identifier: Apache-2.0
//
// Errors of calls that pass nil as `error:`. The accessor does not run then, and the program goes
// on as if it had: what it meant to save is lost without a word. So the first error of each cause
// is printed.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// The causes of refused accesses for which this process has no place.
enum UnheardErrors {
    static let said = Lock<Set<String>>([])

    /// Prints an error, if it is the first of its cause.
    ///
    /// A cancellation is the program's own doing.
    static func add(_ error: NSError) {
        let isCancellation =
            error.domain == NSCocoaErrorDomain && error.code == NSUserCancelledError
        guard !isCancellation else { return }
        // A fork must not copy the lock while a thread holds it.
        let isFirst = ForkGuard.holdingForks {
            said.withLock { $0.insert("\(error.domain) \(error.code)").inserted }
        }
        guard isFirst else { return }
        Diagnostics.say(
            "access was refused, and the caller passed \"error: nil\":"
                + " \(error.localizedDescription)")
    }
}
#endif
