// SPDX-License-Identifier: Apache-2.0
//
// A copy of a file, a link or a whole tree: contents, names, modes, access control lists, times and
// extended attributes; if it is asked for, also names that are links to one file, owners, pipes and
// devices, so that the copy can take the place of the original. What cannot be kept gives no access
// to others, and is told.

package import FileCoordinationSystem
import Glibc

/// Copies trees.
package struct TreeCopy {
    /// What a copy is like, beyond what every copy is.
    package struct Options {
        /// Whether names of one file are names of one file in the copy, too.
        package var keepsHardLinks = false
        /// Whether sockets, pipes and devices are made anew.
        ///
        /// If not, they are left out inside a tree, and refused at its top: they hold nothing that
        /// could be copied.
        package var keepsSpecials = false
        /// Whether something inside that is on another file system is an error.
        package var staysOnFileSystem = false
        /// How many levels the tree may have; as many as it has if nil.
        package var depthLimit: Int?
        /// Asked now and then whether to stop.
        package var isUnwanted: () -> Bool = { false }

        /// What is kept of an original that stays where it is.
        package init() {}
    }

    /// What copies do not have of their originals, each with the copy's path.
    package private(set) var losses: [(path: [UInt8], loss: AttributeLoss)] = []

    private let options: Options
    private var tops: Tops?
    private var source = TreeCursor()
    private var target = OpenDirectories()
    /// Files of more than one name that were copied, and by which route from the top.
    private var shared: [FileIdentity: [UInt8]] = [:]

    /// What is copied, and what it becomes.
    private struct Tops {
        let source: TreePlace
        let target: TreePlace
        let device: dev_t
    }

    /// Gets ready; nothing happens yet.
    package init(_ options: Options = Options()) { self.options = options }

    /// Copies as without options; errors are the kernel's alone.
    ///
    /// - Parameter depthLimit: how many levels the tree may have.
    package static func copy(
        _ source: TreePlace, to target: TreePlace, depthLimit: Int? = nil
    ) throws(SystemError) {
        var options = Options()
        options.depthLimit = depthLimit
        var copy = TreeCopy(options)
        do throws(TreeError) {
            try copy.copy(source, to: target)
        } catch {
            throw error.systemError
        }
    }

    /// Copies what is at `source` to `target`, whose name must be free.
    ///
    /// After an error, part of the copy may be there. Any thread; one copy at a time.
    package mutating func copy(_ source: TreePlace, to target: TreePlace) throws(TreeError) {
        (self.source, self.target) = (TreeCursor(), OpenDirectories())
        let item = try Self.open(source.name, in: source.directory, path: source.path)
        if case .special = item, !options.keepsSpecials {
            let operation = "copy what is neither a file nor a directory nor a link"
            throw .unreadable(
                path: source.path, SystemError(code: EINVAL, operation: operation))
        }
        tops = Tops(source: source, target: target, device: item.status.st_dev)
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

    /// What disappears while it is copied may have been moved to where the copy has been already:
    /// that is an error.
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

    /// Handles what the copy does not have.
    mutating func addLosses(_ lost: [AttributeLoss], _ route: [UInt8]) {
        losses += lost.map { (ends.target.path + route, $0) }
    }

    // MARK: Kinds

    /// Copies an item that is no directory, or begins with one that is.
    private mutating func copy(
        _ item: SourceItem, as name: [UInt8], in directory: Descriptor, route: [UInt8]
    ) throws(TreeError) {
        guard !options.isUnwanted() else { throw .unwanted }
        let status = item.status
        guard !options.staysOnFileSystem || status.st_dev == ends.device else {
            throw .otherFileSystem(path: ends.source.path + route)
        }
        if options.keepsHardLinks, status.kind != S_IFDIR, status.st_nlink > 1 {
            let identity = FileIdentity(status)
            if let first = shared[identity] {
                return try link(first, as: name, in: directory, route)
            }
            shared[identity] = route
        }
        switch item {
        case .file(let file): try copy(file, as: name, in: directory, route)
        case .directory(let inner, _):
            try beginDirectory(inner.descriptor, as: name, in: directory, route)
        case .link(let text, _):
            try writing(route) { () throws(SystemError) in
                try directory.makeLink(name, saying: text)
            }
            keepOwner(status, name, directory)
            keepTimes(status, name, directory)
        case .special:
            guard options.keepsSpecials else { return }
            let original =
                route.isEmpty ? ends.source : TreePlace(name, in: source.directory)
            try makeSpecial(status, of: original, as: name, in: directory, route)
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
        // Ours alone until it is filled; then it gets the permissions of the original.
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
            // Before it gets its permissions, which may bar the way back.
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
        var contents = FileContents(
            of: file.descriptor, to: copy, unless: options.isUnwanted)
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

    private func link(
        _ first: [UInt8], as name: [UInt8], in directory: Descriptor, _ route: [UInt8]
    ) throws(TreeError) {
        let top = ends.target
        try writing(route) { () throws(SystemError) in
            try directory.makeHardLink(name, to: top.name + first, in: top.directory)
        }
    }
}
