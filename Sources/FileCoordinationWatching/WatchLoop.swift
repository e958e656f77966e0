// SPDX-License-Identifier: Apache-2.0
//
// The loop of the watcher's thread. The order within a turn matters. Before presenters are told,
// the thread takes in the commands that came while it looked at names: if a coordinated write began
// before a look, that write explains what the look saw.

import FileCoordinationArbiter
import FileCoordinationSystem

/// The loop of the watcher's thread.
struct WatchLoop: Sendable {
    /// The greatest number of reads from the kernel's queue per turn, of 64 kB each.
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
            // The commands that explain what was just looked at are in the queue by now.
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
            // A wait can only fail if the descriptor is no poller, and then no event will ever
            // come.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return }
        }
    }

    private mutating func take(_ inputs: [WatchInput]) {
        for input in inputs {
            if input == .overflowed {
                // A test of lost events: drop everything that is in the kernel's queue.
                while let batch = try? kernel.read(), !batch.events.isEmpty {}
            }
            reconciler.handle(input, at: MonotonicClock.now)
        }
    }

    private mutating func readNotices() {
        for _ in 0..<Self.readsPerTurn {
            // The read does not block. After a failure, the next turn reads again.
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

    /// Finds out whether the kernel's events arrive, by causing one at the start and every minute.
    ///
    /// The kernel queues an event before the system call that caused it returns. So the event is
    /// there at once, or never.
    private mutating func testHearing() {
        let now = MonotonicClock.now
        guard let testDirectory, nextTest <= now else { return }
        nextTest = now + 60_000_000_000
        let name = Array(".watch-test".utf8)
        // If the directory cannot be written to, the test shows nothing.
        guard let directory = try? RawDirectory.open(testDirectory, followLinks: false),
            let watch = try? kernel.add(testDirectory, [.created]),
            (try? directory.openFile(name, [.write, .create])) != nil
        else { return }
        reconciler.handle(.hearing(kernel.hasNews), at: now)
        // The file must not exist at the next test, as only its creation causes an event.
        try? directory.remove(name)
        // The kernel may have ended the watch already. The reconciler does not know of this watch.
        try? kernel.remove(watch)
    }
}
