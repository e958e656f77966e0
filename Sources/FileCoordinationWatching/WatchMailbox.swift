// SPDX-License-Identifier: Apache-2.0
//
// A queue of messages from the watcher's thread to the server's thread. The server's thread polls
// the descriptor of the mailbox together with its other descriptors. The queue is bounded in case
// the server's thread does not read it: if the changes for a presenter do not fit, they are
// replaced by one message that its whole item may have changed.

import FileCoordinationArbiter
public import FileCoordinationSystem

/// A bounded queue of messages.
public final class WatchMailbox: Sendable {
    private struct State {
        var mail: [WatchNews] = []
        /// The number of queued changes per presenter.
        var waiting: [UInt64: Int] = [:]
        /// The presenters whose changes did not fit, and which are told to read everything again.
        var full: Set<UInt64> = []
        /// The number of the last question that was answered; its mail is before this.
        var lastAnswered: UInt64 = 0
    }

    private let state: Lock<State>
    private let wakeUp: WakeUp
    private let limit: Int

    /// Readable while there are messages.
    ///
    /// Wait for it with a ``Poller``.
    public var descriptor: Descriptor { wakeUp.descriptor }

    init(changesPerPresenter limit: Int) throws(SystemError) {
        wakeUp = try WakeUp()
        state = Lock(State())
        self.limit = limit
    }

    /// Removes and returns all messages, in order.
    public func take() -> [WatchNews] { takeAll().mail }

    /// Removes and returns all messages, in order, and the number of the last question
    /// (``Watcher/ask()``) that was answered when the last of them was made.
    public func takeAll() -> (mail: [WatchNews], lastAnswered: UInt64) {
        wakeUp.drain()
        return state.withLock { state in
            defer {
                state.mail = []
                state.waiting = [:]
                state.full = []
            }
            return (state.mail, state.lastAnswered)
        }
    }

    /// Adds messages, on the watcher's thread.
    ///
    /// - Parameters:
    ///   - news: the messages.
    ///   - lastAnswered: the number of the last question that these messages answer.
    func put(_ news: [WatchNews], lastAnswered: UInt64 = 0) {
        let isNew = state.withLock { state in
            for message in news { Self.add(message, to: &state, limit) }
            defer { state.lastAnswered = max(state.lastAnswered, lastAnswered) }
            return !news.isEmpty || lastAnswered > state.lastAnswered
        }
        if isNew { wakeUp.signal() }
    }

    private static func add(_ message: WatchNews, to state: inout State, _ limit: Int) {
        let presenter = message.presenter
        func append(_ body: WatchNews.Body) {
            state.mail.append(WatchNews(presenter: presenter, body: body))
        }
        switch message.body {
        case .listening, .degraded, .healed, .wholeMayHaveChanged: append(message.body)
        case .changes(let changes):
            let count = state.waiting[presenter, default: 0] + changes.count
            guard count > limit else {
                state.waiting[presenter] = count
                return append(message.body)
            }
            state.waiting[presenter] = limit
            let own = changes.departuresOfOwnItem
            if !own.isEmpty { append(.changes(own)) }
            guard state.full.insert(presenter).inserted else { return }
            append(.wholeMayHaveChanged(.manyChanges))
        }
    }
}

extension [WatchedChange] {
    /// The moves and deletions of the presenter's own item, from which the presenter learns its
    /// path, and possibly some of other items.
    ///
    /// All other changes in a message are inside the presenter's item, so their paths are longer.
    fileprivate var departuresOfOwnItem: [WatchedChange] {
        let departures = compactMap { change -> (depth: Int, change: WatchedChange)? in
            switch change.what {
            case .moved(let former): (former.depth, change)
            case .deleted: (change.path.depth, change)
            case .appeared, .changed: nil
            }
        }
        let least = departures.map(\.depth).min()
        return departures.filter { $0.depth == least }.prefix(16).map(\.change)
    }
}
