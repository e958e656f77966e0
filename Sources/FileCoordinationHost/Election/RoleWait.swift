// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a role whose holder may be stopped, or dead while its memory is still there. The
// kernel does not say which process holds such a lock, so the holder writes it into the lock's
// file; a process that waits looks at the holder now and then, and at last takes the file away, so
// that others make another one and lock that (Rule 18.7a).
//
// To take away the wrong one, because somebody was faster, costs nothing but a repetition: what
// keeps two hosts apart is their epochs.

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
    /// On a disk that is full nobody is told, and a stopped holder waited for.
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
    private var nextLook = MonotonicClock.now + HostVigil.firstPause
    private var vigil: HostVigil?
    /// Rings when a host listens.
    private let bell: ServiceBell?
    /// How often it had rung before the last look for a host.
    private var rung: UInt32

    /// The longest pause between two attempts, in nanoseconds.
    private static let longestPause: UInt64 = 10_000_000

    init(for name: String, in runtime: RuntimeDirectory, bell: ServiceBell? = nil) {
        self.name = name
        self.runtime = runtime
        self.bell = bell
        // Who is woken need not look often: dozens that do keep the winner from its work. That a
        // host has given up its role wakes nobody; the one who has been elected waits for it.
        let isWoken = bell != nil && name == RuntimeDirectory.Name.electionLock
        nextPause = isWoken ? 4_000_000 : 250_000
        rung = bell?.count ?? 0
    }

    /// Waits a little, or until a host listens, and now and then looks at the holder.
    mutating func pause() {
        let now = MonotonicClock.now
        if now >= nextLook {
            nextLook = now + HostVigil.pause
            look(now)
        }
        if let bell {
            bell.wait(since: rung, until: now + nextPause)
            rung = bell.count
        } else {
            Pause.sleep(nanoseconds: nextPause)
        }
        nextPause = min(2 * nextPause, Self.longestPause)
    }

    private mutating func look(_ now: UInt64) {
        guard let holder = RoleHolder.read(name, in: runtime.directory) else { return }
        if vigil?.processID != holder.processID { vigil = HostVigil(over: holder.processID) }
        guard vigil?.look(now: now) == true else { return }
        vigil = nil
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
