// SPDX-License-Identifier: Apache-2.0
//
// Waits for a role lock whose holder may be stopped, or dead while the kernel still has its memory
// or has not closed its files. The kernel does not tell which process holds such a lock, so the
// holder writes its process ID into the lock file. A waiting process checks the holder from time to
// time. If the holder is dead, or stopped for too long, the waiter removes the file, so that
// processes create and lock a new one (Rule 18.7a).
//
// If another process was faster and the wrong file is removed, the election is merely repeated:
// epochs keep two servers apart.

import FileCoordinationLedger
import FileCoordinationSystem

/// The holder of a role, as the lock file names it.
enum RoleHolder {
    /// The process ID of this process and its PID namespace.
    private static var own: [UInt8] {
        unsafe withUnsafeBytes(of: CurrentProcess.id.littleEndian) { unsafe Array($0) }
            + withUnsafeBytes(of: ownNamespace.littleEndian) { unsafe Array($0) }
    }

    private static var ownNamespace: UInt64 { CurrentProcess.processNamespace }

    /// Writes this process into the lock file, right after the lock is taken.
    ///
    /// On a full disk this fails silently. A stopped holder is then not deposed but waited for.
    static func write(to file: Descriptor) {
        // Without its number, the holder is waited for.
        unsafe own.withUnsafeBytes { bytes in _ = try? unsafe file.write(bytes, at: 0) }
    }

    /// Returns the last process that took the lock `name`, and the lock file.
    static func read(
        _ name: String, in directory: Directory
    ) -> (processID: Int32, file: FileStatus)? {
        // The holder is not known; here and below.
        guard let file = try? directory.openFile(name, [.read, .nonBlocking]),
            let status = try? file.status()
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 12)
        let count = unsafe bytes.withUnsafeMutableBytes {
            // Without its number, the holder is not known.
            unsafe (try? file.read(into: $0, at: 0)) ?? 0
        }
        guard count == bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes { raw in
            let number = unsafe raw.loadUnaligned(fromByteOffset: 0, as: Int32.self)
            let holderNamespace = unsafe raw.loadUnaligned(fromByteOffset: 4, as: UInt64.self)
            guard holderNamespace != 0, UInt64(littleEndian: holderNamespace) == ownNamespace
            else { return nil }
            return (Int32(littleEndian: number), status)
        }
    }
}

/// One wait for a role.
struct RoleWait {
    private let name: String
    private let runtime: RuntimeDirectory
    private var nextPause: Duration
    private var nextCheck: Instant
    /// The least time between two checks of the holder.
    private let checkPause: Duration
    private var watchdog: ServerWatchdog?
    /// Wakes this process when a server listens.
    private let serverReady: ServerReadyEvent?
    /// The count of ``serverReady`` before the last attempt to connect.
    private var lastEventCount: UInt32

    /// The longest pause between two attempts.
    private static let longestPause: Duration = .milliseconds(10)

    init(for name: String, in runtime: RuntimeDirectory, serverReady: ServerReadyEvent? = nil) {
        self.name = name
        self.runtime = runtime
        self.serverReady = serverReady
        // A process that is woken need not poll often; dozens of polling processes would slow down
        // the elected one. The end of a role wakes no process, so the elected process polls for the
        // server lock.
        let isWoken = serverReady != nil && name == RuntimeDirectory.Name.electionLock
        nextPause = isWoken ? .milliseconds(4) : .microseconds(250)
        // The elected process also finds out at once that the holder is dead while its lock exists.
        // If all did, they would slow it down.
        let isElected = name == RuntimeDirectory.Name.serverLock
        checkPause = isElected ? .zero : ServerWatchdog.pause
        nextCheck = MonotonicClock.after(isElected ? .zero : ServerWatchdog.firstPause)
        lastEventCount = serverReady?.count ?? 0
    }

    /// Waits for a short time or until a server listens, and checks the holder from time to time.
    mutating func pause() {
        let now = MonotonicClock.now
        if now >= nextCheck {
            nextCheck = now + checkPause
            examineHolder(now)
        }
        if let serverReady {
            serverReady.wait(since: lastEventCount, until: now + nextPause)
            lastEventCount = serverReady.count
        } else {
            Pause.sleep(nextPause)
        }
        nextPause = min(nextPause * 2, Self.longestPause)
    }

    private mutating func examineHolder(_ now: Instant) {
        guard let holder = RoleHolder.read(name, in: runtime.directory) else { return }
        if watchdog?.processID != holder.processID {
            watchdog = ServerWatchdog(over: holder.processID)
        }
        guard watchdog?.check(now: now) == true else { return }
        watchdog = nil
        // A process that took the lock from a dead holder has written its own ID by now.
        guard RoleHolder.read(name, in: runtime.directory)?.processID == holder.processID else {
            return
        }
        // Checked last, so that another holder's file is almost never removed.
        let there = try? runtime.directory.status(of: name)
        guard there?.inode == holder.file.inode, there?.device == holder.file.device else { return }
        // Another process has removed it.
        try? runtime.directory.remove(name)
    }
}
