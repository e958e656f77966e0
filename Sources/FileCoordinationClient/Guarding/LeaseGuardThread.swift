// SPDX-License-Identifier: Apache-2.0
//
// The thread that holds this process's leases. Signals report broken leases, inotify reports closed
// and replaced files, and other threads add tasks. It runs no code of the program, and neither the
// server nor a claim waits for it.

import FileCoordinationSystem

/// The guards of this process, and their thread.
final class LeaseGuardThread: Sendable {
    private struct Tasks: Sendable {
        var waiting: [(guarded: LeaseGuard, task: LeaseGuard.GuardTask)] = []
        /// The guards that may have a lease.
        var guards: [ObjectIdentifier: LeaseGuard] = [:]
        var isRunning = false
    }

    private let tasks = Lock(Tasks())
    private let wakeUp: WakeUp
    private let services: any ClientServices

    init(_ services: any ClientServices) throws(SystemError) {
        wakeUp = try WakeUp()
        self.services = services
    }

    /// Adds a task, and starts the thread with the first one.
    func add(_ task: LeaseGuard.GuardTask, for guarded: LeaseGuard) {
        let isFirst = tasks.withLock { tasks in
            tasks.waiting.append((guarded, task))
            switch task {
            case .takeLease: tasks.guards[ObjectIdentifier(guarded)] = guarded
            case .forget: tasks.guards[ObjectIdentifier(guarded)] = nil
            case .checkPath, .answered, .finish: break
            }
            defer { tasks.isRunning = true }
            return !tasks.isRunning
        }
        wakeUp.signal()
        guard isFirst else { return }
        do throws(SystemError) {
            try DetachedThread.start(name: "file-leases") { [self] in
                do throws(SystemError) {
                    let loop = try LeaseGuardLoop(wakeUp, services)
                    while true { try loop.turn { self.takeTasks() } }
                } catch {
                    fail(error)
                }
            }
        } catch {
            fail(error)
        }
    }

    private func takeTasks() -> [(guarded: LeaseGuard, task: LeaseGuard.GuardTask)] {
        tasks.withLock { tasks in
            defer { tasks.waiting = [] }
            return tasks.waiting
        }
    }

    /// Drops all leases, because the thread cannot run; tells the programs.
    ///
    /// Without it no plain program that waits would go on before the kernel's time limit. The next
    /// task starts another thread.
    func fail(_ error: SystemError) {
        let guards = tasks.withLock { tasks in
            tasks.isRunning = false
            for (guarded, _) in tasks.waiting { tasks.guards[ObjectIdentifier(guarded)] = guarded }
            tasks.waiting = []
            defer { tasks.guards = [:] }
            return tasks.guards.values
        }
        for guarded in guards {
            _ = guarded.secure(services.versions)
            guarded.handle(.threadFailed(error.code))
            // The next thread opens the file, and watches it.
            guarded.state.withLock { state in
                state.file?.drop()
                state.file = nil
            }
        }
    }
}

/// What the thread waits for, and what it does then; used by that thread alone.
private final class LeaseGuardLoop {
    private enum GuardToken {
        static let wakeUp: UInt64 = 1
        static let signals: UInt64 = 2
        static let files: UInt64 = 3
    }

    private let wakeUp: WakeUp
    private let services: any ClientServices
    private let poller: Poller
    private let signals: LeaseSignals
    private let files: DirectoryWatch
    /// The guards whose files are watched, by the number of the watch.
    private var guards: [Int32: [ObjectIdentifier: LeaseGuard]] = [:]
    /// When to check next whether a presenter's own process waits for a lease, and the pause after
    /// that.
    private var nextSaverCheck: (time: Instant, pause: Duration)?
    private var ready: [Poller.Ready] = []

