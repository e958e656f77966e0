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

/// Remembers places, and forgets them when something on the way has changed.
///
/// May be used from any thread.
final class PlaceCache: Sendable {
    private let watch: DirectoryWatch
    private let state = Lock(State())

    private struct State {
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
    private struct Preparation {
        /// How often everything was forgotten before.
        let clearings: Int
        /// The watch of the directory that the item is in.
        let watch: Int32
        /// When the first of the watches is to be renewed.
        let expires: UInt64
    }

    /// For how long something is remembered, in nanoseconds.
    private static let lifetime: UInt64 = 1_000_000_000
    /// How long nothing is remembered after a change, in nanoseconds.
    private static let pause: UInt64 = 20_000_000
    private static let directoryLimit = 2048
    private static let placeLimit = 16_384
    private static let changes: DirectoryWatch.Changes = [
        .movedFrom, .movedTo, .created, .removed, .onlyOfDirectory,
    ]

    /// What may give an item versions, or end the telling of it.
    private static let arrivals: DirectoryWatch.Changes = [
        .movedTo, .created, .watchEnded, .unmounted,
    ]

    init() throws(SystemError) { watch = try DirectoryWatch() }

    // MARK: Looking up

    /// Where the name of this spelling leads, if that is known and still holds.
    ///
    /// - Parameter now: the monotonic time.
    func known(_ text: String, now: UInt64 = MonotonicClock.now) -> KnownPlace? {
        known(text, withoutVersionsIn: nil, now: now).place
    }

    /// The same, and whether it is known that the item has no versions in the store at `path`.
    func known(
        _ text: String, withoutVersionsIn path: [UInt8]?, now: UInt64
    ) -> (place: KnownPlace?, isVersionless: Bool) {
        // Before the lock: the thread that took the news discards under the lock what they concern.
        if watch.hasNews { readEvents() }
        return state.withLock { state in
            let known = Self.known(text, now, &state)
            guard let path else { return (known, false) }
            let isVersionless =
                Self.isAbsent(path, now, state)
                || known.map { state.versionless.contain($0, of: path, now: now) } ?? false
            return (known, isVersionless)
        }
    }

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

    /// Whether it is known, and still holds, that the item of a place has no versions.
    func isStillVersionless(_ place: KnownPlace, in path: [UInt8]) -> Bool {
        let hasNews = watch.hasNews
        if hasNews { readEvents() }
        let now = MonotonicClock.now
        return state.withLock { state in
            Self.isAbsent(path, now, state)
                || state.versionless.contain(place, of: path, now: now)
        }
    }

    /// Whether the item of a known place has no versions in a store, as `look` finds; remembers it
    /// if so.
    func isVersionless(
        _ place: KnownPlace, in store: any VersionKeeping, now: UInt64, look: () -> Bool
    ) -> Bool {
        let path = store.pathBytes
        let shelf = store.shelfBytes
        // The watches come first, so that what happens after the look is seen.
        let before = state.withLock { state -> (generation: UInt64, tellings: Int)? in
            guard now >= state.resumesAt, let root = number(of: path, &state),
                let places = number(of: shelf, &state)
            else { return nil }
            let generation = state.versionless.watch(
                watches: [root.number, places.number], of: path,
                until: min(root.expires, places.expires))
            return (generation, state.versionless.tellings)
        }
        // The watches were only to be renewed.
        if let before, place.versionlessGeneration == before.generation {
            return true
        }
        guard look() else { return false }
        state.withLock { state in
            // What was told meanwhile may concern what was looked at.
            guard let before, before.tellings == state.versionless.tellings else { return }
            state.versionless.insert(place)
        }
        return true
    }

    private static func isAbsent(_ path: [UInt8], _ now: UInt64, _ state: State) -> Bool {
        guard let absent = state.absent, now < absent.expires else { return false }
        return absent.path == path
    }

    /// Whether there is nothing at a path; false also if that cannot be remembered.
    ///
    /// - Parameter hasLooked: whether there was a look for news just before, as ``known(_:now:)``
    ///   takes one.
    func isAbsent(
        _ path: [UInt8], now: UInt64 = MonotonicClock.now, hasLooked: Bool
    ) -> Bool {
        if !hasLooked, watch.hasNews { readEvents() }
        let known = state.withLock { state -> Bool? in
            if Self.isAbsent(path, now, state) { return true }
            return state.versionless.watch(path, now: now) ? false : nil
        }
        if let known { return known }
        guard let place = Self.plainPath(path) else { return false }
        return state.withLock { state in
            guard now >= state.resumesAt, watchAbsence(of: place, &state) else { return false }
            state.absent = (path, now + Self.lifetime)
            return true
        }
    }

