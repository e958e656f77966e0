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
    /// No program can write in a file that has a lease, so the presenter must save by replacing
    /// the file, as `Data.write(to:options: .atomic)` does. The program that waits goes on with the
    /// file that it has opened, as that was before. What the presenter saved is then an unresolved
    /// conflict version of the file; ``NSFilePresenter/presentedItemDidGain(_:)`` tells of it. A
    /// presenter that writes in its file loses the protection for this time: program and presenter
    /// then go on together. A program that opens with `O_NONBLOCK` gets the error `EAGAIN`.
    ///
    /// After the program has closed the file, the presenter gets it back, and the lease is taken
    /// again. See ``addFilePresenter(_:)`` for everything else.
    ///
    /// ```swift
    /// NSFileCoordinator.addGuardedFilePresenter(editor)
    /// ```
    ///
    /// Whether plain programs wait is known a little later, from ``guardStatus(of:)``.
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

    /// Whether programs that do not coordinate wait at a presenter's file.
    public enum GuardStatus: Hashable, Sendable {
        /// The guard has not tried to take a lease yet.
        case starting
        /// They wait.
        case on
        /// A process has the file open for writing; the guard begins when that is over.
        case offWhileOpenForWriting
        /// The kernel gives no lease, for the reason that the text says: there is no file, it is no
        /// regular file or another user's, or its file system has no leases.
        ///
        /// The guard tries again when the item has changed.
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
    ///   ``addGuardedFilePresenter(_:label:)``.
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
