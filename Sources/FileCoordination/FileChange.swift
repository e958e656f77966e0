// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: what, where, by whom (Rule 7.14). ``NSFileCoordinator/changes(at:)`` gives
// these.

#if !canImport(Darwin)
import FileCoordinationWire
public import Foundation

/// A change of an item, or of an item inside it (Rule 7.14).
///
/// ```swift
/// func show(_ change: FileChange) {
///     switch change.kind {
///     case .moved(let old): print(old.path, "is now", change.url.path)
///     case .removed: print(change.url.path, "is gone")
///     case .appeared, .changed, .everything: print("read again:", change.url.path)
///     }
///     if let author = change.author { print("by", author.label, author.processIdentifier) }
/// }
/// ```
///
/// **Threads and cost.** A value, for any thread. Reading it takes no system call; the item may
/// have changed again since.
public struct FileChange: Hashable, Sendable {
    /// The kinds of changes: what to do with a copy of the item.
    public enum Kind: Hashable, Sendable {
        /// The item exists and did not before: it was created or moved here.
        case appeared
        /// The contents or attributes of the item have changed, or it was replaced.
        case changed
        /// Nothing is at the URL any more: the item was removed, or it has gone on with its
        /// directory, whose move is told later.
        case removed
        /// The item was moved to ``FileChange/url`` from this URL, with everything inside it.
        case moved(from: URL)
        /// Anything may have changed in the item and in everything that it contains: look again.
        ///
        /// Sent when a directory as a whole was reported as changed, and when changes were lost,
        /// for example because they were not read in time.
        case everything
    }

    /// The kind of the change, which says what ``url`` is.
    public var kind: Kind
    /// The changed item: its present URL, or the last one.
    public var url: URL
    /// Whether a coordinated writer made the change.
    ///
    /// False for a program that does not coordinate, and if that is unknown, as of changes inside a
    /// directory that a coordinated writer has claimed.
    public var isCoordinated: Bool
    /// The process that made the change, if that was a coordinated writer.
    ///
    /// Nil for a program that does not coordinate: the kernel does not tell which one it was. Also
    /// nil if the writer died before its access ended.
    public var author: Author?

    /// The process that made a change.
    ///
    /// ```swift
    /// func tell(_ author: FileChange.Author) {
    ///     print("changed by \(author.label), pid \(author.processIdentifier)")
    /// }
    /// ```
    public struct Author: Hashable, Sendable {
        /// The process ID; in another PID namespace than this process's if
        /// ``isInAnotherNamespace``.
        public var processIdentifier: Int32
        /// Whether the process is in another PID namespace, for example in a container; the process
        /// ID then means another process here, or none.
        public var isInAnotherNamespace: Bool
        /// The name to show to people: the label of the access, or else the program's name (Rule
        /// 18.15).
        ///
        /// Another program has chosen it, so escape control characters before you show it.
        public var label: String
    }
}

extension FileChange.Author {
    init(_ author: ChangeAuthor) {
        processIdentifier = ProcessNumber.plain(author.processID)
        isInAnotherNamespace = ProcessNumber.isOfAnotherNamespace(author.processID)
        label = author.label
    }
}
#endif