    /// Finds out where a path leads, and remembers it if that can be done.
    ///
    /// - Parameters:
    ///   - bytes: the path, as the caller spells it.
    ///   - spelling: what it is remembered by; nil: it is not.
    ///   - policy: read after it was noted how often everything was forgotten, as when it changes.
    func resolve(
        _ bytes: [UInt8], spelling: String?, policy: () -> PackagePolicy
    ) throws(PlaceError) -> ResolvedPlace {
        guard let spelled = Self.plainPath(bytes) else {
            return try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        }
        if let found = resolveInKnownDirectory(spelled, policy: policy) {
            remember(found.place, spelling, found.way)
            return found.place
        }
        guard let way = prepare(spelled) else {
            return try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        }
        let place = try PlaceResolver.resolve(pathBytes: bytes, policy: policy())
        guard place.path == spelled else { return place }
        remember(place, spelling, way)
        let directory = KnownDirectory(
            packageDepths: place.packageDepths.filter { $0 < spelled.depth }, watch: way.watch,
            expires: way.expires)
        state.withLock { state in
            guard state.clearings == way.clearings else { return }
            state.directories.insert(directory, at: spelled.directoryBytes)
        }
        return place
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

    /// The path that a spelling stands for, if it is spelled as it would be without any link.
    static func plainPath(ofSpelling text: String) -> ItemPath? {
        let isPath = text.utf8.first == UInt8(ascii: "/")
        let bytes = isPath ? Array(text.utf8) : PlaceResolver.pathBytes(ofPlainURL: text)
        return bytes.flatMap { plainPath($0) }
    }

    private func remember(_ place: ResolvedPlace, _ spelling: String?, _ way: Preparation) {
        guard let text = spelling else { return }
        let known = KnownPlace(place, expires: way.expires, watch: way.watch)
        state.withLock { state in
            guard state.clearings == way.clearings else { return }
            // With all that has to be watched for it.
            guard state.known.count < Self.placeLimit else { return clear(&state) }
            state.known[text] = known
            state.recent = nil
        }
    }

    /// The place at a path in a directory that is known; nil if it is not.
    private func resolveInKnownDirectory(
        _ path: ItemPath, policy: () -> PackagePolicy
    ) -> (place: ResolvedPlace, way: Preparation)? {
        let now = MonotonicClock.now
        let found = state.withLock { state -> (KnownDirectory, Preparation)? in
            guard let known = state.directories.directory(of: path, now: now) else { return nil }
            // Before the look, so that what happens after it is seen.
            state.concerns[known.watch, default: DirectoryConcerns()].items.insert(path.nameBytes)
            let way = Preparation(
                clearings: state.clearings, watch: known.watch, expires: known.expires)
            return (known, way)
        }
        guard let (directory, way) = found else { return nil }
        let place = PlaceResolver.facts(
            of: path, inPackages: directory.packageDepths, policy: policy())
        return (place, way)
    }

    /// Forgets everything, as when something else counts as a package.
    func clear() {
        state.withLock { clear(&$0) }
    }

    /// The path, if it is spelled as it would be without any link.
    private static func plainPath(_ bytes: [UInt8]) -> ItemPath? {
        let isMarked = bytes.count > 1 && bytes.last == UInt8(ascii: "/")
        let plain = isMarked ? Array(bytes.dropLast()) : bytes
        guard let path = ItemPath(bytes: plain), path.bytes == plain, path.depth > 0 else {
            return nil
        }
        return path
    }

    // MARK: Watching

    /// Watches everything on the way to `path`; nil if it cannot be watched.
    private func prepare(_ path: ItemPath) -> Preparation? {
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

    /// Watches as much of the way to `path` as there is; whether it ends before it is there.
    private func watchAbsence(of path: ItemPath, _ state: inout State) -> Bool {
        var directory = Array("/".utf8)
        var isAbsent: Bool?
        path.forEachComponent { name in
            guard isAbsent == nil else { return }
            guard let (number, _) = number(of: directory, &state) else { return isAbsent = false }
            state.concerns[number, default: DirectoryConcerns()].onTheWay.insert(Array(name))
            if directory.count > 1 { directory.append(UInt8(ascii: "/")) }
            directory += name
            do throws(SystemError) {
                let status = try FileStatus(path: directory, followLinks: false)
                // What is behind a link is not watched.
                if status.kind == .symbolicLink { isAbsent = false }
            } catch {
                isAbsent = error.code == ErrorNumber.noSuchFile
            }
        }
        return isAbsent ?? false
    }

    /// The watch of a directory, which is made if there is none, and when it is to be renewed.
    private func number(
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
    private func readEvents() {
        state.withLock { state in
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
    private func clear(_ state: inout State) {
        // A watch that is gone already needs no end.
        for number in state.concerns.keys { try? watch.remove(number) }
        let next = state.clearings + 1
        var versionless = state.versionless
        versionless.clear()
        state = State(versionless: versionless, clearings: next)
    }
}
