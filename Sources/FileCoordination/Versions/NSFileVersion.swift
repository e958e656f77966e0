// SPDX-License-Identifier: Apache-2.0
//
// The class that people know. It knows which version it is, and asks the store for everything else
// each time, so that what other processes do shows at once.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationSystem
public import Foundation

/// A version of a file or directory: what it is now, what it was, or what somebody else made of it
/// at the same time.
///
/// Versions are kept on this computer, in a store of the user's. A version belongs to its item: it
/// follows the item through moves, and stays with the document through coordinated writes that
/// replace the file; a new file that takes the name of a deleted one has no versions.
///
/// This class does not coordinate. Add, remove and replace inside a coordinated write to the item,
/// so that every presenter is told (Rule 10.2), and the versions stay with the document.
open class NSFileVersion: NSObject {
    /// Which version this is.
    private enum Subject {
        /// What the item at this place is now.
        case current(ItemPath, ItemIdentity)
        /// One that is kept.
        case kept(VersionID, of: StoredItemID)
        /// One that was removed before anybody asked for it.
        case lost(VersionID)
    }

    private let subject: Subject
    private let store: VersionStore
    private let itemURL: URL
    private let contentsURL: URL

    /// Stops the program: versions come from the methods of this class.
    public override init() {
        preconditionFailure("Get an NSFileVersion from the class's methods; there is no other way.")
    }

    private init(_ subject: Subject, store: VersionStore, itemURL: URL, contentsURL: URL) {
        self.subject = subject
        self.store = store
        self.itemURL = itemURL
        self.contentsURL = contentsURL
        super.init()
    }

    /// A version that was found in the store.
    convenience init(_ version: StoredVersion, store: VersionStore, itemURL: URL) {
        self.init(
            .kept(version.id, of: version.item), store: store, itemURL: itemURL,
            contentsURL: URL(filePath: version.contents, isDirectory: version.isDirectory))
    }

    /// A version that was removed before anybody asked for it; for messages that tell of it.
    convenience init(lost id: VersionID, of itemURL: URL) {
        self.init(.lost(id), store: .current, itemURL: itemURL, contentsURL: itemURL)
    }

    // MARK: Finding versions

