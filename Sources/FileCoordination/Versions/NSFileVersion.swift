// SPDX-License-Identifier: Apache-2.0
//
// The public class. `VersionSubject` implements it; the members that programs may override are
// here, because Swift requires them in the class body.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
public import Foundation

/// A version of a file or directory: its present contents, former contents, or contents that
/// another program gave it at the same time.
///
/// Versions are stored on this computer, in a store of the user's. A version belongs to its item:
/// it follows the item when that is moved, and stays with the document through coordinated writes
/// that replace the file. If a coordinated write deletes a file, a new file with its name has no
/// versions.
///
/// Changes by programs that do not coordinate are inferred. If the item's file is gone, and another
/// file without versions of its own is at its path, that file is considered to be the document,
/// saved anew. A file is gone if its identity is not found in the neighborhood of its path (a few
/// thousand names around it). So if a file was moved farther without coordination, it keeps its
/// versions, but a new file at its old path shows them, too; the first of the two that is written
/// with coordination, or gets a version, keeps them. That change makes the inference permanent;
/// queries change nothing.
///
/// Versions of a deleted document remain: see ``orphanedVersionsOfItem(at:)``.
///
/// ```swift
/// for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
///     print(version.localizedNameOfSavingComputer ?? "another computer", version.url.path)
/// }
/// ```
///
/// This class does not coordinate. Add, remove and replace versions inside a coordinated write to
/// the item, so that its presenters are told (Rule 10.2) and the versions stay with the document.
///
/// **Threads.** May be used on any thread. No call waits for a claim or for a presenter.
///
/// **Cost.** The properties of a stored version are read from the store each time, so that changes
/// by other processes are seen at once: a few small files. Setting one writes to the store.
@preconcurrency open class NSFileVersion: NSObject {
    /// Identifies the version.
    let subject: VersionSubject

    /// Unavailable: use the class methods to get versions; a call does not compile.
    @available(*, unavailable, message: "get versions from the methods of NSFileVersion")
    public override init() {
        preconditionFailure("Get an NSFileVersion from the class's methods; there is no other way.")
    }

    /// Creates the object for a version.
    init(_ subject: VersionSubject) {
        self.subject = subject
        super.init()
    }

    // MARK: Finding versions

