// SPDX-License-Identifier: Apache-2.0
//
// The class that people know. What it says and does is VersionSubject's; what stands here is what
// may be overridden, which Swift allows in a class's own body only.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
public import Foundation

/// A version of a file or directory: what it is now, what it was, or what another program made of
/// it at the same time.
///
/// Versions are kept on this computer, in a store of the user's. A version belongs to its item: it
/// follows the item through moves, and stays with the document through coordinated writes that
/// replace the file; a new file that takes the name of one which a coordinated write deleted has no
/// versions.
///
/// That much is certain. What programs do that do not coordinate is inferred: if the item's file is
/// gone, and its place has another file that has no versions of its own, then that one is taken for
/// the document, which was saved anew. A file counts as gone if it is not found by its identity in
/// the neighbourhood of its place (some thousand names around it): one that was moved farther
/// without coordination keeps its versions, but a new file at its old place shows them, too, and
/// the one that is first written by coordination, or given a version, keeps them. What is inferred
/// becomes certain with that change; asking changes nothing.
///
/// Versions of a document that was deleted stay: see ``orphanedVersionsOfItem(at:)``.
///
/// ```swift
/// for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
///     print(version.localizedNameOfSavingComputer ?? "another computer", version.url.path)
/// }
/// ```
///
/// This class does not coordinate. Add, remove and replace inside a coordinated write to the item,
/// so that every presenter is told (Rule 10.2), and the versions stay with the document.
@preconcurrency open class NSFileVersion: NSObject {
    /// Which version this is.
    let subject: VersionSubject

    /// Cannot be called: versions come from the methods of this class.
    @available(*, unavailable, message: "get versions from the methods of NSFileVersion")
    public override init() {
        preconditionFailure("Get an NSFileVersion from the class's methods; there is no other way.")
    }

    /// The version that `subject` is.
    init(_ subject: VersionSubject) {
        self.subject = subject
        super.init()
    }

    // MARK: Finding versions

