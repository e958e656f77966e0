// SPDX-License-Identifier: Apache-2.0
//
// The directories from the top of a tree down to where a walk is. Only the innermost few are open,
// so that a deep tree does not take all descriptors of the process; the way back leads through
// "..", and the directory that is found there must be the one that was left.

import FileCoordinationSystem
import Glibc

/// A chain of directories, each in the one before.
struct OpenDirectories {
    /// How many of them are open at most.
    static let limit = 32

    private struct Link {
        let identity: FileIdentity
        var directory: Descriptor?
    }

    private var chain: [Link] = []

    /// How many directories the walk is inside of.
    var depth: Int { chain.count }

    /// The directory that the walk is in.
    var innermost: Descriptor {
        guard let directory = chain.last?.directory else {
            preconditionFailure("A walk is in some directory, which is open")
        }
        return directory
    }

    /// Goes into a directory of the innermost one.
    mutating func enter(_ directory: Descriptor) throws(SystemError) {
        let identity = FileIdentity(try directory.fullStatus())
        chain.append(Link(identity: identity, directory: directory))
        let outer = chain.count - 1 - Self.limit
        if outer >= 0 { chain[outer].directory = nil }
    }

    /// Goes back to the directory around the innermost one; returns the one that was left.
    ///
    /// - Throws: `ESTALE` if that one was moved somewhere else meanwhile.
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
