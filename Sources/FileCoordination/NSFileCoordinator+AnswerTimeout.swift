// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: a presenter that does not answer cannot block claims forever (Rule 18.3).

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem

extension NSFileCoordinator {
    /// How long a presenter of this process may take to answer before claims continue without its
    /// answer; nil for no limit, as on Apple platforms.
    ///
    /// The default is 30 seconds. A new value applies to presenters that are added later. A
    /// presenter that did not answer in time is not asked again until it answers, or makes a
    /// coordinated access of its own. It is then told `presentedItemDidChange()`. A presenter that
    /// is busy saving extends the time by a coordinated access of its own to its item, to something
    /// inside it, or to a directory around it (Rule 18.3).
    ///
    /// Choose it for the longest save of your program: when it has passed, readers get the file
    /// without the unsaved changes. With nil, a presenter that runs and never answers blocks its
    /// item until its process ends.
    ///
    /// **Threads and cost.** Any thread; no system call.
    public static var filePresenterTimeout: Duration? {
        get { PresenterAnswerTimeout.duration }
        set { PresenterAnswerTimeout.duration = newValue }
    }
}

extension NSFileCoordinator {
    /// Whether waiting calls of this process fail with `NSUserCancelledError` when the process
    /// continues after it was stopped and other claims have passed the calls.
    ///
    /// The default is false: the calls keep their positions in the queue. True is the behavior on
    /// Apple platforms (Rule 18.6). A new value applies to stops that end later.
    ///
    /// **Threads and cost.** Any thread; no system call.
    public static var cancelsWaitsAfterSuspension: Bool {
        get { Suspension.cancelsWaits }
        set { Suspension.cancelsWaits = newValue }
    }
}
#endif
