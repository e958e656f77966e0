// SPDX-License-Identifier: Apache-2.0
//
// Finds out that changes by plain programs are not looked for: no watcher could be started, or its
// thread waits for a file system that does not answer. Then status reports say so, and presenters
// are told now and then that their items may have changed, because a loss is never silent (Rule
// 7.14).

import FileCoordinationWatching
import FileCoordinationWire
import MonotonicTime

/// Why no changes are found, of any presenter.
enum WatchOutage: Hashable, Sendable {
    /// No watcher could be started, for example because of the user's limit of inotify instances.
    case notStarted
    /// The watcher's thread has worked at one turn for too long.
    case stuck
}

/// The times at which the server checks whether changes are found.
struct WatchSupervision {
    /// The time between two checks, and between two messages during an outage.
    static let pause: Duration = .seconds(30)
    /// How long a turn of the watcher's thread may take.
    ///
    /// The number of files and directories that a turn looks at is bounded.
    static let longestTurn: Duration = .seconds(5)

    /// The time of the next check; nil before the first presenter.
    private(set) var next: Instant?

    /// Begins to check, if that has not begun.
    mutating func begin(at now: Instant) { next = next ?? now + Self.pause }

    /// Whether it is time to check; then the next check comes a pause later.
    mutating func takeDue(at now: Instant) -> Bool {
        guard let next, next <= now else { return false }
        self.next = now + Self.pause
        return true
    }

    /// Whether a turn that began at a time, and is not over, takes too long.
    static func isStuck(sinceTurnBegan began: Instant?, at now: Instant) -> Bool {
        began.map { $0 + longestTurn <= now } ?? false
    }
}

extension PresenterWatching {
    init(_ outage: WatchOutage?, _ trouble: WatchTrouble?) {
        self =
            switch (outage, trouble) {
            case (.notStarted, _): .unwatched
            case (.stuck, _): .stuck
            case (nil, nil): .notified
            case (nil, .limit): .limited
            case (nil, .permission): .forbidden
            case (nil, .remote): .remote
            case (nil, .silent): .silent
            }
    }
}
