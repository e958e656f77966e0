// SPDX-License-Identifier: Apache-2.0
//
// Where names lead, remembered. To find that out costs twenty calls to the kernel; to look whether
// it still holds costs one: a watch of every directory on the way, which has a notice of every
// rename, removal and new link before the call that made it has returned. So a change that was
// completed before is never missed (Rule 1.15).
//
// Watches are placed before the file system is looked at. What a watch does not tell (mounts, and
// the attribute that makes a directory a package) is looked at again after a moment. Only paths
// without links, dots and file systems of others are remembered.

import FileCoordinationArbiter
import FileCoordinationSystem
import Synchronization

/// Remembers places, and forgets them when something on the way has changed.
///
/// May be used from any thread.
final class PlaceCache: Sendable {
    private let watch: DirectoryWatch
    let news: ReadinessCheck
    /// Raised before what is remembered changes to less.
    private let revision = Atomic<UInt64>(0)
    let state = Lock(State())

    struct State {
        var known: [String: KnownPlace] = [:]
        /// The one of them that was asked for last.
        var recent: (text: String, place: KnownPlace)?
        /// Directories in which something was found.
        var directories = KnownDirectories()
        /// The path at which there was nothing when it was looked up last, and until when that is
        /// remembered.
        var absent: (path: [UInt8], expires: UInt64)?
        /// Directories with a watch, by path, and until when that is taken for granted: something
        /// else may have been mounted there.
        var watched: [[UInt8]: (number: Int32, expires: UInt64)] = [:]
        /// What matters in each of them.
        var concerns: [Int32: DirectoryConcerns] = [:]
        /// Places whose items have no versions.
        var versionless = VersionlessPlaces()
        /// How often everything was forgotten.
        var clearings = 0
        /// Nothing is remembered before: where much changes, that would be in vain.
        var resumesAt: UInt64 = 0
    }

    /// What is watched on the way to an item.
    struct Preparation {
        /// How often everything was forgotten before.
        let clearings: Int
        /// The watch of the directory that the item is in.
        let watch: Int32
        /// When the first of the watches is to be renewed.
        let expires: UInt64
    }

    /// For how long something is remembered, in nanoseconds.
    static let lifetime: UInt64 = 1_000_000_000
    /// How long nothing is remembered after a change, in nanoseconds.
    private static let pause: UInt64 = 20_000_000
    private static let directoryLimit = 2048
    static let placeLimit = 16_384
    private static let changes: DirectoryWatch.Changes = [
        .movedFrom, .movedTo, .created, .removed, .onlyOfDirectory,
    ]

    /// What may give an item versions, or end the telling of it.
    private static let arrivals: DirectoryWatch.Changes = [
        .movedTo, .created, .watchEnded, .unmounted,
    ]

    init() throws(SystemError) {
        watch = try DirectoryWatch()
        news = ReadinessCheck(of: watch.descriptor)
    }

    // MARK: Looking up

    /// What is known of a place.
    struct Finding {
        /// The place; nil if it is not known.
        var place: KnownPlace?
        /// Until when it is known that the item has no versions, on the monotonic clock; 0: it is
        /// not.
        var versionlessUntil: UInt64 = 0
        /// For ``isUnchanged(since:)``.
        var revision: UInt64

        /// Until when the place is known; 0: it is not.
        var expires: UInt64 { place?.expires ?? 0 }
        /// Whether it is known that the item has no versions.
        var isVersionless: Bool { versionlessUntil > 0 }
    }

    /// Where the name of this spelling leads, if that is known and still holds.
    ///
    /// - Parameter now: the monotonic time.
    func known(_ text: String, now: UInt64 = MonotonicClock.now) -> KnownPlace? {
        known(text, withoutVersionsIn: nil, now: now).place
    }

    /// The same, and whether it is known that the item has no versions in the store at `path`.
    func known(_ text: String, withoutVersionsIn path: [UInt8]?, now: UInt64) -> Finding {
        // Before the lock: the thread that took the news discards under the lock what they concern.
        if news.isReadable { readEvents() }
        return state.withLock { state in
            var finding = Finding(
                place: Self.known(text, now, &state), revision: revision.load(ordering: .relaxed))
            guard let path else { return finding }
            if let expires = Self.absence(of: path, now, state) {
                finding.versionlessUntil = expires
            } else if let place = finding.place {
                finding.versionlessUntil = state.versionless.expires(place, of: path, now: now) ?? 0
            }
            return finding
        }
    }

    /// Whether what was found at a revision still holds, but for what has expired.
    ///
    /// Takes no lock: a thread that takes news raises the revision before, so a caller that finds
    /// no news and the revision as it was has missed nothing.
    func isUnchanged(since revision: UInt64) -> Bool {
        !news.isReadable && self.revision.load(ordering: .sequentiallyConsistent) == revision
    }