    private static let changes: DirectoryWatch.Changes = [
        .closedAfterWriting, .attributes, .itselfMoved, .itselfRemoved,
    ]
    /// A presenter that opens the file itself to save would be stuck so long.
    private static let firstPause = Duration.milliseconds(10)
    /// The kernel does not report such presenters; they are not looked for more often while asked.
    private static let longestPause = Duration.seconds(1)

    init(_ wakeUp: WakeUp, _ services: any ClientServices) throws(SystemError) {
        self.wakeUp = wakeUp
        self.services = services
        poller = try Poller()
        signals = try LeaseSignals()
        files = try DirectoryWatch()
        try poller.add(wakeUp.descriptor, token: GuardToken.wakeUp, .readable)
        try poller.add(files.descriptor, token: GuardToken.files, .readable)
        try signals.add(to: poller, token: GuardToken.signals)
    }

    /// Waits for something to do, and does it.
    func turn(
        _ takeTasks: () -> [(guarded: LeaseGuard, task: LeaseGuard.GuardTask)]
    ) throws(SystemError) {
        try poller.wait(into: &ready, until: nextSaverCheck?.time)
        wakeUp.drain()
        signals.drain()
        checkLeases()
        for (guarded, task) in takeTasks() { perform(task, for: guarded) }
        try readFileEvents()
        checkForSavers()
    }

    private var all: [LeaseGuard] { guards.values.flatMap { Array($0.values) } }

    /// A signal says only that some lease is broken: signals of one number are not counted.
    private func checkLeases() {
        for guarded in all {
            guarded.checkLease()
            if nextSaverCheck == nil, guarded.state.withLock({ $0.life.isAsking }) {
                nextSaverCheck = (MonotonicClock.after(Self.firstPause), Self.firstPause)
            }
        }
    }

    private func perform(_ task: LeaseGuard.GuardTask, for guarded: LeaseGuard) {
        switch task {
        case .takeLease:
            guarded.takeLease(
                watch: { self.watch($0, for: guarded) },
                unwatch: { _ in self.unwatch(guarded) })
        case .checkPath: guarded.checkPath()
        case .answered:
            let news = guarded.secure(services.versions)
            guarded.handle(.answered)
            if let news { guarded.tell(news) }
        case .finish:
            _ = guarded.secure(services.versions)
            guarded.state.withLock { $0.file?.drop() }
        case .forget: unwatch(guarded)
        }
    }

    private func watch(_ file: FileLease, for guarded: LeaseGuard) {
        // Without a watch, messages about the item make the guard try again.
        let watch = (try? file.watch(by: files, Self.changes)) ?? -1
        guards[watch, default: [:]][ObjectIdentifier(guarded)] = guarded
    }

    private func unwatch(_ guarded: LeaseGuard) {
        for (watch, watchers) in guards where watchers[ObjectIdentifier(guarded)] != nil {
            guards[watch]?[ObjectIdentifier(guarded)] = nil
            guard guards[watch]?.isEmpty == true else { continue }
            guards[watch] = nil
            // The watch may have ended with the file.
            if watch >= 0 { try? files.remove(watch) }
        }
    }

    private func readFileEvents() throws(SystemError) {
        let batch = try files.read()
        var concerned: [ObjectIdentifier: LeaseGuard] = [:]
        if batch.overflowed { for one in all { concerned[ObjectIdentifier(one)] = one } }
        for event in batch.events where !event.changes.contains(.watchEnded) {
            concerned.merge(guards[event.watch] ?? [:]) { $1 }
        }
        for guarded in concerned.values { guarded.itemMayHaveChanged() }
    }

    /// Checks whether presenters wait for their own leases, because they open the file itself to
    /// save.
    ///
    /// The kernel does not report that.
    private func checkForSavers() {
        guard let check = nextSaverCheck, MonotonicClock.now >= check.time else { return }
        let isAsking = all.filter { $0.checkForSaver() }.count > 0
        let pause = min(check.pause * 2, Self.longestPause)
        nextSaverCheck = isAsking ? (MonotonicClock.after(pause), pause) : nil
    }
}
