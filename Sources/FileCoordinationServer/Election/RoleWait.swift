// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a role whose holder may be stopped, or dead while its memory is still there. The
// kernel does not say which process holds such a lock, so the holder writes it into the lock's
// file; a process that waits looks at the holder now and then, and at last takes the file away, so
// that others make another one and lock that (Rule 18.7a).
//
// To take away the wrong one, because another process was faster, costs nothing but a repetition:
// what keeps two servers apart is their epochs.

import FileCoordinationLedger
import FileCoordinationSystem

/// Who holds a role, as it says itself.
enum RoleHolder {
    /// The process, and the world in which it has this number.
    private static var own: [UInt8] {
        withUnsafeBytes(of: CurrentProcess.id.littleEndian) { Array($0) }
            + withUnsafeBytes(of: world.littleEndian) { Array($0) }
    }

    private static var world: UInt64 { CurrentProcess.processNamespace }

    /// Says it, as soon as the lock is had.
    ///
    /// On a disk that is full it is not written, and a stopped holder is waited for.
    static func write(to file: Descriptor) {
        own.withUnsafeBytes { bytes in _ = try? file.write(bytes, at: 0) }
    }

    /// The process that has, or had last, the lock `name`, and the lock's file.
    static func read(
        _ name: String, in directory: Directory
    ) -> (processID: Int32, file: FileStatus)? {
        guard let file = try? directory.openFile(name, [.read, .nonBlocking]),
            let status = try? file.status()
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 12)
        let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
        guard count == bytes.count else { return nil }
        return bytes.withUnsafeBytes { raw in
            let number = raw.loadUnaligned(fromByteOffset: 0, as: Int32.self)
            let itsWorld = raw.loadUnaligned(fromByteOffset: 4, as: UInt64.self)
            guard itsWorld != 0, UInt64(littleEndian: itsWorld) == world else { return nil }
            return (Int32(littleEndian: number), status)
        }
    }
}

/// One wait for a role.
struct RoleWait {
    private let name: String
    private let runtime: RuntimeDirectory
    private var nextPause: UInt64
    private var nextLook = MonotonicClock.now + ServerWatchdog.firstPause
    private var watchdog: ServerWatchdog?
    /// Rings when a server listens.
    private let serverReady: ServerReadyEvent?
    /// How often it had rung before the last look for a server.
    private var rung: UInt32

    /// The longest pause between two attempts, in nanoseconds.
    private static let longestPause: UInt64 = 10_000_000

    init(for name: String, in runtime: RuntimeDirectory, serverReady: ServerReadyEvent? = nil) {
        self.name = name
        self.runtime = runtime
        self.serverReady = serverReady
        // Who is woken need not look often: dozens that do keep the winner from its work. A server
        // that gives up its role wakes no process; the one who has been elected waits for it.
        let isWoken = serverReady != nil && name == RuntimeDirectory.Name.electionLock
        nextPause = isWoken ? 4_000_000 : 250_000
        rung = serverReady?.count ?? 0
    }

    /// Waits a little, or until a server listens, and now and then looks at the holder.
    mutating func pause() {
        let now = MonotonicClock.now
        if now >= nextLook {
            nextLook = now + ServerWatchdog.pause
            look(now)
        }
        if let serverReady {
            serverReady.wait(since: rung, until: now + nextPause)
            rung = serverReady.count
        } else {
            Pause.sleep(nanoseconds: nextPause)
        }
        nextPause = min(2 * nextPause, Self.longestPause)
    }

    private mutating func look(_ now: UInt64) {
        guard let holder = RoleHolder.read(name, in: runtime.directory) else { return }
        if watchdog?.processID != holder.processID {
            watchdog = ServerWatchdog(over: holder.processID)
        }
        guard watchdog?.look(now: now) == true else { return }
        watchdog = nil
        // Who has just taken it from one that is dead has written its number by now.
        guard RoleHolder.read(name, in: runtime.directory)?.processID == holder.processID else {
            return
        }
        // Looked at last, so that it is hardly ever another's.
        let there = try? runtime.directory.status(of: name)
        guard there?.inode == holder.file.inode, there?.device == holder.file.device else { return }
        try? runtime.directory.remove(name)
    }
}
