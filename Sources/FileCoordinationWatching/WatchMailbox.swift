// SPDX-License-Identifier: Apache-2.0
//
// A queue of messages from the watcher's thread to the server's thread. The server's thread polls
// the descriptor of the mailbox together with its other descriptors. The queue is bounded in case
// the server's thread does not read it: if the changes for a presenter do not fit, they are
// replaced by one message that its whole item may have changed.

public import FileCoordinationSystem

/// A message together with the number of commands that the watcher knew when it made the message.
public struct WatchMail: Hashable, Sendable {
    /// The message.
    public let news: WatchNews
    /// The number of commands that the watcher's thread had taken in.
    public let commandsSeen: UInt64
}

/// A bounded queue of messages.
public final class WatchMailbox: Sendable {
    private struct State {
        var mail: [WatchMail] = []
        /// The number of queued changes per presenter.
        var waiting: [UInt64: Int] = [:]
        /// The presenters whose changes did not fit, who are told to read everything again.
        var full: Set<UInt64> = []
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
    public func take() -> [WatchNews] { takeMail().map(\.news) }

    /// Removes and returns all messages, in order, each with the number of commands known then.
    public func takeMail() -> [WatchMail] {
        wakeUp.drain()
        return state.withLock { state in
            defer { state = State() }
            return state.mail
        }
    }

    /// Adds messages.
    ///
    /// The watcher's thread calls this.
    ///
    /// - Parameter commandsSeen: the number of commands that the thread had taken in.
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
            // Moves and deletions of the presenter's own item are kept, as they say where it is.
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
