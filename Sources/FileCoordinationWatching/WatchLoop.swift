// SPDX-License-Identifier: Apache-2.0
//
// The loop of the watcher's thread. In each turn it takes commands, reads the kernel's queue, looks
// at what that names, and sends messages.

import FileCoordinationArbiter
import FileCoordinationSystem

/// The loop of the watcher's thread.
struct WatchLoop: Sendable {
    /// The greatest number of reads from the kernel's queue per turn, of 64 kB each.
    private static let readsPerTurn = 8
    private static let noticesToken: UInt64 = 1
    private static let commandsToken: UInt64 = 2

    private let poller: Poller
    /// Waits for commands alone.
    private let commandPoller: Poller
    private let shortestTurn: Duration
    private let kernel: DirectoryWatch
    private let commands: WatchCommands
    private let mailbox: WatchMailbox
    private let deliveryTest: EventDeliveryTest?
    private var reconciler: WatchReconciler
    private var hands: WatchExecutor
    private var nextTest = Instant.distantPast

    init(
        _ configuration: Watcher.Configuration, _ commands: WatchCommands,
        _ mailbox: WatchMailbox
    ) throws(SystemError) {
        self.commands = commands
        self.mailbox = mailbox
        kernel = try DirectoryWatch()
        deliveryTest = EventDeliveryTest(
            in: configuration.testDirectory, kernel, isMute: configuration.isTestMute)
        poller = try Poller()
        try poller.add(kernel.descriptor, token: Self.noticesToken, .readable)
        try poller.add(commands.wakeUp.descriptor, token: Self.commandsToken, .readable)
        commandPoller = try Poller()
        try commandPoller.add(commands.wakeUp.descriptor, token: Self.commandsToken, .readable)
        shortestTurn = min(configuration.limits.turn, configuration.limits.pause)
        let root = ObservedFile(try OpenItem(path: Array("/".utf8)).properties())
        reconciler = WatchReconciler(root: root, limits: configuration.limits)
        hands = WatchExecutor(kernel: kernel, watchLimit: configuration.watchLimit)
    }

    mutating func run() {
        var ready: [Poller.Ready] = []
        while true {
            let began = MonotonicClock.now
            commands.beginTurn(at: began)
            guard let inputs = commands.take() else { return }
            take(inputs)
            testEventDelivery()
            readNotices()
            for order in reconciler.takeOrders() {
                if let answer = hands.carryOut(order) {
                    reconciler.handle(answer, at: MonotonicClock.now)
                }
            }
            hands.endTurn()
            // What has happened by now is in the kernel's queue, if it was not read.
            let now = MonotonicClock.now
            if reconciler.awaitsMoves, kernel.hasNews { reconciler.handle(.behind, at: now) }
            let news = reconciler.endTurn(at: now)
            if !news.isEmpty {
                commands.report(
                    Dictionary(uniqueKeysWithValues: reconciler.troubles.map { ($0, $1) }))
            }
            mailbox.put(news, lastAnswered: reconciler.lastAnswered)
            let deadline = reconciler.hasOrders ? .distantPast : reconciler.nextDeadline
            commands.endTurn()
            if deadline == .distantPast { continue }
            guard wait(from: began, until: deadline, &ready) else { return }
        }
    }

    /// Waits for a command, or, when the shortest time of a turn is over, for a notification.
    ///
    /// Returns false if that is impossible.
    private func wait(
        from began: Instant, until deadline: Instant?, _ ready: inout [Poller.Ready]
    ) -> Bool {
        let turnEnd = began + shortestTurn
        do {
            if MonotonicClock.now < turnEnd {
                try commandPoller.wait(into: &ready, until: .earlier(turnEnd, deadline))
                if !ready.isEmpty { return true }
            }
            try poller.wait(into: &ready, until: deadline)
            return true
        } catch {
            // Only if the descriptor is not that of a poller; then no event can ever arrive.
            return false
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

    /// Tests whether the kernel's notifications arrive, at the start and every minute.
    private mutating func testEventDelivery() {
        let now = MonotonicClock.now
        guard let deliveryTest, nextTest <= now else { return }
        nextTest = now + EventDeliveryTest.pause
        if let arrives = deliveryTest.eventArrives() {
            reconciler.handle(.eventsArrive(arrives), at: now)
        }
    }
}