    /// Returns the present version of the item at `url` (Rule 19.1).
    ///
    /// ```swift
    /// let date = NSFileVersion.currentVersionOfItem(at: url)?.modificationDate
    /// ```
    ///
    /// **Threads and cost.** Any thread. Finds the item in the file system; does not open the
    /// store.
    ///
    /// - Parameter url: the item.
    /// - Returns: the current version; nil if the item does not exist.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        VersionSubject(currentOf: url, in: .current).map { NSFileVersion($0) }
    }

    /// Returns all versions except for the current one, oldest first; nil if the item does not
    /// exist (Rule 19.1).
    ///
    /// ```swift
    /// for version in NSFileVersion.otherVersionsOfItem(at: url) ?? [] {
    ///     print(version.localizedName ?? "", version.modificationDate ?? .distantPast)
    /// }
    /// ```
    ///
    /// **Threads.** Any thread. Reading the list needs no claim.
    ///
    /// **Cost.** Searches the store for the item, and reads one record for each of its versions. If
    /// a program that does not coordinate has replaced the file, also up to 4,096 names around it.
    ///
    /// - Parameter url: the item.
    /// - Returns: the kept versions; empty if there are none.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        VersionSubject.others(of: url, in: .current)?.map { NSFileVersion($0) }
    }

    /// Returns the versions of unresolved conflicts; nil if the item does not exist (Rule 19.1).
    ///
    /// ```swift
    /// for conflict in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
    ///     conflict.isResolved = true
    /// }
    /// ```
    ///
    /// **Threads and cost.** As those of ``otherVersionsOfItem(at:)``.
    ///
    /// - Parameter url: the item.
    /// - Returns: those versions; empty if there are none.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        VersionSubject.others(of: url, in: .current, where: \.isUnresolved)?
            .map { NSFileVersion($0) }
    }

    /// Passes the versions whose contents are not on this computer to the handler; there are never
    /// any.
    ///
    /// On Linux all contents are local (Rule 15.4).
    ///
    /// ```swift
    /// NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
    ///     print(versions?.count ?? 0, error?.localizedDescription ?? "")
    /// }
    /// ```
    ///
    /// **Threads and cost.** Any thread; returns at once. Finds the item, and starts one thread for
    /// the handler.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - completionHandler: called once with an empty array, or with an error if the item does
    ///     not exist. Called on a thread of its own; if none can be created, on the calling thread,
    ///     with an error.
    @preconcurrency open class func getNonlocalVersionsOfItem(
        at url: URL,
        completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        let isThere = currentVersionOfItem(at: url) != nil
        let answer: @Sendable () -> Void = {
            guard isThere else {
                return completionHandler(nil, VersionFailure(attempt: .asking, url: url).noItem)
            }
            completionHandler([], nil)
        }
        do {
            try DetachedThread.start(name: "nonlocal", answer)
        } catch {
            completionHandler(nil, VersionFailure(attempt: .asking, url: url).error(error))
        }
    }

    /// The `async` form of ``getNonlocalVersionsOfItem(at:completionHandler:)`` (Rule 15.4).
    ///
    /// ```swift
    /// let nonlocal = try await NSFileVersion.nonlocalVersionsOfItem(at: url)
    /// assert(nonlocal.isEmpty)
    /// ```
    ///
    /// **Threads and cost.** Finds the item on the thread that runs the task; starts none.
    ///
    /// - Parameter url: the item.
    /// - Returns: an empty array.
    /// - Throws: a `CocoaError` if the item does not exist.
    open class func nonlocalVersionsOfItem(at url: URL) async throws -> [NSFileVersion] {
        guard currentVersionOfItem(at: url) != nil else {
            throw VersionFailure(attempt: .asking, url: url).noItem
        }
        return []
    }

    /// Returns the version of the item at `url` with that ``persistentIdentifier`` (Rule 19.8).
    ///
    /// ```swift
    /// let identifier = version.persistentIdentifier
    /// let same = NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier)
    /// ```
    ///
    /// **Threads and cost.** As those of ``otherVersionsOfItem(at:)``.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - persistentIdentifier: the identifier of a version, from this process or another one.
    /// - Returns: the version; nil if it was removed (Rule 19.8).
    open class func version(
        itemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        let text = (persistentIdentifier as? NSString).map { String(describing: $0) }
        guard let text = text ?? persistentIdentifier as? String else { return nil }
        if text == VersionSubject.currentIdentifier { return currentVersionOfItem(at: url) }
        return VersionSubject.others(of: url, in: .current) { $0.id.text == text }?.first
            .map { NSFileVersion($0) }
    }

    // MARK: Changing versions

    /// Stores the contents of the item at `contentsURL` as a version of the item at `url`.
    ///
    /// Both may be the same item, unless the contents are moved. Contents are copied by reflink if
    /// the file system supports that.
    ///
    /// ```swift
    /// try NSFileCoordinator().coordinate(writingItemAt: document, options: .forMerging) { url in
    ///     try NSFileVersion.addOfItem(at: url, withContentsOf: url)
    ///     let older = NSFileVersion.otherVersionsOfItem(at: url) ?? []
    ///     for version in older.dropLast(10) { try version.remove() }
    /// }
    /// ```
    ///
    /// **Threads.** Any thread, which waits until the contents are on the device.
    ///
    /// **Cost.** A copy of the contents, which shares their blocks where the file system can do
    /// that, or a rename with `byMoving`; a few small files; and writing to the device.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - contentsURL: the file or directory to store.
    ///   - options: whether it is copied or moved (Rule 19.6).
    /// - Returns: the new version.
    /// - Throws: a `CocoaError` if the item does not exist or the contents cannot be stored.
    @discardableResult
    open class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        let record = VersionRecord(
            name: url.lastPathComponent, computer: VersionRecord.thisComputer)
        return try add(to: url, contentsURL, options, record)
    }

    /// Creates a directory for contents that will be moved into a version (Rule 19.10).
    ///
    /// The caller must remove it when it is no longer needed.
    ///
    /// ```swift
    /// let folder = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
    /// let copy = folder.appendingPathComponent("draft")
    /// try draft.write(to: copy)
    /// try NSFileVersion.addOfItem(at: url, withContentsOf: copy, options: .byMoving)
    /// try FileManager.default.removeItem(at: folder)
    /// ```
    ///
    /// **Threads and cost.** Any thread; creates a directory in the store, and the store if there
    /// is none.
    ///
    /// - Parameter url: the item.
    /// - Returns: the directory.
    open class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        do {
            return URL(
                fileURLWithPath: try VersionStore.current.makeTemporaryDirectory(),
                isDirectory: true)
        } catch {
            Diagnostics.say("No directory for a version of \(url.path): \(error).")
            let other = FileManager.default.temporaryDirectory.appendingPathComponent(
                UUID().uuidString, isDirectory: true)
            // If it cannot be made either, writing the version there reports the error.
            try? FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            return other
        }
    }

    /// Removes all versions except for the current one (Rule 19.11).
    ///
    /// ```swift
    /// try NSFileVersion.removeOtherVersionsOfItem(at: url)
    /// ```
    ///
    /// **Threads and cost.** As those of ``otherVersionsOfItem(at:)``, and of ``remove()`` for each
    /// version.
    ///
    /// - Parameter url: the item.
    /// - Throws: a `CocoaError` if the item does not exist or a version cannot be removed.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        guard let others = VersionSubject.others(of: url, in: .current) else {
            throw VersionFailure(attempt: .removing, url: url).noItem
        }
        for version in others { try version.removeIfKept() }
    }

    /// Removes this version.
    ///
    /// Ends the program if it is the current version, which is the item itself (Rule 19.5).
    ///
    /// ```swift
    /// try NSFileVersion.otherVersionsOfItem(at: url)?.first?.remove()
    /// ```
    ///
    /// **Threads and cost.** Any thread. A rename that is written to the device; then the contents
    /// are removed, of a directory file by file.
    ///
    /// - Throws: a `CocoaError` if the version was removed before or cannot be removed.
    open func remove() throws { try subject.remove() }

    /// Gives the item at `url` the contents of this version; creates the item if it does not exist
    /// (Rule 19.7).
    ///
    /// The item keeps its name, except that a version of another file type also brings its
    /// extension.
    ///
    /// ```swift
    /// try NSFileCoordinator().coordinate(writingItemAt: document) { url in
    ///     guard let newest = NSFileVersion.otherVersionsOfItem(at: url)?.last else { return }
    ///     try newest.replaceItem(at: url)
    /// }
    /// ```
    ///
    /// **Threads.** Any thread, which waits until the contents are on the device.
    ///
    /// **Cost.** A copy of the version beside the item, which shares its blocks where the file
    /// system can do that, and a rename.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist.
    ///   - options: whether the contents are copied or moved.
    /// - Returns: the URL of the item.
    /// - Throws: a `CocoaError` if the version was removed or the item cannot be written.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        try subject.replaceItem(at: url, isMoving: options.contains(.byMoving))
    }

    // MARK: Properties

    /// The URL of the contents; for the current version, the item's own URL.
    ///
    /// A stored version can be read without a claim, because its contents do not change. Do not
    /// write to them, and do not show the URL to people. It leads nowhere when the version was
    /// removed. The property takes no system call.
    open var url: URL { subject.contentsURL }

    /// The item's name when the version was added, for people; nil if the version was removed (Rule
    /// 19.9).
    open var localizedName: String? { subject.name }

    /// The name of the computer on which the version was saved, for people; nil if that was not
    /// recorded, or the version was removed (Rule 19.9).
    ///
    /// For the current version, this computer.
    open var localizedNameOfSavingComputer: String? { subject.computer }

    /// The person who saved the version; nil if that was not recorded, or the version was removed
    /// (Rule 19.9).
    ///
    /// Only ``addConflictOfItem(at:withContentsOf:options:savedOn:by:modificationDate:)`` records
    /// it.
    open var originatorNameComponents: PersonNameComponents? {
        subject.stored?.record.originator.map { PersonNameComponents($0) }
    }

    /// When the contents were modified, before they became a version; nil if the version was
    /// removed (Rule 19.9).
    ///
    /// For the current version, the item's modification date at present. Lists of versions are
    /// sorted by when they were added, not by this date.
    open var modificationDate: Date? { subject.modificationDate }

    /// A string by which the version can be found again, also in another process (Rule 19.8).
    ///
    /// Store it with the document, and pass it to ``version(itemAt:forPersistentIdentifier:)``,
    /// which has an example. It stays the same when the item moves. Takes no system call.
    open var persistentIdentifier: any NSCoding { NSString(string: subject.identifier) }

    /// Whether the version lost a conflict with another program that had written the item at the
    /// same time; it stays true when the conflict is resolved.
    ///
    /// On Linux, programs add such versions with
    /// ``addConflictOfItem(at:withContentsOf:options:savedOn:by:modificationDate:)``, and lease
    /// guards do. False if the version was removed.
    open var isConflict: Bool { subject.stored?.record.origin == .conflict }

    /// Whether the conflict is resolved; true for versions without a conflict (Rule 19.3).
    ///
    /// Set it to true inside a coordinated write, so that presenters are told (Rule 10.2), and only
    /// after the contents were kept or merged. That is permanent: setting it to false ends the
    /// program. If the store cannot be written, the reason is printed to standard error, and the
    /// value stays false.
    open var isResolved: Bool {
        get { subject.stored.map { !$0.isUnresolved } ?? true }
        set {
            precondition(newValue, "A conflict that is resolved cannot be made unresolved again.")
            subject.resolve()
        }
    }

    /// Whether the version may be removed when space is needed for another one.
    ///
    /// Setting it to true is permanent: setting it to false, or setting it on the current version,
    /// ends the program (Rule 19.4). If the store cannot be written, the reason is printed to
    /// standard error, and the value stays false.
    open var isDiscardable: Bool {
        get { subject.stored?.marks.contains(.discardable) ?? false }
        set {
            precondition(newValue, "A version that is discardable cannot be made safe again.")
            subject.makeDiscardable()
        }
    }

    /// Whether the contents exist: false when the version, or for the current version the item, was
    /// removed.
    ///
    /// All contents are on this computer (Rule 15.4).
    open var hasLocalContents: Bool { subject.hasContents }

    /// Whether a thumbnail exists: always false on Linux.
    open var hasThumbnail: Bool { false }

    // MARK: Equality

    /// Whether both are the same version of the same item (Rule 19.2).
    ///
    /// **Threads and cost.** Any thread; compares what both objects know, without reading the
    /// store.
    ///
    /// - Parameter object: any object.
    /// - Returns: whether they are equal.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSFileVersion)?.subject.equalityKey == subject.equalityKey
    }

    /// The hash value, which is equal for equal versions, so that versions can be kept in sets
    /// (Rule 19.2).
    open override var hash: Int { subject.equalityKey.hashValue }
}
#endif