    /// The version that the item at `url` is now; nil if there is no such item (Rule 19.1).
    ///
    /// - Parameter url: the item.
    /// - Returns: the current version.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        VersionSubject(currentOf: url, in: .current).map { NSFileVersion($0) }
    }

    /// All versions but the current one, the oldest first; nil if there is no item (Rule 19.1).
    ///
    /// - Parameter url: the item.
    /// - Returns: the kept versions; empty if there are none.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        VersionSubject.others(of: url, in: .current)?.map { NSFileVersion($0) }
    }

    /// The versions of conflicts that are not resolved yet; nil if there is no item.
    ///
    /// - Parameter url: the item.
    /// - Returns: those versions; empty if there are none.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        VersionSubject.others(of: url, in: .current, where: \.isUnresolved)?
            .map { NSFileVersion($0) }
    }

    /// Passes the versions whose contents are not on this computer, of which there are none yet;
    /// an error if there is no item.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - completionHandler: is called once, on a thread of its own.
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

    /// The `async` spelling of ``getNonlocalVersionsOfItem(at:completionHandler:)``.
    ///
    /// - Parameter url: the item.
    /// - Returns: no version, as yet.
    /// - Throws: a `CocoaError` if there is no item.
    open class func nonlocalVersionsOfItem(at url: URL) async throws -> [NSFileVersion] {
        guard currentVersionOfItem(at: url) != nil else {
            throw VersionFailure(attempt: .asking, url: url).noItem
        }
        return []
    }

    /// The version of the item at `url` with that ``persistentIdentifier``; nil if it is gone.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - persistentIdentifier: what a version of it said before, in this process or another one.
    /// - Returns: the version (Rule 19.8).
    open class func version(
        itemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        let text = (persistentIdentifier as? NSString).map { String(describing: $0) }
        guard let text = text ?? persistentIdentifier as? String else { return nil }
        if text == VersionSubject.currentIdentifier { return currentVersionOfItem(at: url) }
        return VersionSubject.others(of: url, in: .current) { $0.id.text == text }?.first
            .map { NSFileVersion($0) }
    }

    // MARK: Changing what is kept

    /// Keeps the contents of the item at `contentsURL` as a version of the item at `url`.
    ///
    /// The two may be the same, unless the contents are to be moved. Contents are copied by reflink
    /// where the file system can do that.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - contentsURL: the file or directory to keep.
    ///   - options: whether it is copied or moved in (Rule 19.6).
    /// - Returns: the new version.
    /// - Throws: a `CocoaError` if there is no item, or the contents cannot be kept.
    @discardableResult
    open class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        let record = VersionRecord(
            name: url.lastPathComponent, computer: VersionRecord.thisComputer)
        return try add(to: url, contentsURL, options, record)
    }

    /// Makes a directory for contents that are then to be moved into a version (Rule 19.10).
    ///
    /// Remove it when it is no longer needed.
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
            try? FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            return other
        }
    }

    /// Removes all versions but the current one (Rule 19.11).
    ///
    /// - Parameter url: the item.
    /// - Throws: a `CocoaError` if there is no item, or a version cannot be removed.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        guard let others = VersionSubject.others(of: url, in: .current) else {
            throw VersionFailure(attempt: .removing, url: url).noItem
        }
        for version in others { try version.removeIfKept() }
    }

    /// Removes this version.
    ///
    /// Stops the program if it is the current one, which is the item itself (Rule 19.5).
    ///
    /// - Throws: a `CocoaError` if the version is gone or cannot be removed.
    open func remove() throws { try subject.remove() }

    /// Gives the item at `url` the contents of this version, or makes it (Rule 19.7).
    ///
    /// The item keeps its name, except that a version of another type brings its extension along.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist.
    ///   - options: whether the contents are copied or moved there.
    /// - Returns: where the item is now.
    /// - Throws: a `CocoaError` if the version is gone or the item cannot be written.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        try subject.replaceItem(at: url, isMoving: options.contains(.byMoving))
    }

    // MARK: What is known of a version

    /// Where the contents are; not to be written, and not to be shown to people.
    ///
    /// The item's own URL for its current version.
    open var url: URL { subject.contentsURL }

    /// The name that the item had when the version was added; nil if the version is gone.
    open var localizedName: String? { subject.name }

    /// The computer on which the version was saved; nil if that was not recorded.
    ///
    /// For the current version: this computer.
    open var localizedNameOfSavingComputer: String? { subject.computer }

    /// Who saved the version; nil if that was not recorded.
    open var originatorNameComponents: PersonNameComponents? {
        subject.stored?.record.originator.map { PersonNameComponents($0) }
    }

    /// When the contents were modified; nil if the version is gone.
    open var modificationDate: Date? { subject.modificationDate }

    /// What finds this version again, also in another process: a string.
    ///
    /// See ``version(itemAt:forPersistentIdentifier:)``.
    open var persistentIdentifier: any NSCoding { NSString(string: subject.identifier) }

    /// Whether the version lost a conflict: another program had written the item at the same time.
    open var isConflict: Bool { subject.stored?.record.origin == .conflict }

    /// Whether the conflict is resolved; true for versions that are no conflict (Rule 19.3).
    ///
    /// Setting it to true cannot be undone: setting it to false stops the program.
    open var isResolved: Bool {
        get { subject.stored.map { !$0.isUnresolved } ?? true }
        set {
            precondition(newValue, "A conflict that is resolved cannot be made unresolved again.")
            subject.resolve()
        }
    }

    /// Whether the version may be removed when there is no room for another one.
    ///
    /// Setting it to true cannot be undone: setting it to false, or setting it on the current
    /// version, stops the program (Rule 19.4).
    open var isDiscardable: Bool {
        get { subject.stored?.marks.contains(.discardable) ?? false }
        set {
            precondition(newValue, "A version that is discardable cannot be made safe again.")
            subject.makeDiscardable()
        }
    }

    /// Whether the contents are there.
    open var hasLocalContents: Bool { subject.hasContents }

    /// Whether there is a picture of the contents; there never is.
    open var hasThumbnail: Bool { false }

    // MARK: Equality

    /// Whether both are the same version of the same item (Rule 19.2).
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSFileVersion)?.subject.equalityKey == subject.equalityKey
    }

    /// Equal for equal versions.
    open override var hash: Int { subject.equalityKey.hashValue }
}
#endif
