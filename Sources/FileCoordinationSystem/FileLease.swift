// SPDX-License-Identifier: Apache-2.0
//
// The kernel's read leases: while one is held, a process that opens the file for writing, or
// truncates it, waits until the lease is dropped, but no longer than /proc/sys/fs/lease-break-time.

internal import CFileCoordinationSystem
import Glibc

/// An open file on which this process may hold a read lease.
///
/// ``take()`` is called by the thread that polls ``LeaseSignals``; everything else may be called on
/// any thread. A forked child does not keep the file, so that a lease ends with its process.
public final class FileLease: Sendable {
    private let descriptor: Descriptor
    /// The file's status when it was opened.
    public let status: FileStatus

    /// Opens the regular file at `path`, without a lease; does not follow a final link.
    ///
    /// Throws ``ErrorNumber/invalidArgument`` if it is not a regular file.
    public init(openingFileAt path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "guard")
        // Only regular files are opened, because opening a pipe or a device can have effects.
        let kind = try FileStatus(path: path, followLinks: false).kind
        guard kind == .regular else {
            throw SystemError(code: ErrorNumber.invalidArgument, operation: "guard \(name)")
        }
        let number = unsafe name.withPointer {
            unsafe fcs_open_at(AT_FDCWD, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
        }
        descriptor = Descriptor(
            adopting: try check(number, "open \(name)"), inForkedChild: .closed)
        status = try descriptor.status()
    }

    /// Takes the lease.
    ///
    /// Throws ``ErrorNumber/tryAgain`` while a process has the file open for writing, and
    /// ``ErrorNumber/accessDenied`` if the file is another user's.
    public func take() throws(SystemError) {
        try check(fcs_lease_take(descriptor.number), "take a lease")
    }

    /// Whether the lease is held and no process waits for its end.
    public var isHeld: Bool { fcs_lease_is_held(descriptor.number) == 1 }

    /// Drops the lease, so that processes that wait for its end continue.
    public func drop() { _ = fcs_lease_drop(descriptor.number) }

    /// Whether no process has the file open for writing, or waits to open it, and its contents
    /// are those of `former`; takes the lease again then.
    public func isUntouched(since former: FileStatus?) -> Bool {
        // The kernel counts a process that waits as one that writes, and refuses.
        guard let former, (try? take()) != nil, let now = try? descriptor.status() else {
            return false
        }
        return now.modified == former.modified && now.size == former.size
    }

    /// The file's present status; nil if that cannot be determined.
    public var presentStatus: FileStatus? {
        // The reason does not matter to callers, who then expect a change.
        try? descriptor.status()
    }

    /// Whether the file at `path` is this one.
    public func isAt(_ path: [UInt8]) -> Bool {
        // If it cannot be examined, it counts as another one.
        guard let there = try? FileStatus(path: path, followLinks: false) else { return false }
        // The inode number is not used again while the file is open.
        return there.device == status.device && there.inode == status.inode
    }

    /// Gives the file another name.
    public func link(at path: [UInt8]) throws(SystemError) {
        let name = try CName(path, for: "link")
        try unsafe check(
            name.withPointer { unsafe fcs_link_open(descriptor.number, $0) },
            "make the name \(name)")
    }

    /// Exchanges the items at two paths, atomically.
    public static func exchange(_ one: [UInt8], _ other: [UInt8]) throws(SystemError) {
        let first = try CName(one, for: "exchange")
        let second = try CName(other, for: "exchange with")
        let result = unsafe first.withPointer { first in
            unsafe second.withPointer { second in
                unsafe fcs_rename_at(AT_FDCWD, first, AT_FDCWD, second, UInt32(FCS_RENAME_EXCHANGE))
            }
        }
        try check(result, "exchange \(first) and \(second)")
    }

    /// Removes a name that is not a directory's.
    public static func removeName(_ path: [UInt8]) throws(SystemError) {
        try unsafe Descriptor.call("remove", path) { unsafe unlink($0) }
    }

    /// Watches the file, whatever its path is.
    public func watch(
        by watch: DirectoryWatch, _ changes: DirectoryWatch.Changes
    ) throws(SystemError) -> Int32 {
        try check(
            fcs_watch_open(watch.descriptor.number, descriptor.number, changes.rawValue),
            "watch a guarded file")
    }

    // MARK: Processes that wait

    /// The IDs of the processes that wait for the end of this lease, from `/proc/locks`.
    ///
    /// Empty if it cannot be read. Processes outside this PID namespace are missing.
    public var waitingProcesses: [Int32] {
        guard let text = KernelText.readAll("/proc/locks") else { return [] }
        return Self.waitingProcesses(in: text, holder: getpid(), inode: status.inode)
    }

    /// Finds them in the kernel's list of locks.
    ///
    /// It looks like this:
    ///
    ///     1: LEASE  BREAKING  UNLCK 9901 fe:00:16261323 0 EOF
    ///     1: -> LEASE  BREAKER   WRITE 9942 <none>:0 0 EOF
    static func waitingProcesses(in text: [UInt8], holder: Int32, inode: UInt64) -> [Int32] {
        var result: [Int32] = []
        var isOurs = false
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
                .map { String(decoding: $0, as: UTF8.self) }
            if words.dropFirst().first == "->" {
                guard isOurs, words.count > 5, words[2] == "LEASE" else { continue }
                if let process = Int32(words[5]), process > 0 { result.append(process) }
            } else {
                isOurs =
                    words.count > 5 && words[1] == "LEASE" && words[4] == "\(holder)"
                    && words[5].hasSuffix(":\(inode)")
            }
        }
        return result
    }
}

/// Tells one thread of broken leases.
///
/// The kernel sends SIGURG to the thread that has taken the lease. A ``DetachedThread`` blocks all
/// signals, so the signal stays pending until it is taken here. Signals that were sent to the
/// process are left to the program.
public final class LeaseSignals: Sendable {
    private let descriptor: Descriptor

    /// Creates the object for the calling thread.
    public init() throws(SystemError) {
        descriptor = Descriptor(
            adopting: try check(fcs_lease_signals(), "watch leases"), inForkedChild: .closed)
    }

    /// Adds it to the calling thread's poller, which then reports each new signal once.
    public func add(to poller: Poller, token: UInt64) throws(SystemError) {
        // A signal that waits for the program's own threads must not wake this one for ever.
        try poller.add(descriptor, token: token, [.readable, .onlyNew])
    }

    /// Takes the calling thread's signals.
    ///
    /// Do this before looking at the leases, not after.
    public func drain() { _ = fcs_lease_take_signals() }
}
