// SPDX-License-Identifier: Apache-2.0
//
// The directories from the top of a tree to the present position of a walk. Only the innermost ones
// are kept open, so that a deep tree does not use up the process's descriptors. To go back, the
// walk opens "..", and checks that it is the directory from which the walk came.

import FileCoordinationSystem
import Glibc

/// A chain of directories, each inside the previous one.
struct OpenDirectories {
    /// The greatest number of open directories.
    static let limit = 32

    private struct Link {
        let identity: FileIdentity
        var directory: Descriptor?
    }

    private var chain: [Link] = []

    /// The number of directories that contain the position.
    var depth: Int { chain.count }

    /// The directory of the position.
    var innermost: Descriptor {
        guard let directory = chain.last?.directory else {
            preconditionFailure("A walk is in some directory, which is open")
        }
        return directory
    }

    /// Enters a subdirectory of the innermost directory.
    mutating func enter(_ directory: Descriptor) throws(SystemError) {
        let identity = FileIdentity(try directory.fullStatus())
        chain.append(Link(identity: identity, directory: directory))
        let outer = chain.count - 1 - Self.limit
        if outer >= 0 { chain[outer].directory = nil }
    }

    /// Goes back to the parent of the innermost directory.
    ///
    /// Returns the directory that was left.
    ///
    /// - Throws: `ESTALE` if that directory was moved elsewhere meanwhile.
    mutating func leave() throws(SystemError) -> Descriptor {
        let left = innermost
        chain.removeLast()
        guard let outer = chain.last, outer.directory == nil else { return left }
        let parent = try left.openDirectory(Array("..".utf8))
        guard FileIdentity(try parent.fullStatus()) == outer.identity else {
            throw SystemError(code: ESTALE, operation: "go back from a directory that has moved")
        }
        chain[chain.count - 1].directory = parent
        return left
    }
}
