// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: presenters at whose files programs that do not coordinate wait.

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

extension NSFileCoordinator {
    /// Registers a presenter and guards its file.
    ///
    /// A program that does not coordinate, and opens the file for writing or truncates it, waits
    /// until the presenter was asked to relinquish and to save (Rule 7.14).
    ///
    /// The guard is a read lease of the kernel. It works for regular files of this process's own
    /// user. The program waits no longer than `/proc/sys/fs/lease-break-time`, 45 s by default.
    /// Replacing or removing the file does not wait.
    ///
    /// No program can write in a file that has a lease, so the presenter must save by replacing the
    /// file, as `Data.write(to:options: .atomic)` does. The program that waits goes on with the
    /// file that it has opened, as that was before. What the presenter saved is then an unresolved
    /// conflict version of the file; ``NSFilePresenter/presentedItemDidGain(_:)`` tells of it. A
    /// program that opens with `O_NONBLOCK` gets the error `EAGAIN`.
    ///
    /// If this process writes in the file without a coordinated write, the guard ends: the bytes of
    /// a plain program that writes at the same time, or those of the presenter, may be lost. A line
    /// on standard error says so, and ``guardStatus(of:)``.
    ///
    /// After the program has closed the file, the presenter gets it back, and the lease is taken
    /// again. A presenter that is registered already gets no guard (Rule 5.2). See
    /// ``addFilePresenter(_:)`` for everything else.
    ///
    /// ```swift
    /// NSFileCoordinator.addGuardedFilePresenter(editor)
    /// ```
    ///
    /// Whether plain programs wait is known a little later, from ``guardStatus(of:)``. If the
    /// presenter cannot be registered, the reason is printed to standard error; use
    /// ``registerGuardedFilePresenter(_:label:since:)`` to handle the error.
    ///
    /// **Threads.** As ``addFilePresenter(_:)``. One thread for all guards of the process takes the
    /// leases, after the call has returned.
    ///
    /// **Cost.** That of ``addFilePresenter(_:)``, a descriptor of the file, and a system call for
    /// each lease. The guard tries again when the item has changed.
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, with the same limits as ``label``; nil for that of the
    ///     process.
    public static func addGuardedFilePresenter(
        _ filePresenter: any NSFilePresenter, label: String? = nil
    ) {
        Session.add(filePresenter, label: label ?? "", isGuarded: true)
    }

    /// Registers a presenter and guards its file, and throws if the registration is impossible
    /// (Rules 5.4 and 7.14).
    ///
    /// ``addGuardedFilePresenter(_:label:)``, which describes the guard, prints the error to
    /// standard error instead. That the kernel gives no lease is no error: the presenter is
    /// registered then, and ``guardStatus(of:)`` has the reason.
    ///
    /// ```swift
    /// do {
    ///     try NSFileCoordinator.registerGuardedFilePresenter(editor, label: "drafts")
    /// } catch {
    ///     print("This window is not coordinated: \(error.localizedDescription)")
    /// }
    /// ```
    ///
    /// **Threads and cost.** As those of ``addGuardedFilePresenter(_:label:)``; with a token, also
    /// a few system calls for the comparison, on the calling thread.
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, with the same limits as ``label``; nil for that of the
    ///     process.
    ///   - token: what the presenter has seen of its item. If the item has changed since then, the
    ///     presenter is told, as with ``registerFilePresenter(_:label:since:)``; nil for no
    ///     comparison.
    /// - Throws: the errors of ``registerFilePresenter(_:label:)``, also if the process has no
    ///   descriptors left for the guard. The presenter is not registered then.
    public static func registerGuardedFilePresenter(
        _ filePresenter: any NSFilePresenter, label: String? = nil, since token: FileToken? = nil
    ) throws {
        try Session.register(
            filePresenter, label: label ?? "", isGuarded: true, since: token?.core)
    }

    /// Whether programs that do not coordinate wait at a presenter's file (Rule 7.14).
    ///
    /// ``guardStatus(of:)`` has an example.
    ///
    /// **Threads and cost.** A value, for any thread. It says what was true when it was asked.
    public enum GuardStatus: Hashable, Sendable {
        /// The guard has not tried to take a lease yet, because the registration is recent: ask
        /// again.
        case starting
        /// They wait: a program that opens the file for writing continues when the presenter has
        /// relinquished and saved, 45 s later at most by default.
        case on
        /// A process has the file open for writing, possibly this one. The guard begins when it has
        /// closed the file.
        case offWhileOpenForWriting
        /// The kernel gives no lease, for the reason that the text says: there is no file, it is no
        /// regular file or another user's, or its file system has no leases. Or the guard has
        /// ended, because this process writes in the file instead of replacing it.
        ///
        /// Unless it has ended, the guard tries again when the item has changed.
        case off(reason: String)
    }

    /// Returns whether programs that do not coordinate wait at a presenter's file (Rule 7.14).
    ///
    /// ```swift
    /// switch NSFileCoordinator.guardStatus(of: editor) {
    /// case .on: print("other programs wait")
    /// case .starting, .offWhileOpenForWriting: print("not yet")
    /// case .off(let reason): print(reason)
    /// case nil: print("the presenter has no guard")
    /// }
    /// ```
    ///
    /// **Threads and cost.** Any thread; no system call. The answer may be outdated when it
    /// arrives.
    ///
    /// - Parameter filePresenter: the presenter.
    /// - Returns: the state of its guard; nil if it was not registered by
    ///   ``addGuardedFilePresenter(_:label:)`` or ``registerGuardedFilePresenter(_:label:since:)``.
    public static func guardStatus(of filePresenter: any NSFilePresenter) -> GuardStatus? {
        switch Session.leaseGuardStatus(ObjectIdentifier(filePresenter)) {
        case nil: nil
        case .starting: .starting
        case .on: .on
        case .off(.isOpenForWriting): .offWhileOpenForWriting
        case .off(let refusal): .off(reason: "\(refusal)")
        }
    }
}
#endif
