// SPDX-License-Identifier: Apache-2.0
//
// Messages on their way from the watcher's thread to the server's. The server waits for the
// mailbox's descriptor together with its others. A server that does not take its messages costs
// bounded memory: a presenter whose changes do not fit is told once that its whole item may have
// changed.

public import FileCoordinationSystem

/// A bounded queue of messages.
public final class WatchMailbox: Sendable {
    private struct State {
        var news: [WatchNews] = []
        /// The number of changes that wait for each presenter.
        var waiting: [UInt64: Int] = [:]
        /// Those that are to be told to read everything again instead.
        var full: Set<UInt64> = []
    }

    private let state: Lock<State>
    private let wakeUp: WakeUp
    private let limit: Int

    /// Readable while there are messages, for a ``Poller``.
    public var descriptor: Descriptor { wakeUp.descriptor }

    init(changesPerPresenter limit: Int) throws(SystemError) {
        wakeUp = try WakeUp()
        state = Lock(State())
        self.limit = limit
    }

    /// Takes all messages, in their order.
    public func take() -> [WatchNews] {
        wakeUp.drain()
        return state.withLock { state in
            defer { state = State() }
            return state.news
        }
    }

    func put(_ news: [WatchNews]) {
        guard !news.isEmpty else { return }
        state.withLock { state in
            for message in news { Self.add(message, to: &state, limit) }
        }
        wakeUp.signal()
    }

    private static func add(_ message: WatchNews, to state: inout State, _ limit: Int) {
        let presenter = message.presenter
        switch message.body {
        case .listening, .degraded, .healed, .wholeMayHaveChanged:
            state.news.append(message)
        case .changes(let changes):
            let count = state.waiting[presenter, default: 0] + changes.count
            guard count > limit else {
                state.waiting[presenter] = count
                state.news.append(message)
                return
            }
            state.waiting[presenter] = limit
            // The presenter's own moves and deletions are kept: they say where its item is.
            let own = changes.filter { change in
                if case .moved = change.what { return true }
                return change.what == .deleted
            }
            if !own.isEmpty, own.count <= 16 {
                state.news.append(WatchNews(presenter: presenter, body: .changes(own)))
            }
            guard state.full.insert(presenter).inserted else { return }
            state.news.append(
                WatchNews(presenter: presenter, body: .wholeMayHaveChanged(.manyChanges)))
        }
    }
}
