// SPDX-License-Identifier: Apache-2.0
//
// A program that uses the library as any application would, for tests that need other processes.
// A test writes lines on its standard input, and it says on standard output what happens, a line
// each; so tests wait for events and never for time.
//
// A line is LABEL VERB ARGUMENTS. If something that is called LABEL is under way (an accessor that
// runs, a presenter that is registered), the rest of the line is for it; otherwise the verb starts
// on a thread of its own, and whatever it has to say begins with LABEL. The main thread runs the
// main run loop.

import FileCoordination

@main
enum Peer {
    static let callRegistry = CallRegistry()

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Thread.detachNewThread {
            while let line = readLine() { callRegistry.accept(line) }
            // The test is gone, or has no further use for this program.
            exit(0)
        }
        say("ready")
        if getenv("PEER_FIRST_THREAD") != nil { Ends.awaitEndOfFirstThread() }
        while true { RunLoop.main.run() }
    }

    /// Announces something that happened, with one system call.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// Hands lines from the test to whom they are for.
final class CallRegistry: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var inboxes: [String: Inbox<[String]>] = [:]
        var presenters: [String: any StagePresenter & NSFilePresenter] = [:]
        var coordinators: [String: SharedCoordinator] = [:]
    }

    func accept(_ line: String) {
        var words = line.split(separator: " ").map(String.init)
        guard words.count >= 2 else { return Peer.say("? \(line)") }
        let label = words.removeFirst()
        let inbox = state.withLock { $0.inboxes[label] }
        if let inbox { return inbox.put(words) }
        let order = Order(label: label, verb: words[0], arguments: Array(words.dropFirst()))
        Thread.detachNewThread { [self] in PeerCall(order, in: self).start() }
    }

    // MARK: Accessors

    func open(_ label: String) -> Inbox<[String]> {
        let inbox = Inbox<[String]>()
        state.withLock { $0.inboxes[label] = inbox }
        return inbox
    }

    func close(_ label: String) { state.withLock { $0.inboxes[label] = nil } }

    // MARK: Presenters and coordinators

    func presenter(_ label: String) -> (any StagePresenter & NSFilePresenter)? {
        state.withLock { $0.presenters[label] }
    }

    func keep(_ presenter: any StagePresenter & NSFilePresenter, as label: String) {
        state.withLock { $0.presenters[label] = presenter }
    }

    /// The coordinator of that name; made at first use, without a presenter.
    func coordinator(_ name: String) -> NSFileCoordinator {
        state.withLock { state in
            if let known = state.coordinators[name] { return known.coordinator }
            let fresh = SharedCoordinator(coordinator: NSFileCoordinator())
            state.coordinators[name] = fresh
            return fresh.coordinator
        }
    }

    func keep(_ coordinator: NSFileCoordinator, as name: String) {
        state.withLock { $0.coordinators[name] = SharedCoordinator(coordinator: coordinator) }
    }
}

/// One thing to do.
struct Order: Sendable {
    var label: String
    var verb: String
    var arguments: [String]

    /// The value of `name=value`.
    func option(_ name: String) -> String? {
        arguments.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// What is not `name=value`.
    var operands: [String] { arguments.filter { $0.hasPrefix("/") || !$0.contains("=") } }
}

/// A coordinator that is used on several threads, to see what then happens (Rule 2.11).
struct SharedCoordinator: @unchecked Sendable {
    let coordinator: NSFileCoordinator
}
