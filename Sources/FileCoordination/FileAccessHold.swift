// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: access as a value instead of a call (Rule 18.13). The program releases it,
// and can pass it on to other processes. FileAccessHold+Getting.swift creates holds.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
public import Foundation

/// Coordinated access to items that lasts until it is released, and that other processes can share.
///
/// A coordinated call covers its accessor. A hold covers everything that the program does until it
/// calls ``release()``, such as a document that stays open or a child process that works on the
/// file.
///
/// ```swift
/// let coordinator = NSFileCoordinator()
/// let hold = try coordinator.hold(writingItemAt: database, timeout: .seconds(5))
/// defer { hold.release() }
/// let child = Process()
/// child.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
/// child.arguments = [hold.urls[0].path, "VACUUM"]
/// child.environment = ProcessInfo.processInfo.environment.merging(hold.environment) { $1 }
/// try child.run()
/// try hold.keep(whileRunning: child.processIdentifier)  // also if this program dies
/// ```
///
/// A hold ends with ``release()``, when the last reference to it is released, or when this process
/// dies (Rule 18.8). It has no deadline: the `timeout` limits only the wait for it (Rule 18.1).
///
/// **Threads.** A hold may be used on any thread, and released on another one than it was made on.
///
/// **Cost.** The properties make no message. A hold that is held costs nothing but the record of
/// its claim, and what others lose that wait for it.
///
/// Release a hold as soon as possible, because others wait for it. A program that waits for a
/// second hold while it has one can deadlock with another program, which is not detected (Rule 18.4
/// covers only accessors). Get both items with one call instead.
///
/// Other accesses of this program to the held items must use the same purpose: calls of the
/// coordinator that made the hold, or of one with the same ``purposeIdentifier``, run inside it
/// (Rule 2.10). Calls with other purposes wait for it.
///
/// There are three ways to share a hold with other processes:
/// - ``keep(whileRunning:)`` and ``inheritableDescriptor()`` extend the access until other
///   processes have ended, even if this program ends before. They need `filecoord`.
/// - ``joinToken`` lets a program that uses this library get a hold of its own inside this one,
///   with ``init(joinToken:timeout:)``. If this hold is released after that, the items are never
///   free in between.
/// - ``environment`` passes all of this to a child process.
public final class FileAccessHold: Sendable {
    private let access: HeldAccess
    /// This process's end of the socket on which keepers wait, once a child may inherit it.
    private let inherited = Lock<Descriptor?>(nil)

    /// The URLs of the items, in the order in which they were named.
    ///
    /// They are those that the items had when access was granted, after moves that happened during
    /// the wait (Rule 11.4). They stay the same if this program moves an item. Use them instead of
    /// the URLs that you passed.
    public let urls: [URL]

    init(_ access: HeldAccess, urls: [URL]) {
        self.access = access
        self.urls = urls
    }

    deinit { release() }

    /// Whether this process has the hold: it was not released, and this is not a forked child.
    ///
    /// No other process can end a hold, so true stays true until this program releases it (Rule
    /// 2.22).
    public var isHeld: Bool { access.isHeld }

    /// Releases the access, so that others that wait for it can get theirs (Rule 2.20).
    ///
    /// Releasing again has no effect. Processes with which the hold was shared keep the access.
    ///
    /// ```swift
    /// let hold = try coordinator.hold(writingItemAt: url)
    /// hold.release()
    /// assert(!hold.isHeld)
    /// ```
    ///
    /// **Threads.** Any thread. Waits for no other process.
    ///
    /// **Cost.** For a hold that writes, a few system calls that compare the items with what they
    /// were. At most one message to the server.
    public func release() {
        access.release()
        inherited.withLock { $0 = nil }
    }

    // MARK: Joining

    /// The purpose of the hold: accesses with this purpose do not wait for it (Rule 2.10).
    ///
    /// Give it to other coordinators of this program that are to work on the items meanwhile:
    ///
    /// ```swift
    /// let inner = NSFileCoordinator()
    /// inner.purposeIdentifier = hold.purposeIdentifier
    /// ```
    public var purposeIdentifier: String { access.purposeText }

    /// A text by which another process of this user can join the access, while it is held.
    ///
    /// It consists of letters, digits and a few signs, and can be passed through a pipe, an
    /// argument or the environment. It is neither secret nor a credential: it names items and a
    /// purpose. It grows with the number and the length of the paths, of which each byte takes two
    /// letters. ``init(joinToken:timeout:)`` says what happens if the hold was released before.
    public var joinToken: String { access.joinToken.text }

