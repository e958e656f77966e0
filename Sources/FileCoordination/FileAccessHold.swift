// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: access that is a value, and no call (Rule 18.13). It is released when the program
// says so, and can be handed to other processes. Getting one is in FileAccessHold+Getting.swift.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
public import Foundation

/// Coordinated access to items that lasts until it is released, and can be handed to others.
///
/// A coordinated call covers its accessor; a hold covers whatever the program does until it calls
/// ``release()``: a document that stays open, a child that works on the file.
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
/// It ends with ``release()``, when the last reference to it goes, or when this process dies, at
/// once (Rule 18.8); never by a deadline: the `timeout` bounds the wait for it alone (Rule 18.1). A
/// hold may be released on any thread. Release holds as soon as you can: others wait, and a program
/// that waits for a second hold while it has one can come to wait in a circle with another program,
/// which is not found (Rule 18.4 knows of accessors only). Get both with one call instead.
///
/// What else this program does to the items while it holds them must say so: calls of the
/// coordinator that made the hold, or of one with the same ``purposeIdentifier``, run inside it
/// (Rule 2.10); those of others wait for it.
///
/// Three ways lead to other processes:
/// - ``keep(whileRunning:)`` and ``inheritableDescriptor()`` have the access last until others have
///   ended, whatever becomes of this program. They need `filecoord`.
/// - ``joinToken`` lets a program that uses this library take a hold of its own inside this one, by
///   ``init(joinToken:timeout:)``. Release this one after that, and the items were never free.
/// - ``environment`` tells a child all of that.
public final class FileAccessHold: Sendable {
    private let access: HeldAccess
    /// Its end of what keepers wait for, once a child may inherit it.
    private let inherited = Lock<Descriptor?>(nil)

    /// Where the items are, in the order in which they were named.
    public let urls: [URL]

    init(_ access: HeldAccess, urls: [URL]) {
        self.access = access
        self.urls = urls
    }

    deinit { release() }

    /// Whether this process holds it: it was not released, and this is no forked child.
    public var isHeld: Bool { access.isHeld }

    /// Releases the access; others that wait for it are granted theirs.
    ///
    /// Returns at once, on any thread. To release again has no effect. Processes to which it was
    /// handed down keep it.
    public func release() {
        access.release()
        inherited.withLock { $0 = nil }
    }

    // MARK: Joining it

    /// What the hold is for: accesses of this purpose do not wait for it (Rule 2.10).
    public var purposeIdentifier: String { access.purposeText }

    /// A text by which another process of this user joins the access, while it is held.
    ///
    /// Letters, digits and a few signs; hand it over by a pipe, an argument or the environment. It
    /// is no secret and no proof: it names items and a purpose.
    public var joinToken: String { access.joinToken.text }

    /// Variables for a child: ``joinToken`` as `FILECOORD_HOLD`, ``purposeIdentifier`` as
    /// `FILECOORD_PURPOSE`, what it runs under as `FILECOORD_CLAIM`, and the items' paths as
    /// `FILECOORD_PATH_1` and so on.
    ///
    /// A `filecoord` that the child starts with `--purpose "$FILECOORD_PURPOSE"` runs inside the
    /// hold; without that it is refused at once, instead of waiting for ever.
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

    // MARK: Handing it down

    /// Has the access last until another process has ended, whatever becomes of this one
    /// (Rule 18.13).
    ///
    /// Returns when that is certain; it takes some milliseconds, and blocks the thread: not for
    /// `async` functions. This process keeps its own hold until it releases it. A process of
    /// `filecoord` holds the access for the other one, which needs to know nothing of it.
    ///
    /// - Parameter processIdentifier: a process that this one has not waited for yet, such as a
    ///   `Process` that runs. What it starts in turn is not waited for; see
    ///   ``inheritableDescriptor()``.
    /// - Throws: ``FileCoordinationError`` of the kind `notHandedDown`; then only this process
    ///   holds the access.
    public func keep(whileRunning processIdentifier: Int32) throws {
        let process: ProcessHandle
        do throws(SystemError) {
            process = try ProcessHandle(processID: processIdentifier)
        } catch {
            throw Self.failure("\(error)")
        }
        let keeper = try startKeeper(whileRunning: processIdentifier)
        // The number was the same process's for as long as this one is there.
        guard !process.hasExited else {
            throw Self.failure("process \(processIdentifier) has ended")
        }
        guard keeper.confirm() else {
            throw Self.failure("the process that was to keep it ended")
        }
    }

    /// A descriptor that keeps the access for as long as any process has a copy of it.
    ///
    /// So does a lock on an inherited descriptor (Rule 18.13). Hand it to a child with
    /// `posix_spawn_file_actions_adddup2`, or clear its `FD_CLOEXEC` between `fork` and `exec`; the
    /// child's children inherit it as well. Foundation's `Process` closes all descriptors in its
    /// child: use ``keep(whileRunning:)`` there. Blocks the thread the first time, for some
    /// milliseconds.
    ///
    /// - Returns: a descriptor that the hold owns: it closes this process's when it is released.
    /// - Throws: ``FileCoordinationError`` of the kind `notHandedDown`.
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
            // Another thread's counts if it was first; this keeper ends by itself then.
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