    /// The version that the item at `url` is now; nil if there is no such item (Rule 19.1).
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard let place = try? VersionFailure.place(of: url),
            let identity = ItemIdentity(of: place)
        else { return nil }
        return NSFileVersion(
            .current(place, identity), store: .current, itemURL: url, contentsURL: url)
    }

    /// All versions but the current one, the oldest first; nil if there is no item (Rule 19.1).
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        let store = VersionStore.current
        return stored(url, in: store)?.map { NSFileVersion($0, store: store, itemURL: url) }
    }

    /// The versions that lost a conflict which nobody has resolved yet; nil if there is no item.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        let store = VersionStore.current
        return stored(url, in: store)?.filter(\.isUnresolved).map {
            NSFileVersion($0, store: store, itemURL: url)
        }
    }

    private class func stored(_ url: URL, in store: VersionStore) -> [StoredVersion]? {
        (try? VersionFailure.place(of: url)).flatMap { store.versions(at: $0) }
    }

    /// Passes the versions whose contents are not on this computer, of which there are none yet;
    /// an error if there is no item.
    ///
    /// Called once, on a thread of its own.
    open class func getNonlocalVersionsOfItem(
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
    open class func nonlocalVersionsOfItem(at url: URL) async throws -> [NSFileVersion] {
        guard currentVersionOfItem(at: url) != nil else {
            throw VersionFailure(attempt: .asking, url: url).noItem
        }
        return []
    }

    /// The version of the item at `url` with that ``persistentIdentifier``; nil if it is gone.
    open class func version(
        itemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        let text = (persistentIdentifier as? NSString).map { String(describing: $0) }
        guard let text = text ?? persistentIdentifier as? String else { return nil }
        if text == currentIdentifier { return currentVersionOfItem(at: url) }
        let store = VersionStore.current
        return stored(url, in: store)?.first { $0.id.text == text }.map {
            NSFileVersion($0, store: store, itemURL: url)
        }
    }

    private static let currentIdentifier = "current"

    // MARK: Changing what is kept

    /// Keeps the contents of the item at `contentsURL` as a version of the item at `url`.
    ///
    /// The two may be the same, unless the contents are to be moved.
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
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        let failure = VersionFailure(attempt: .removing, url: url)
        let store = VersionStore.current
        guard let versions = store.versions(at: try VersionFailure.place(of: url)) else {
            throw failure.noItem
        }
        for version in versions {
            try failure.explaining { () throws(SystemError) in
                guard try store.remove(version.id, of: version.item) else { return }
                VersionChanges.note(VersionChange(.lost, of: url, version.id))
            }
        }
    }

    /// Removes this version.
    ///
    /// Stops the program if it is the current one, which is the item itself (Rule 19.5).
    open func remove() throws {
        let failure = VersionFailure(attempt: .removing, url: itemURL)
        switch subject {
        case .current:
            preconditionFailure(
                "The current version is the item: remove that with FileManager.removeItem(at:).")
        case .kept(let id, let item):
            let wasThere = try failure.explaining { () throws(SystemError) in
                try store.remove(id, of: item)
            }
            guard wasThere else { throw gone(failure) }
            VersionChanges.note(VersionChange(.lost, of: itemURL, id))
        case .lost: throw gone(failure)
        }
    }

    private func gone(_ failure: VersionFailure) -> CocoaError {
        failure.error(.fileNoSuchFile, because: "it is not kept any more")
    }

    /// Gives the item at `url` the contents of this version, or makes it (Rule 19.7).
    ///
    /// The item keeps its name, except that a version of another type brings its extension along.
    ///
    /// - Returns: where the item is now.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        let failure = VersionFailure(attempt: .replacing, url: url)
        let place = try VersionFailure.place(of: url)
        guard let contents = try? VersionFailure.place(of: contentsURL), hasLocalContents else {
            throw gone(failure)
        }
        // The item is the current version already.
        guard contents != place else { return url }
        let result = try failure.explaining { () throws(SystemError) in
            var replacement = try VersionReplacement(
                place, by: contents, of: keptItem, store: store, folders: store.openOrMake())
            try replacement.run()
            return replacement.target
        }
        if options.contains(.byMoving), case .kept = subject { try remove() }
        guard result != place else { return url }
        return url.deletingLastPathComponent().appendingPathComponent(
            URL(result).lastPathComponent)
    }

    // MARK: What is known of a version

    private var keptItem: StoredItemID? {
        if case .kept(_, let item) = subject { item } else { nil }
    }

    private var stored: StoredVersion? {
        if case .kept(let id, let item) = subject { store.version(id, of: item) } else { nil }
    }

    /// Where the contents are; not to be written to, and not for people to see.
    ///
    /// The item's own URL for its current version.
    open var url: URL { contentsURL }

    /// The name that the item had when the version was added; nil if the version is gone.
    open var localizedName: String? {
        if case .current = subject { return hasLocalContents ? itemURL.lastPathComponent : nil }
        return stored?.record.name
    }

    /// The computer on which the version was saved; nil if that was not recorded.
    ///
    /// For the current version: this computer.
    open var localizedNameOfSavingComputer: String? {
        if case .current = subject { return hasLocalContents ? VersionRecord.thisComputer : nil }
        return stored?.record.computer
    }

    /// Who saved the version; nil if that was not recorded.
    open var originatorNameComponents: PersonNameComponents? { stored?.record.originator }

    /// When the contents were modified; nil if the version is gone.
    open var modificationDate: Date? {
        guard case .current(let place, _) = subject else {
            return stored?.record.modificationDate
        }
        return (try? FileStatus(path: place.bytes, followLinks: false)).map {
            VersionRecord.date($0.modified)
        }
    }

    /// What finds this version again, also in another process: a string.
    ///
    /// See ``version(itemAt:forPersistentIdentifier:)``.
    open var persistentIdentifier: any NSCoding {
        switch subject {
        case .current: NSString(string: Self.currentIdentifier)
        case .kept(let id, _), .lost(let id): NSString(string: id.text)
        }
    }

    /// Whether the version lost a conflict: somebody else had written the item at the same time.
    open var isConflict: Bool { stored?.record.origin == .conflict }

    /// Whether the conflict is resolved; true for versions that are no conflict (Rule 19.3).
    ///
    /// Setting it to true cannot be undone: setting it to false stops the program.
    open var isResolved: Bool {
        get { stored.map { !$0.isUnresolved } ?? true }
        set {
            precondition(newValue, "A conflict that is resolved cannot be made unresolved again.")
            guard isConflict, case .kept(let id, let item) = subject else { return }
            guard set(.resolved, on: id, of: item) else { return }
            VersionChanges.note(VersionChange(.conflictResolved, of: itemURL, id))
        }
    }

    /// Whether the version may be removed when there is no room for another one.
    ///
    /// Setting it to true cannot be undone: setting it to false, or setting it on the current
    /// version, stops the program (Rule 19.4).
    open var isDiscardable: Bool {
        get { stored?.marks.contains(.discardable) ?? false }
        set {
            precondition(newValue, "A version that is discardable cannot be made safe again.")
            switch subject {
            case .current: preconditionFailure("The current version, the item, is never discarded.")
            case .kept(let id, let item): _ = set(.discardable, on: id, of: item)
            case .lost: break
            }
        }
    }

    private func set(_ mark: VersionMark, on id: VersionID, of item: StoredItemID) -> Bool {
        do {
            return try store.mark(id, of: item, mark)
        } catch {
            Diagnostics.say("A version of \(itemURL.path) cannot be marked as \(mark): \(error).")
            return false
        }
    }

    /// Whether the contents are there.
    open var hasLocalContents: Bool {
        switch subject {
        case .current(let place, _):
            (try? FileStatus(path: place.bytes, followLinks: false)) != nil
        case .kept: stored != nil
        case .lost: false
        }
    }

    /// Whether there is a picture of the contents; there never is.
    open var hasThumbnail: Bool { false }

    // MARK: Equality

    private var equalityKey: AnyHashable {
        switch subject {
        case .current(_, let identity): identity
        case .kept(let id, _), .lost(let id): id
        }
    }

    /// Whether both are the same version of the same item (Rule 19.2).
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSFileVersion)?.equalityKey == equalityKey
    }

    /// Equal for equal versions.
    open override var hash: Int { equalityKey.hashValue }
}
#endif
