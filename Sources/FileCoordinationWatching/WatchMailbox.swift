// SPDX-License-Identifier: Apache-2.0
//
// Messages on their way from the watcher's thread to the server's. The server waits for the
// mailbox's descriptor together with its others. A server that does not take its messages costs
// bounded memory: a presenter whose changes do not fit is told once that its whole item may have
// changed.

public import FileCoordinationSystem

/// A message, and what was known when it was made.
public struct WatchMail: Hashable, Sendable {
    /// The message.
    public let news: WatchNews
    /// How many commands the watcher had taken in when it was made.
    public let commandsSeen: UInt64
}

/// A bounded queue of messages.
public final class WatchMailbox: Sendable {
    private struct State {
        var mail: [WatchMail] = []
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
    public func take() -> [WatchNews] { takeMail().map(\.news) }

    /// Takes all messages, in their order, with what was known when each was made.
    public func takeMail() -> [WatchMail] {
        wakeUp.drain()
        return state.withLock { state in
            defer { state = State() }
            return state.mail
        }
    }

    /// - Parameter commandsSeen: how many commands had been taken in when it was told.
    func put(_ news: [WatchNews], commandsSeen: UInt64 = 0) {
        guard !news.isEmpty else { return }
        state.withLock { state in
            for message in news {
                Self.add(message, commandsSeen, to: &state, limit)
            }
        }
        wakeUp.signal()
    }

    private static func add(
        _ message: WatchNews, _ commandsSeen: UInt64, to state: inout State, _ limit: Int
    ) {
        let presenter = message.presenter
        func append(_ body: WatchNews.Body) {
            state.mail.append(
                WatchMail(
                    news: WatchNews(presenter: presenter, body: body), commandsSeen: commandsSeen))
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
            // The presenter's own moves and deletions are kept: they say where its item is.
            let own = changes.filter { change in
                if case .moved = change.what { return true }
                return change.what == .deleted
            }
            if !own.isEmpty, own.count <= 16 { append(.changes(own)) }
            guard state.full.insert(presenter).inserted else { return }
            append(.wholeMayHaveChanged(.manyChanges))
        }
    }
}