    /// Ends what threads remember by themselves; under the lock, before anything is forgotten.
    func raiseRevision() { revision.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    private static func known(
        _ text: String, _ now: UInt64, _ state: inout State
    ) -> KnownPlace? {
        if let recent = state.recent, recent.text == text {
            return now < recent.place.expires ? recent.place : nil
        }
        guard let known = state.known[text], now < known.expires else { return nil }
        state.recent = (text, known)
        return known
    }

    /// What is found at a path in a directory that is known, by one look; nil if it is not.
    ///
    /// Nothing of it is remembered: most of many items are used but once.
    ///
    /// - Parameter now: the monotonic time; there was a look for news just before.
    func look(at path: ItemPath, policy: PackagePolicy, now: UInt64) -> ResolvedPlace? {
        var isFile = false
        var isToBeListed = false
        let directory = state.withLock { state -> KnownDirectory? in
            let known = state.directories.directory(of: path, now: now)
            guard let known else { return nil }
            isFile = state.directories.isFile(path, in: known, now: now)
            isToBeListed = !isFile && state.directories.countLook(in: known, now: now)
            return known
        }
        guard let directory else { return nil }
        if isToBeListed { list(directory, at: path.directoryBytes, now: now) }
        if isFile {
            return ResolvedPlace(
                path: path, isDirectory: false, packageDepths: directory.packageDepths)
        }
        return PlaceResolver.facts(of: path, inPackages: directory.packageDepths, policy: policy)
    }

    /// Reads a directory as a whole.
    private func list(_ directory: KnownDirectory, at path: [UInt8], now: UInt64) {
        // Not under the lock: it may take its time.
        let before = state.withLock { ($0.clearings, $0.directories.tellings) }
        // A directory that cannot be read is not listed.
        let names = try? RawDirectory.plainFiles(
            at: path, limit: KnownDirectories.nameLimit)
        state.withLock { state in
            // What was told meanwhile may concern what was read.
            guard (state.clearings, state.directories.tellings) == before else { return }
            state.directories.store(
                names.flatMap { $0 }, in: directory, until: now + Self.lifetime)
        }
    }

    /// Forgets everything, as when something else counts as a package.
    func clear() {
        state.withLock { clear(&$0) }
    }

    // MARK: Watching

    /// Watches everything on the way to `path`; nil if it cannot be watched.
    func prepare(_ path: ItemPath) -> Preparation? {
        state.withLock { state in
            guard MonotonicClock.now >= state.resumesAt else { return nil }
            if state.watched.count >= Self.directoryLimit { clear(&state) }
            var directory = Array("/".utf8)
            var depth = 0
            var last: (number: Int32, expires: UInt64)?
            var expires = UInt64.max
            var isWatched = true
            path.forEachComponent { name in
                depth += 1
                last = isWatched ? number(of: directory, &state) : nil
                guard let (number, end) = last else { return isWatched = false }
                expires = min(expires, end)
                if depth < path.depth {
                    state.concerns[number, default: DirectoryConcerns()].onTheWay.insert(
                        Array(name))
                    if directory.count > 1 { directory.append(UInt8(ascii: "/")) }
                    directory += name
                } else {
                    state.concerns[number, default: DirectoryConcerns()].items.insert(Array(name))
                }
            }
            guard let last else { return nil }
            return Preparation(clearings: state.clearings, watch: last.number, expires: expires)
        }
    }

    /// The watch of a directory, which is made if there is none, and when it is to be renewed.
    func number(
        of directory: [UInt8], _ state: inout State
    ) -> (number: Int32, expires: UInt64)? {
        let now = MonotonicClock.now
        if let known = state.watched[directory], now < known.expires { return known }
        guard DirectoryWatch.seesEverything(at: directory),
            // What cannot be watched is not remembered.
            let number = try? watch.add(directory, Self.changes)
        else { return nil }
        let fresh = (number: number, expires: now + Self.lifetime)
        state.watched[directory] = fresh
        return fresh
    }

    /// Handles what has happened.
    func readEvents() {
        state.withLock { state in
            raiseRevision()
            // To the end: the caller would overlook news that are left unread.
            while watch.hasNews {
                // What cannot be read may concern everything.
                guard let news = try? watch.read() else { return forgetForAWhile(&state) }
                for event in news.events {
                    state.directories.forget(event.name, in: event.watch)
                    if !event.changes.isDisjoint(with: Self.arrivals) {
                        state.versionless.handleEvent(event.name, in: event.watch)
                    }
                }
                let isConcerned = news.events.contains { event in
                    state.concerns[event.watch]?.contain(event) == true
                }
                if isConcerned || news.overflowed { forgetForAWhile(&state) }
            }
        }
    }

    private func forgetForAWhile(_ state: inout State) {
        clear(&state)
        state.resumesAt = MonotonicClock.now + Self.pause
    }

    /// Ends all watches with what depends on them: their paths may lead elsewhere by now.
    func clear(_ state: inout State) {
        raiseRevision()
        // A watch that is gone already needs no end.
        for number in state.concerns.keys { try? watch.remove(number) }
        let next = state.clearings + 1
        var versionless = state.versionless
        versionless.clear()
        state = State(versionless: versionless, clearings: next)
    }
}
