// SPDX-License-Identifier: Apache-2.0
//
// The thread's loop. The order within a turn matters: commands that came while names were looked at
// are taken in before presenters are told, because a claim that began before a look explains what
// the look saw.

import FileCoordinationArbiter
import FileCoordinationSystem

/// What the watcher's thread does.
struct WatchLoop: Sendable {
    /// A turn reads at most so often: 64 kB each.
    private static let readsPerTurn = 8
    private static let noticesToken: UInt64 = 1
    private static let commandsToken: UInt64 = 2

    private let poller: Poller
    private let kernel: DirectoryWatch
    private let commands: WatchCommands
    private let mailbox: WatchMailbox
    private let testDirectory: [UInt8]?
    private var reconciler: WatchReconciler
    private var hands: WatchHands
    private var nextTest: UInt64 = 0

    init(
        _ configuration: Watcher.Configuration, _ commands: WatchCommands,
        _ mailbox: WatchMailbox
    ) throws(SystemError) {
        self.commands = commands
        self.mailbox = mailbox
        testDirectory = configuration.testDirectory
        kernel = try DirectoryWatch()
        poller = try Poller()
        try poller.add(kernel.descriptor, token: Self.noticesToken, .readable)
        try poller.add(commands.wakeUp.descriptor, token: Self.commandsToken, .readable)
        let root = FileSight(try OpenItem(path: Array("/".utf8)).look())
        reconciler = WatchReconciler(root: root, limits: configuration.limits)
        hands = WatchHands(kernel: kernel, watchLimit: configuration.watchLimit)
    }

    mutating func run() {
        var ready: [Poller.Ready] = []
        while true {
            guard let early = commands.take() else { return }
            take(early.inputs)
            testHearing()
            readNotices()
            for order in reconciler.takeOrders() {
                if let answer = hands.carryOut(order) {
                    reconciler.handle(answer, at: MonotonicClock.now)
                }
            }
            hands.endTurn()
            // What explains the looks just made has come by now.
            guard let late = commands.take() else { return }
            take(late.inputs)
            let news = reconciler.endTurn(at: MonotonicClock.now)
            if !news.isEmpty {
                commands.report(
                    Dictionary(uniqueKeysWithValues: reconciler.troubles.map { ($0, $1) }))
                mailbox.put(news, commandsSeen: late.count)
            }
            let mayWait = commands.mayWait(awaitsClaims: reconciler.awaitsClaims)
            let deadline = reconciler.hasOrders || !mayWait ? 0 : reconciler.nextDeadline
            // It can only fail for what is no poller; then there is nothing to wait for.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return }
        }
    }

    private mutating func take(_ inputs: [WatchInput]) {
        for input in inputs {
            if input == .overflowed {
                // A test wants what the queue holds to be lost.
                while let batch = try? kernel.read(), !batch.events.isEmpty {}
            }
            reconciler.handle(input, at: MonotonicClock.now)
        }
    }

    private mutating func readNotices() {
        for _ in 0..<Self.readsPerTurn {
            // The descriptor is our own and does not block; a failed read is tried again.
            guard let batch = try? kernel.read() else { return }
            let now = MonotonicClock.now
            for event in batch.events {
                if event.changes.contains(.watchEnded) { hands.watchEnded(event.watch) }
                reconciler.handle(.notified(KernelEvent(event)), at: now)
            }
            if batch.overflowed { reconciler.handle(.overflowed, at: now) }
            guard kernel.hasNews else {
                reconciler.handle(.drained, at: now)
                return
            }
        }
    }

    /// Makes a test event at the start and every minute: notifications that do not arrive are
    /// found.
    ///
    /// The kernel queues a notification before the call that caused it returns, so there is nothing
    /// to wait for.
    private mutating func testHearing() {
        let now = MonotonicClock.now
        guard let testDirectory, nextTest <= now else { return }
        nextTest = now + 60_000_000_000
        let name = Array(".watch-test".utf8)
        // A directory that cannot be written to proves nothing.
        guard let directory = try? RawDirectory.open(testDirectory, followLinks: false),
            let watch = try? kernel.add(testDirectory, [.created]),
            (try? directory.openFile(name, [.write, .create])) != nil
        else { return }
        reconciler.handle(.hearing(kernel.hasNews), at: now)
        // Left behind, it would make no event the next time.
        try? directory.remove(name)
        // It may have ended by itself; the reconciler does not know it.
        try? kernel.remove(watch)
    }
}
