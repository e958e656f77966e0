// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: takes tokens, compares them with items, and registers presenters that learn
// of changes made while they were not registered (Rules 7.14, 18.16).

#if !canImport(Darwin)
import FileCoordinationClient
public import Foundation
import FoundationCompatibility

extension NSFileCoordinator {
    /// Returns what is to be seen of an item now (Rule 18.16).
    ///
    /// Without a coordinated access around it, take the token before you read: what is written
    /// while you read then counts as unseen.
    ///
    /// ```swift
    /// let token = try NSFileCoordinator.token(of: settings)
    /// let text = try String(contentsOf: settings, encoding: .utf8)
    /// ```
    ///
    /// **Threads.** Any. Where the file system would stamp another change just like the last one,
    /// it waits until that is over: never on Linux 6.13 and newer with ext4, XFS, Btrfs and tmpfs,
    /// up to 20 ms on older ones, up to 2 s where stamps are whole seconds.
    ///
    /// **Cost.** Two system calls, and no message. Where stamps prove too little (file servers,
    /// file systems in user space), the contents are read.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist. A symbolic link at its end is not followed: take the
    ///     token of what it leads to, if you write with `resolvesSymbolicLink`.
    ///   - digest: whether the token has a digest of the contents, for which they are read. With
    ///     it, an item with equal contents counts as unchanged, and stores into a mapped file are
    ///     seen.
    /// - Returns: the token.
    /// - Throws: an error of Foundation if the URL leads to no place in the file system, or the
    ///   item cannot be looked at (Rules 1.10, 17.3).
    public static func token(of url: URL, digest: Bool = false) throws -> FileToken {
        do throws(AccessFailure) {
            return FileToken(try ItemToken.take(of: ItemName(url), withDigest: digest))
        } catch {
            throw error.thrown([(url, isWriting: false)])
        }
    }

    /// Returns what this coordinator's accessor sees of an item (Rule 18.16).
    ///
    /// Inside a reading accessor of a throwing or `async` call, or under a hold that reads, it is
    /// the state at the grant, before the first byte could be read. Inside a call with Apple's
    /// signature, and of another item, such as a file in a directory that the call reads, it is the
    /// state now: ask before you read. Inside a writing
    /// accessor, it is the state now: ask when you have written, and the token is good for the next
    /// write.
    ///
    /// If the item was changed so shortly before the grant that the file system might stamp another
    /// change alike (up to 20 ms before Linux 6.13, 2 s where stamps are whole seconds), the token
    /// is one that is never current: read again. ``FileToken`` has an example.
    ///
    /// **Threads and cost.** As those of the function of this name that needs no coordinator.
    ///
    /// - Parameters:
    ///   - url: the item, as the accessor got it.
    ///   - digest: whether the token has a digest of the contents.
    /// - Returns: the token.
    /// - Throws: as that function.
    public func token(of url: URL, digest: Bool = false) throws -> FileToken {
        do throws(AccessFailure) {
            return FileToken(
                try core.token(of: ItemName(url), withDigest: digest, in: Session.current()))
        } catch {
            throw error.thrown([(url, isWriting: false)])
        }
    }

    /// Returns whether an item is still as it was seen (Rule 18.16).
    ///
    /// The answer may be outdated when it arrives. To write only if it is, pass the token to the
    /// write.
    ///
    /// ```swift
    /// if try !NSFileCoordinator.isCurrent(token, of: settings) { reload() }
    /// ```
    ///
    /// **Threads and cost.** Any thread; two system calls, and no message. If the token has a
    /// digest, the contents are read.
    ///
    /// - Parameters:
    ///   - token: what was seen.
    ///   - url: the item; a symbolic link at its end is not followed.
    /// - Returns: whether nothing has changed.
    /// - Throws: an error of Foundation if the URL leads to no place in the file system, or the
    ///   item cannot be looked at.
    public static func isCurrent(_ token: FileToken, of url: URL) throws -> Bool {
        do throws(AccessFailure) {
            return try token.core.difference(fromItemNamed: ItemName(url)) == nil
        } catch {
            throw error.thrown([(url, isWriting: false)])
        }
    }

    /// Registers a presenter that has seen an earlier state of its item, and tells it if the item
    /// has changed since then (Rule 7.14).
    ///
    /// If it has, the presenter gets ``NSFilePresenter/presentedItemDidChange()`` on its queue,
    /// also if the item has appeared or is gone. Changes between the comparison and later ones are
    /// not lost: the item is watched before it is compared. Of a directory, only its own list of
    /// names is compared. See ``registerFilePresenter(_:label:)`` for everything else.
    ///
    /// **Threads and cost.** As those of ``addFilePresenter(_:)``, and a few system calls for the
    /// comparison, on the calling thread.
    ///
    /// ```swift
    /// let coordinator = NSFileCoordinator()
    /// try coordinator.coordinate(readingItemAt: document, timeout: .seconds(5)) { url in
    ///     let token = try coordinator.token(of: url)
    ///     try JSONEncoder().encode(token).write(to: settings)
    /// }
    /// // When the program runs again:
    /// let token = try JSONDecoder().decode(FileToken.self, from: Data(contentsOf: settings))
    /// try NSFileCoordinator.registerFilePresenter(editor, since: token)
    /// ```
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, with the same limits as ``label``; nil for that of the
    ///     process.
    ///   - token: what the presenter has seen of its item.
    /// - Throws: the errors of ``registerFilePresenter(_:label:)``. The presenter is not registered
    ///   then.
    public static func registerFilePresenter(
        _ filePresenter: any NSFilePresenter, label: String? = nil, since token: FileToken
    ) throws {
        try Session.register(filePresenter, label: label ?? "", since: token.core)
    }
}
#endif