    /// Environment variables for a child process: ``joinToken`` as `FILECOORD_HOLD`,
    /// ``purposeIdentifier`` as `FILECOORD_PURPOSE`, the claims around the child as
    /// `FILECOORD_CLAIM`, and the items' paths as `FILECOORD_PATH_1` and so on.
    ///
    /// Merge them into the environment that the child gets: they do not contain that of this
    /// process. A `filecoord` command that the child starts with `--purpose "$FILECOORD_PURPOSE"`
    /// runs inside the hold. Without that option it fails at once instead of waiting forever. The
    /// variables alone keep nothing: hold the access until the child has ended, or call
    /// ``keep(whileRunning:)``.
    public var environment: [String: String] {
        let joinToken = access.joinToken
        var variables = [
            JoinToken.variable: joinToken.text, "FILECOORD_PURPOSE": joinToken.purpose,
            SurroundingClaims.variable: joinToken.surroundings.text,
        ]
        for (index, url) in urls.enumerated() {
            variables["FILECOORD_PATH_\(index + 1)"] = url.path
        }
        return variables
    }

    // MARK: Sharing

    /// Extends the access until another process has ended, whatever happens to this one (Rule
    /// 18.13).
    ///
    /// Starts a `filecoord` process, which holds the access on behalf of the other process; that
    /// process need not know. Returns when it holds the access. This process keeps its own hold
    /// until it releases it.
    ///
    /// ```swift
    /// let sync = try Process.run(URL(fileURLWithPath: "/usr/bin/rsync"), arguments: arguments)
    /// try hold.keep(whileRunning: sync.processIdentifier)
    /// hold.release()  // others wait until rsync has ended
    /// ```
    ///
    /// **Threads.** Blocks the calling thread until the other process holds the access; so do not
    /// call it in `async` functions.
    ///
    /// **Cost.** One process, which makes an access of its own, and lasts as long as the process
    /// that it waits for. Starting it takes a few milliseconds.
    ///
    /// - Parameter processIdentifier: a process that this one has not waited for yet, such as a
    ///   running `Process`. Its children are not waited for; see ``inheritableDescriptor()``.
    /// - Throws: ``FileCoordinationError`` of the kind `notHandedDown`: `filecoord` cannot be
    ///   started, the process has ended, or the hold was released. Only this process holds the
    ///   access then, if it was not released; the text names the cause.
    public func keep(whileRunning processIdentifier: Int32) throws {
        let process: ProcessHandle
        do throws(SystemError) {
            process = try ProcessHandle(processID: processIdentifier)
        } catch {
            throw Self.failure("\(error)")
        }
        let keeper = try startKeeper(whileRunning: processIdentifier)
        // The handle proves that the process ID still stands for the same process, if that has not
        // exited.
        guard !process.hasExited else {
            throw Self.failure("process \(processIdentifier) has ended")
        }
        guard keeper.confirm() else {
            throw Self.failure("the process that was to keep it ended")
        }
    }

    /// Returns a descriptor that extends the access as long as any process has a copy of it.
    ///
    /// It works like a lock on an inherited descriptor (Rule 18.13). Pass it to a child with
    /// `posix_spawn_file_actions_adddup2`, or clear its `FD_CLOEXEC` flag between `fork` and
    /// `exec`; the child's children inherit it as well. Foundation's `Process` closes all
    /// descriptors in its child; use ``keep(whileRunning:)`` there.
    ///
    /// ```swift
    /// let descriptor = try hold.inheritableDescriptor()
    /// _ = fcntl(descriptor, F_SETFD, 0)  // the programs that this one executes keep it open
    /// ```
    ///
    /// **Threads.** Any thread. The first call blocks it as ``keep(whileRunning:)`` does.
    ///
    /// **Cost.** The first call starts one process, as ``keep(whileRunning:)`` does; further calls
    /// return the same descriptor.
    ///
    /// - Returns: a descriptor that belongs to the hold, which closes it when it is released.
    /// - Throws: ``FileCoordinationError`` of the kind `notHandedDown`, as ``keep(whileRunning:)``.
    public func inheritableDescriptor() throws -> Int32 {
        if let known = inherited.withLock({ $0 }) { return known.number }
        let keeper = try startKeeper()
        let fresh: Descriptor
        do throws(SystemError) {
            fresh = try keeper.inheritableDescriptor()
        } catch {
            throw Self.failure("\(error)")
        }
        return inherited.withLock { descriptor in
            // If another thread was faster, its descriptor is used; this keeper then ends by
            // itself.
            let kept = descriptor ?? fresh
            descriptor = kept
            return kept.number
        }
    }

    private func startKeeper(whileRunning process: Int32? = nil) throws -> HoldKeeper {
        guard isHeld else { throw Self.failure("it was released") }
        do throws(HoldKeeper.KeeperFailure) {
            let keeper = try HoldKeeper(of: access.joinToken, whileRunning: process)
            try keeper.join()
            return keeper
        } catch {
            throw Self.failure(error.reason)
        }
    }

    private static func failure(_ reason: String) -> FileCoordinationError {
        FileCoordinationError(
            .notHandedDown, reason: "The access cannot be handed to another process: \(reason).")
    }
}
#endif
