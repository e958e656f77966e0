// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: a presenter that does not answer blocks no claim for ever (Rule 18.3).

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem

extension NSFileCoordinator {
    /// How long presenters of this process may take to answer before they are passed over; nil:
    /// as long as they like, as on Apple platforms.
    ///
    /// 30 seconds unless it is set. Counts for presenters that are added later. A presenter that
    /// was passed over is asked nothing until it answers again, and is then told
    /// `presentedItemDidChange()`; one that is busy saving asks for more time simply by making a
    /// coordinated access on its own behalf (Rule 18.3).
    public static var filePresenterTimeout: Duration? {
        get { PresenterPatience.duration.withLock { $0 } }
        set { PresenterPatience.duration.withLock { $0 = newValue } }
    }
}

extension NSFileCoordinator {
    /// Whether waiting calls of this process fail with `NSUserCancelledError` when it goes on after
    /// it was stopped while others waited behind them.
    ///
    /// False unless it is set: they keep their place in the queue. True is what happens on Apple
    /// platforms (Rule 18.6).
    public static var cancelsWaitsAfterSuspension: Bool {
        get { Suspension.cancelsWaits.withLock { $0 } }
        set { Suspension.cancelsWaits.withLock { $0 = newValue } }
    }
}
#endif
