// SPDX-License-Identifier: Apache-2.0
//
// Caches where names lead. To resolve a path takes about twenty system calls; to check that a
// cached result still holds takes one. The cache watches every directory on the way with inotify.
// The kernel queues an event for a rename, removal or new link before the system call that caused
// it returns. So a change that was completed before a lookup is never missed (Rule 1.15).
//
// A directory is watched before it is examined. What a watch does not report (mounts, and the
// attribute that makes a directory a package) is examined again after ``lifetime``. Only paths
// without symbolic links and dots, on file systems that report all changes, are cached.

import FileCoordinationArbiter
import FileCoordinationSystem
import Synchronization

/// A cache of resolved paths, which discards an entry when a directory on its path has changed.
///
/// May be used from any thread.
final class PlaceCache: Sendable {
    let watch: DirectoryWatch
    /// Whether a watch reports all changes in a directory; that depends on the file system.
    let seesEverything: @Sendable ([UInt8]) -> Bool
    let news: ReadinessCheck
    /// Raised before entries are discarded.
    private let revision = Atomic<UInt64>(0)
    let state = Lock(State())

    struct State {
        var known: [String: KnownPlace] = [:]
        /// The entry that was used last.
        var recent: (text: String, place: KnownPlace)?
        /// Directories that contain cached items.
        var directories = KnownDirectories()
        /// The path at which nothing existed at the last lookup, and when that expires.
        var absent: (path: [UInt8], expires: Instant)?
        /// The watched directories by path, and when each watch must be renewed, because another
        /// file system may have been mounted there.
        var watched: [[UInt8]: WatchedDirectory] = [:]
        /// The names that matter in each directory, by watch.
        var concerns: [Int32: DirectoryConcerns] = [:]
        /// Places whose items have no versions.
        var versionless = VersionlessPlaces()
        /// The number of times that the cache was cleared.
        var clearings = 0
        /// Nothing is cached before this time: after many changes, new entries would soon be
        /// discarded again.
        var resumesAt = Instant.distantPast
    }

    /// The watch of a directory, and when it must be renewed.
    typealias WatchedDirectory = (number: Int32, expires: Instant)

    /// The watches of the directories on an item's path.
    struct Preparation {
        /// The number of clearings before the item was examined.
        let clearings: Int
        /// The watch of the directory that contains the item.
        let watch: Int32
        /// When the first of the watches must be renewed.
        let expires: Instant
    }

    /// How long an entry is valid.
    static let lifetime: Duration = .seconds(1)
    /// How long nothing is cached after too many events.
    private static let pause: Duration = .milliseconds(20)
    /// The most directories that are watched; a user has a limited number of watches.
    static let directoryLimit = 2048
    /// The most places that are kept.
    static let placeLimit = 16_384
    static let changes: DirectoryWatch.Changes = [
        .movedFrom, .movedTo, .created, .removed, .onlyOfDirectory,
    ]

    /// The events that may give an item versions, or end the reports about that.
    private static let arrivals: DirectoryWatch.Changes = [
        .movedTo, .created, .watchEnded, .unmounted,
    ]

    /// - Parameter seesEverything: whether a watch reports all changes in a directory. It may wait
    ///   for the file system, because it is called without a lock.
    /// - Throws: if no directory can be watched.
    init(
        seesEverything: @escaping @Sendable ([UInt8]) -> Bool = {
            DirectoryWatch.seesEverything(at: $0)
        }
    ) throws(SystemError) {
        self.seesEverything = seesEverything
        watch = try DirectoryWatch()
        news = ReadinessCheck(of: watch.descriptor)
    }

    // MARK: Lookup

    /// The result of a lookup.
    struct Finding {
        /// The place; nil if it is not cached.
        var place: KnownPlace?
        /// Until when it is known that the item has no versions; the distant past if
        /// that is not known.
        var versionlessUntil = Instant.distantPast
        /// The revision of the cache, for ``isUnchanged(since:)``.
        var revision: UInt64

        /// When the place expires; the distant past if it is not cached.
        var expires: Instant { place?.expires ?? .distantPast }
        /// Whether it is known that the item has no versions.
        var isVersionless: Bool { versionlessUntil > .distantPast }
    }

    /// Looks up the place that a spelling leads to.
    ///
    /// - Parameters:
    ///   - text: the spelling.
    ///   - now: the monotonic time.
    /// - Returns: the place; nil if it is not cached, or its entry is no longer valid.
    func known(_ text: String, now: Instant = MonotonicClock.now) -> KnownPlace? {
        known(text, withoutVersionsIn: nil, now: now).place
    }

