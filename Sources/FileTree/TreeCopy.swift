// SPDX-License-Identifier: Apache-2.0
//
// Copies a file, a link or a whole tree: contents, names, modes, access control lists, times and
// extended attributes. If an attribute cannot be preserved, the copy gives other users no
// additional access.

package import FileCoordinationSystem
import Glibc

/// Copies trees.
package struct TreeCopy {
    /// How a tree is copied.
    package struct Options {
        /// The greatest depth of the tree, or nil for no limit.
        package var depthLimit: Int?
        /// Whether the top of the copy, if it is a file or a directory, stays this user's alone.
        ///
        /// The caller gives it its access rights, under the name that it has by then.
        package var isTopPrivate = false

        /// Neither.
        package init() {}
    }

    let options: Options
    private var tops: Tops?
    private var source = TreeCursor()
    private var target = OpenDirectories()

    /// The top of the original and the top of the copy.
    private struct Tops {
        let source: TreePlace
        let target: TreePlace
        /// The directory in which the copy is made.
        let home: FileIdentity
    }

    /// Prepares the copying without doing anything yet.
    package init(_ options: Options = Options()) { self.options = options }

    /// Copies without options.
    ///
    /// - Parameters:
    ///   - source: the item to copy.
    ///   - target: where the copy is made; nothing may exist there.
    ///   - depthLimit: the greatest depth of the tree; nil for no limit.
    ///   - isTopPrivate: whether only this user gets access to the top of the copy.
    /// - Throws: the ``SystemError`` of the system call that failed.
    package static func copy(
        _ source: TreePlace, to target: TreePlace, depthLimit: Int? = nil,
        isTopPrivate: Bool = false
    ) throws(SystemError) {
        var options = Options()
        options.depthLimit = depthLimit
        options.isTopPrivate = isTopPrivate
        var copy = TreeCopy(options)
        do throws(TreeError) {
            try copy.copy(source, to: target)
        } catch {
            throw error.systemError
        }
    }

    /// Copies the item at `source` to `target`, where nothing may exist.
    ///
    /// After an error, a part of the copy may exist. Call it on any thread, but make one copy at a
    /// time.
    package mutating func copy(_ source: TreePlace, to target: TreePlace) throws(TreeError) {
        (self.source, self.target) = (TreeCursor(), OpenDirectories())
        let item = try Self.open(source.name, in: source.directory, path: source.path)
        // Inside a tree, sockets, pipes and devices are left out: they have no contents to copy.
        if case .special = item {
            let operation = "copy what is neither a file nor a directory nor a link"
            throw .unreadable(
                path: source.path, SystemError(code: EINVAL, operation: operation))
        }
        let home: stat
        do throws(SystemError) {
            home = try target.directory.fullStatus()
        } catch {
            throw .unwritable(path: target.path, error)
        }
        tops = Tops(source: source, target: target, home: FileIdentity(home))
        try copy(item, as: target.name, in: target.directory, route: [])
        while self.source.depth > 0 {
            guard let (name, route) = self.source.next() else {
                try finishDirectory()
                continue
            }
            let inner = try Self.open(
                name, in: self.source.directory, path: source.path + route)
            try copy(inner, as: name, in: self.target.innermost, route: route)
        }
    }

    /// Opens an item of the original.
    ///
    /// If the item has disappeared, that is an error: it may have been moved to a directory that
    /// was copied already.
    private static func open(
        _ name: [UInt8], in directory: Descriptor, path: [UInt8]
    ) throws(TreeError) -> SourceItem {
        let parent = SourceDirectory(directory, path: Array(path.dropLast(name.count + 1)))
        guard let item = try parent.item(name) else {
            throw .unreadable(
                path: path, SystemError(code: ENOENT, operation: "copy what has disappeared"))
        }
        return item
    }

    // MARK: Errors

    private var ends: Tops {
        guard let tops else { preconditionFailure("A copy has a source and a target") }
        return tops
    }

    func reading<Result>(
        _ route: [UInt8], _ body: () throws(SystemError) -> Result
    ) throws(TreeError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .unreadable(path: ends.source.path + route, error)
        }
    }

    @discardableResult
    func writing<Result>(
        _ route: [UInt8], _ body: () throws(SystemError) -> Result
    ) throws(TreeError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .unwritable(path: ends.target.path + route, error)
        }
    }

    // MARK: Kinds

    /// Copies an item, or begins to copy it if it is a directory.
    private mutating func copy(
        _ item: SourceItem, as name: [UInt8], in directory: Descriptor, route: [UInt8]
    ) throws(TreeError) {
        let status = item.status
        switch item {
        case .file(let file): try copy(file, as: name, in: directory, route)
        case .directory(let inner, _):
            // Paths do not show this if a directory is mounted twice.
            guard FileIdentity(status) != ends.home else {
                throw .intoItself(path: ends.source.path + route)
            }
            try beginDirectory(inner.descriptor, as: name, in: directory, route)
        case .link(let text, _):
            try writing(route) { () throws(SystemError) in
                try directory.makeLink(name, saying: text)
            }
            keepOwner(status, name, directory)
            keepTimes(status, name, directory)
        case .special: return
        }
    }

    private mutating func beginDirectory(
        _ original: Descriptor, as name: [UInt8], in directory: Descriptor, _ route: [UInt8]
    ) throws(TreeError) {
        if let limit = options.depthLimit, source.depth >= limit {
            throw .unreadable(
                path: ends.source.path + route,
                SystemError(
                    code: ENAMETOOLONG, operation: "copy a tree of more than \(limit) levels"))
        }
        let names = try reading(route) { () throws(SystemError) in try original.names() }
        // Only this user has access until the directory is filled. Then it gets the original's
        // permissions.
        let copy = try writing(route) { () throws(SystemError) in
            try directory.makeDirectory(name)
            return try directory.openDirectory(name)
        }
        do throws(SystemError) {
            try source.enter(original, route: route, names: names)
            try target.enter(copy)
        } catch {
            throw .unreadable(path: ends.source.path + route, error)
        }
    }

    private mutating func finishDirectory() throws(TreeError) {
        let route = source.route
        let (original, copy): (Descriptor, Descriptor)
        do throws(SystemError) {
            original = try source.leave()
        } catch {
            throw .unreadable(path: ends.source.path + route, error)
        }
        do throws(SystemError) {
            // This comes before the permissions are set, because they may forbid to open "..".
            copy = try target.leave()
        } catch {
            throw .unwritable(path: ends.target.path + route, error)
        }
        try keepAttributes(of: original, on: copy, route)
    }

    private mutating func copy(
        _ file: SourceFile, as name: [UInt8], in directory: Descriptor, _ route: [UInt8]
    ) throws(TreeError) {
        let copy = try writing(route) { () throws(SystemError) in
            try directory.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        }
        var contents = FileContents(of: file.descriptor, to: copy)
        do throws(FileContents.Failure) {
            try contents.copy()
        } catch {
            switch error {
            case .reading(let error): throw .unreadable(path: ends.source.path + route, error)
            case .writing(let error): throw .unwritable(path: ends.target.path + route, error)
            case .unwanted: throw .unwanted
            }
        }
        try keepAttributes(of: file.descriptor, on: copy, route)
    }
}
