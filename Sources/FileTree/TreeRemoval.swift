// SPDX-License-Identifier: Apache-2.0
//
// Removes files and trees by open directories and without following links. So everything that is
// removed is inside the tree, even if other programs rename directories meanwhile. If an item
// cannot be removed, the reason is recorded and the rest is removed nevertheless. Two processes may
// remove the same tree at the same time, so an item that does not exist any more is no error.

package import FileCoordinationSystem
import Glibc

/// Removes files and trees.
package struct TreeRemoval {
    /// Whether directories that forbid it are first made writable.
    ///
    /// Use it only for one's own trees.
    package var gainsAccess = false
    /// Returns whether the item at a path may be removed.
    package var isAgreed: ([UInt8]) -> Bool = { _ in true }
    /// Called with the path of each removed item, and whether it was a directory.
    package var report: ([UInt8], _ isDirectory: Bool) -> Void = { _, _ in }
    /// Called repeatedly; the removal stops if it returns true.
    package var isUnwanted: () -> Bool = { false }
    /// The items that could not be removed.
    package private(set) var failures: [(path: [UInt8], error: SystemError)] = []

    private var cursor = TreeCursor()
    private var open: [OpenDirectory] = []

    /// A directory that is being emptied.
    private struct OpenDirectory {
        let name: [UInt8]
        let path: [UInt8]
        /// Why it could not be listed.
        ///
        /// It may be empty nevertheless, and is then removed.
        var listing: SystemError?
        /// Whether an item in it could not be removed.
        var hasRemains = false
    }

    /// Makes a removal with nothing to remove.
    package init() {}

    // MARK: Whole removals

    /// Removes the item `name` as far as possible.
    ///
    /// Returns whether nothing is left.
    ///
    /// Directories are made writable first, so use it only for one's own trees.
    @discardableResult
    package static func remove(_ name: [UInt8], from directory: Descriptor) -> Bool {
        var removal = TreeRemoval()
        removal.gainsAccess = true
        removal.remove(TreePlace(name, in: directory))
        return removal.failures.isEmpty
    }

    /// Does the same, and throws the first reason why something is left.
    package static func removeAll(
        _ name: [UInt8], from directory: Descriptor
    ) throws(SystemError) {
        var removal = TreeRemoval()
        removal.gainsAccess = true
        removal.remove(TreePlace(name, in: directory))
        if let first = removal.failures.first { throw first.error }
    }

    /// Does the same for a name that is a `String`.
    package static func removeAll(
        _ name: String, from directory: Directory
    ) throws(SystemError) {
        try removeAll(Array(name.utf8), from: directory.descriptor)
    }

    // MARK: Steps

    /// Removes the item at `place` with everything inside.
    ///
    /// It is no error if there is none.
    package mutating func remove(_ place: TreePlace) {
        begin(place.name, in: place.directory, path: place.path, route: [])
        while !open.isEmpty, !isUnwanted() {
            if let (name, route) = cursor.next() {
                begin(name, in: cursor.directory, path: place.path + route, route: route)
            } else {
                finish(top: place.directory)
            }
        }
        (cursor, open) = (TreeCursor(), [])
    }

    private mutating func begin(
        _ name: [UInt8], in directory: Descriptor, path: [UInt8], route: [UInt8]
    ) {
        do throws(SystemError) {
            guard !isUnwanted() else { return }
            guard try directory.status(of: name).kind == S_IFDIR else {
                guard isAgreed(path) else { return keep() }
                try directory.removeEntry(name)
                return report(path, false)
            }
            try enter(name, in: directory, path: path, route: route)
        } catch {
            keepFirst(error, path)
        }
    }

    private mutating func enter(
        _ name: [UInt8], in directory: Descriptor, path: [UInt8], route: [UInt8]
    ) throws(SystemError) {
        var entry = OpenDirectory(name: name, path: path)
        let inner: Descriptor
        do throws(SystemError) {
            inner = try openDirectory(name, in: directory)
        } catch {
            entry.listing = error
            return try remove(entry, from: directory)
        }
        var names: [[UInt8]] = []
        do throws(SystemError) {
            names = try inner.names()
        } catch {
            entry.listing = error
        }
        try cursor.enter(inner, route: route, names: names)
        open.append(entry)
    }

    private func openDirectory(
        _ name: [UInt8], in directory: Descriptor
    ) throws(SystemError) -> Descriptor {
        let inner: Descriptor
        do throws(SystemError) {
            inner = try directory.openDirectory(name)
        } catch {
            guard gainsAccess, error.code == EACCES else { throw error }
            try unsafe directory.call("make writable", name) { unsafe fchmodat($0, $1, 0o700, 0) }
            inner = try directory.openDirectory(name)
        }
        // A copied directory has the permissions of its original, which may forbid to change it.
        if gainsAccess { _ = fchmod(inner.number, 0o700) }
        return inner
    }

    /// Leaves the innermost directory, and removes it if it is empty.
    private mutating func finish(top: Descriptor) {
        let entry = open.removeLast()
        do throws(SystemError) {
            _ = try cursor.leave()
        } catch {
            // The directory was moved away during the walk, so the other directories cannot be
            // reached.
            failures.append((entry.path, error))
            return open.removeAll()
        }
        do throws(SystemError) {
            try remove(entry, from: open.isEmpty ? top : cursor.directory)
        } catch {
            keepFirst(error, entry.path)
        }
    }

    private mutating func remove(
        _ entry: OpenDirectory, from directory: Descriptor
    ) throws(SystemError) {
        guard !entry.hasRemains, isAgreed(entry.path) else { return keep() }
        do throws(SystemError) {
            try directory.removeEntry(entry.name, isDirectory: true)
        } catch {
            throw error.code == ENOTEMPTY ? entry.listing ?? error : error
        }
        report(entry.path, true)
    }

    private mutating func keepFirst(_ error: SystemError, _ path: [UInt8]) {
        guard error.code != ENOENT else { return }
        failures.append((path, error))
        keep()
    }

    /// Notes that an item in the innermost directory could not be removed.
    private mutating func keep() {
        if !open.isEmpty { open[open.count - 1].hasRemains = true }
    }
}
