// SPDX-License-Identifier: Apache-2.0
//
// Carries out the reconciler's orders. All file system calls of the watcher are here, on the
// watcher's thread. Other programs may rename directories at any time, so an order names the item
// that its path must lead to, and the result is only used if it does. Items are opened with
// `O_PATH`, which has no effect on them.

public import FileCoordinationArbiter
public import FileCoordinationSystem

/// Carries out the orders of the reconciler.
///
/// Only the watcher's thread uses it.
struct WatchExecutor {
    let kernel: DirectoryWatch
    /// The greatest number of watches.
    ///
    /// Tests set it to reach the limit.
    let watchLimit: Int
    private var watches: Set<Int32> = []
    /// The directory of the last check.
    ///
    /// It stays open because successive checks often concern the same directory.
    private var last: (path: ItemPath, identity: FileIdentity, item: OpenItem)?

    init(kernel: DirectoryWatch, watchLimit: Int) {
        self.kernel = kernel
        self.watchLimit = watchLimit
    }

    /// Closes the directory that was kept open, so that the next turn opens it by its path again.
    mutating func endTurn() { last = nil }

    /// Carries out an order, and returns the answer if it has one.
    mutating func carryOut(_ order: WatchOrder) -> WatchInput? {
        switch order {
        case .unwatch(let watch):
            do throws(SystemError) {
                try kernel.remove(watch)
            } catch {
                // The kernel has ended the watch already. Its notification of that may be lost.
                watchEnded(watch)
            }
            return nil
        case .watch(let node, let path, let expected, let mode):
            return .watched(node, watch(path, expected, mode), mode)
        case .list(let node, let path, let expected):
            return .listed(node, list(path, expected))
        case .check(let node, let name, let path, let expected):
            let found = check(name, path, expected)
            // Whatever has left the directory has changed its time.
            // Without it, the time at which the item went is not known.
            let properties = try? last?.item.properties()
            let goneBy = found == .seen(nil) ? properties?.changed : nil
            return .checked(node, found, isRecent: isRecent(found), goneBy: goneBy)
        }
    }

    /// Records that the kernel ended a watch.
    mutating func watchEnded(_ watch: Int32) { watches.remove(watch) }

    private mutating func open(_ path: ItemPath, _ expected: FileIdentity) -> Found<OpenItem> {
        if let last, last.path == path, last.identity == expected { return .seen(last.item) }
        do throws(SystemError) {
            let item = try OpenItem(path: path.bytes)
            guard ObservedFile(try item.properties()).identity.isSame(as: expected) else {
                return .elsewhere
            }
            last = (path, expected, item)
            return .seen(item)
        } catch {
            return Self.isAbsence(error) ? .elsewhere : .refused
        }
    }

    private static func isAbsence(_ error: SystemError) -> Bool {
        [ErrorNumber.noSuchFile, ErrorNumber.notADirectory, ErrorNumber.symbolicLink]
            .contains(error.code)
    }

    private mutating func check(
        _ name: [UInt8], _ path: ItemPath, _ expected: FileIdentity
    ) -> Found<ObservedFile?> {
        switch open(path, expected) {
        case .elsewhere: return .elsewhere
        case .refused: return .refused
        case .seen(let item):
            do throws(SystemError) {
                return .seen(ObservedFile(try item.properties(of: name)))
            } catch {
                guard error.code == ErrorNumber.noSuchFile else { return .refused }
                return .seen(nil)
            }
        }
    }

    /// Whether what was found in the last directory was changed so recently that it may have the
    /// same times after another change.
    private func isRecent(_ found: Found<ObservedFile?>) -> Bool {
        guard case .seen(let file?) = found, !file.isDirectory else { return false }
        let age = RealTimeClock.now.subtractingReportingOverflow(file.stamp.changed)
        // Most files are older than any tick, so the file system is seldom asked.
        guard !age.overflow, age.partialValue < StampTick.coarse.rawValue, let last else {
            return false
        }
        return age.partialValue < last.item.tick(of: file.stamp.changed).rawValue
    }

    private mutating func list(_ path: ItemPath, _ expected: FileIdentity) -> Found<[[UInt8]]> {
        switch open(path, expected) {
        case .elsewhere: return .elsewhere
        case .refused: return .refused
        case .seen(let item):
            // The result `refused` reports the failure.
            guard let names = try? item.names() else { return .refused }
            return .seen(names)
        }
    }

    private mutating func watch(
        _ path: ItemPath, _ expected: FileIdentity, _ mode: WatchOrder.Mode
    ) -> WatchOutcome {
        switch open(path, expected) {
        case .elsewhere: return .elsewhere
        case .refused: return .failed(.permission)
        case .seen(let item):
            guard watches.count < watchLimit else { return .failed(.limit) }
            do throws(SystemError) {
                let watch = try kernel.add(item, Self.changes(for: mode))
                watches.insert(watch)
                return item.seesEverything ? .watching(watch) : .watchingLocalChanges(watch)
            } catch {
                let isRefusal = [ErrorNumber.accessDenied, ErrorNumber.notPermitted]
                return .failed(isRefusal.contains(error.code) ? .permission : .limit)
            }
        }
    }

    private static func changes(for mode: WatchOrder.Mode) -> DirectoryWatch.Changes {
        let itself: DirectoryWatch.Changes = [.itselfRemoved, .itselfMoved]
        let names: DirectoryWatch.Changes = [.created, .removed, .movedFrom, .movedTo]
        // Accesses are not among them, because the watcher's own checks would cause notifications.
        let contents: DirectoryWatch.Changes = [.modified, .closedAfterWriting, .attributes]
        return switch mode {
        case .item: itself.union(contents)
        case .names: itself.union(names)
        case .itemAndNames, .tree: itself.union(names).union(contents)
        }
    }
}

extension ObservedFile {
    /// Makes the result of a check.
    public init(_ properties: FileProperties) {
        self.init(
            identity: FileIdentity(
                device: properties.device, inode: properties.inode, born: properties.born,
                handle: properties.handle),
            isDirectory: properties.isDirectory,
            stamp: FileStamp(
                size: properties.size, modified: properties.modified, changed: properties.changed,
                mode: properties.mode,
                owner: properties.owner, group: properties.group),
            linkCount: properties.linkCount)
    }

    /// Looks at what is at `path`, without following a link that it ends with; nil if nothing is
    /// there.
    ///
    /// - Throws: the reason why that cannot be determined.
    public init?(path: ItemPath) throws(SystemError) {
        do {
            self.init(try OpenItem(path: path.bytes).properties())
        } catch {
            let absences = [ErrorNumber.noSuchFile, ErrorNumber.notADirectory]
            guard absences.contains(error.code) else { throw error }
            return nil
        }
    }
}

extension KernelEvent {
    /// Translates an event of the kernel.
    public init(_ event: DirectoryWatch.Event) {
        let pairs: [(DirectoryWatch.Changes, What)] = [
            (.created, .created), (.removed, .removed), (.movedFrom, .movedFrom),
            (.movedTo, .movedTo), ([.modified, .attributes], .changed),
            (.closedAfterWriting, .closed),
            ([.itselfRemoved, .itselfMoved, .unmounted], .itselfGone), (.watchEnded, .ended),
        ]
        var what: What = []
        for (theirs, ours) in pairs where !event.changes.isDisjoint(with: theirs) {
            what.insert(ours)
        }
        self.init(watch: event.watch, what: what, cookie: event.cookie, name: event.name)
    }
}