    /// Looks up a spelling, and whether the item is known to have no versions in the store at
    /// `path`.
    func known(_ text: String, withoutVersionsIn path: [UInt8]?, now: Instant) -> Finding {
        // Read before the lock is taken, because the reading thread takes it to discard entries.
        if news.isReadable { readEvents() }
        return state.withLock { state in
            var finding = Finding(
                place: Self.known(text, now, &state), revision: revision.load(ordering: .relaxed))
            guard let path else { return finding }
            if let expires = Self.absence(of: path, now, state) {
                finding.versionlessUntil = expires
            } else if let place = finding.place {
                finding.versionlessUntil =
                    state.versionless.expires(place, of: path, now: now) ?? .distantPast
            }
            return finding
        }
    }

    /// Whether a result of this revision is still valid, unless it has expired.
    ///
    /// Takes no lock. A thread that reads events raises the revision first, so a caller that finds
    /// no unread events and an unchanged revision has missed nothing.
    func isUnchanged(since revision: UInt64) -> Bool {
        !news.isReadable && self.revision.load(ordering: .sequentiallyConsistent) == revision
    }

    /// Invalidates what threads have cached themselves.
    ///
    /// Called under the lock, before entries are discarded.
    func raiseRevision() { revision.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    private static func known(
        _ text: String, _ now: Instant, _ state: inout State
    ) -> KnownPlace? {
        if let recent = state.recent, recent.text == text {
            return now < recent.place.expires ? recent.place : nil
        }
        guard let known = state.known[text], now < known.expires else { return nil }
        state.recent = (text, known)
        return known
    }

    /// Resolves a path in a cached directory with at most one system call.
    ///
    /// The result is not cached, because of many items most are used only once.
    ///
    /// - Parameters:
    ///   - path: the path of the item.
    ///   - policy: the package policy.
    ///   - now: the monotonic time. The caller has just read the events.
    /// - Returns: the resolved place; nil if the directory is not cached.
    func lookUp(_ path: ItemPath, policy: PackagePolicy, now: Instant) -> ResolvedPlace? {
        var isFile = false
        var isToBeListed = false
        let directory = state.withLock { state -> KnownDirectory? in
            let known = state.directories.directory(of: path, now: now)
            guard let known else { return nil }
            isFile = state.directories.isFile(path, in: known, now: now)
            isToBeListed = !isFile && state.directories.countLookup(in: known, now: now)
            return known
        }
        guard let directory else { return nil }
        // Of what a provider brings here, each item is looked at: it may not be here.
        if isToBeListed, ProvidedDomain.containing(path) == nil {
            list(directory, at: path.directoryBytes, now: now)
        }
        if isFile {
            return ResolvedPlace(
                path: path, isDirectory: false, packageDepths: directory.packageDepths)
        }
        return PlaceResolver.facts(of: path, inPackages: directory.packageDepths, policy: policy)
    }

    /// Lists the plain files of a directory.
    private func list(_ directory: KnownDirectory, at path: [UInt8], now: Instant) {
        // Read without the lock, because listing a directory may take long.
        let before = state.withLock { ($0.clearings, $0.directories.tellings) }
        let limit = KnownDirectories.nameLimit
        // A directory that cannot be read is not listed, nor is one with too many names.
        let entries = try? Descriptor.entries(at: path, limit: limit + 1)
        let names = entries.flatMap { $0.count > limit ? nil : $0.filter(\.isFile).map(\.name) }
        state.withLock { state in
            // An event in the meantime may concern the listed names.
            guard (state.clearings, state.directories.tellings) == before else { return }
            state.directories.store(names, in: directory, until: now + Self.lifetime)
        }
    }

    /// Discards everything, for example when the package policy has changed.
    func clear() {
        state.withLock { clear(&$0) }
    }

    // MARK: Events

    /// Reads all events, and discards the entries that they concern.
    func readEvents() {
        state.withLock { state in
            raiseRevision()
            // All events must be read, because a caller checks only whether unread events exist.
            while watch.hasNews {
                // Events that cannot be read may concern everything.
                guard let news = try? watch.read() else { return clearAndPause(&state) }
                for event in news.events {
                    state.directories.forget(event.name, in: event.watch)
                    if !event.changes.isDisjoint(with: Self.arrivals) {
                        state.versionless.handleEvent(event.name, in: event.watch)
                    }
                }
                let isConcerned = news.events.contains { event in
                    // The end of a file system concerns a watch also before anything in it does.
                    state.concerns[event.watch]?.contain(event) == true
                        || event.changes.contains(.unmounted)
                }
                if isConcerned || news.overflowed { clearAndPause(&state) }
            }
        }
    }

    private func clearAndPause(_ state: inout State) {
        clear(&state)
        state.resumesAt = MonotonicClock.after(Self.pause)
    }

    /// Ends all watches and discards all entries, because the paths may lead elsewhere now.
    func clear(_ state: inout State) {
        raiseRevision()
        // A watch may have ended already.
        for number in state.concerns.keys { try? watch.remove(number) }
        let next = state.clearings + 1
        var versionless = state.versionless
        versionless.clear()
        state = State(versionless: versionless, clearings: next)
    }
}
