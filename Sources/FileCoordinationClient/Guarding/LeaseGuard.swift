// SPDX-License-Identifier: Apache-2.0
//
// The guard of one presenter's file. Any thread may report a fact. If the lease must be dropped,
// that thread drops it at once, because it calls the presenter next. The guard thread does all
// other work.

import FileCoordinationArbiter
import FileCoordinationSystem

/// Keeps plain programs from opening a presenter's file for writing before the presenter has saved.
final class LeaseGuard: Sendable {
    /// What the thread has to do for a guard.
    enum GuardTask: Hashable, Sendable {
        case takeLease
        case checkPath
        case answered
        case finish
        case forget
    }

    struct Holdings: Sendable {
        var life = LeaseGuardLifecycle()
        var path: ItemPath?
        /// The file that is at the path, as far as is known; it may have the lease.
        var file: FileLease?
        /// The other name of that file while the presenter saves.
        var spareName: [UInt8]?
        /// The status of the file when its lease was broken.
        var brokenAt: FileStatus?
        /// The processes that waited when the presenter was asked.
        var openers: Set<Int32> = []
        /// The closures that call the presenter, until it is removed.
        var questions: Questions?
    }

    /// Calls of the presenter, which keep the order of its other messages.
    struct Questions: Sendable {
        /// Asks it to relinquish and, if the argument is true, to save.
        let ask: @Sendable (_ saves: Bool) -> Void
        /// Gives it its item back.
        let giveBack: @Sendable () -> Void
        /// Tells it of a version.
        let tell: @Sendable (VersionNews, ItemPath) -> Void
    }

    let state: Lock<Holdings>
    private let thread: LeaseGuardThread
    private let report: @Sendable (LeaseGuardStatus) -> Void

    init(
        on thread: LeaseGuardThread, report: @escaping @Sendable (LeaseGuardStatus) -> Void
    ) {
        state = Lock(Holdings())
        self.thread = thread
        self.report = report
    }

    // MARK: Facts, on any thread

    /// Sets the closures that call the presenter, before it has a path.
    func begin(_ questions: Questions) { state.withLock { $0.questions = questions } }

    /// Drops the lease if `isLifted`; takes it again after as many calls with false as with true.
    func lift(_ isLifted: Bool) { handle(isLifted ? .lifted : .restored) }

    /// The presenter has answered the question for a plain program.
    func presenterAnswered() { thread.add(.answered, for: self) }

    /// The item may have been changed, replaced or, with a path, moved.
    func itemMayHaveChanged(at path: ItemPath? = nil) {
        if let path { state.withLock { $0.path = path } }
        handle(.itemMayHaveChanged)
    }

    /// Ends the guard, because the presenter was removed.
    func end() {
        handle(.removed)
        state.withLock { $0.questions = nil }
        thread.add(.forget, for: self)
    }

    /// Whether plain programs wait.
    var status: LeaseGuardStatus { state.withLock { $0.life.status } }

    func handle(_ event: LeaseGuardLifecycle.GuardEvent) {
        let (actions, questions) = state.withLock { state in
            let actions = state.life.handle(event)
            // Done under the lock, so that no thread takes the lease at the same time.
            if actions.contains(.drop) { state.file?.drop() }
            return (actions, state.questions)
        }
        for action in actions {
            switch action {
            case .drop: break
            case .takeLease: thread.add(.takeLease, for: self)
            case .checkPath: thread.add(.checkPath, for: self)
            case .finish: thread.add(.finish, for: self)
            // The file has a spare name, unless that was impossible. Then a presenter that saves by
            // replacing the file would take it away from the program that waits.
            case .ask: questions?.ask(state.withLock { $0.spareName != nil })
            case .giveBack: questions?.giveBack()
            case .report(let status):
                if status == .off(.writtenInPlace) { sayThatItHasEnded() }
                report(status)
            }
        }
    }

    private func sayThatItHasEnded() {
        let path = state.withLock { $0.path?.description ?? "" }
        Diagnostics.say(
            "the guard of \(path) has ended, because this program writes in the file: what it and a"
                + " program that does not coordinate write at the same time may be lost. Save by"
                + " replacing the file, as Data.write(to:options: .atomic) does")
    }
}
