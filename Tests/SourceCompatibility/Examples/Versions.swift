// SPDX-License-Identifier: Apache-2.0
//
// Every member of NSFileVersion, as programs that show versions or resolve conflicts use them.

import FileCoordination

/// Keeps, shows and brings back versions.
struct History {
    let url: URL

    func list() -> [String] {
        let all: [NSFileVersion] = NSFileVersion.otherVersionsOfItem(at: url) ?? []
        return all.sorted {
            ($0.modificationDate ?? .distantPast) < ($1.modificationDate ?? .distantPast)
        }.map { version in
            let name = version.localizedName ?? version.url.lastPathComponent
            let computer = version.localizedNameOfSavingComputer ?? ""
            let person = version.originatorNameComponents?.familyName ?? ""
            let marks = [
                version.isConflict, version.isResolved, version.isDiscardable,
                version.hasLocalContents, version.hasThumbnail,
            ]
            return "\(name) \(computer) \(person) \(marks)"
        }
    }

    func keep(_ contents: URL) throws -> NSFileVersion {
        try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        let folder = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
        defer { try? FileManager.default.removeItem(at: folder) }
        let moved = folder.appendingPathComponent(contents.lastPathComponent)
        try FileManager.default.moveItem(at: contents, to: moved)
        let options: NSFileVersion.AddingOptions = [.byMoving]
        let version = try NSFileVersion.addOfItem(
            at: url, withContentsOf: moved, options: options)
        version.isDiscardable = true
        return version
    }

    func remember(_ version: NSFileVersion) throws -> Data {
        try NSKeyedArchiver.archivedData(
            withRootObject: version.persistentIdentifier, requiringSecureCoding: true)
    }

    func find(_ identifier: Any) -> NSFileVersion? {
        NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier)
    }

    func goBack(to version: NSFileVersion) throws -> URL {
        var error: NSError?
        var result: Result<URL, Error> = .success(url)
        NSFileCoordinator().coordinate(
            writingItemAt: url, options: .forReplacing, error: &error
        ) { newURL in
            result = Result {
                try version.replaceItem(at: newURL)
                return try version.replaceItem(at: newURL, options: .byMoving)
            }
        }
        if let error { throw error }
        return try result.get()
    }

    func forget() throws {
        try NSFileVersion.otherVersionsOfItem(at: url)?.last?.remove()
        try NSFileVersion.removeOtherVersionsOfItem(at: url)
    }

    func fetch() async throws -> Int {
        NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
            guard let versions = versions, error == nil else { return }
            print(versions.count)
        }
        return try await NSFileVersion.nonlocalVersionsOfItem(at: url).count
    }
}

/// Lets the newest of conflicting versions win.
func resolveConflicts(of url: URL) throws {
    guard let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: url),
        let current = NSFileVersion.currentVersionOfItem(at: url)
    else { return }
    let newest = ([current] + conflicts).max {
        ($0.modificationDate ?? .distantPast) < ($1.modificationDate ?? .distantPast)
    }
    if let newest, newest != current {
        try newest.replaceItem(at: url, options: [])
    }
    for conflict in conflicts where conflict !== newest {
        conflict.isResolved = true
        try? conflict.remove()
    }
    conflicts.forEach { $0.isResolved = true }
    try NSFileVersion.removeOtherVersionsOfItem(at: url)
}

/// A presenter that looks after conflicts.
final class ConflictWatcher: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private var versions: Set<NSFileVersion> = []
    func presentedItemDidGain(_ version: NSFileVersion) {
        versions.insert(version)
        if version.isConflict, let url = presentedItemURL { try? resolveConflicts(of: url) }
    }
    func presentedItemDidLose(_ version: NSFileVersion) { versions.remove(version) }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
}

/// Subclasses are possible, if of little use.
class PinnedVersion: NSFileVersion {
    override var isDiscardable: Bool {
        get { false }
        set {}
    }
    override var localizedName: String? { super.localizedName.map { $0 + "!" } }
    override func remove() throws {}
    override func replaceItem(
        at url: URL, options: NSFileVersion.ReplacingOptions = []
    ) throws -> URL { try super.replaceItem(at: url, options: options.subtracting(.byMoving)) }
}
