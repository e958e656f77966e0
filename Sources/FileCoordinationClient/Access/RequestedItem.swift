// SPDX-License-Identifier: Apache-2.0
//
// Items as a caller names them, and as its accessor gets them. Paths are bytes, because a path need
// not be valid text (Rule 1.2).

package import FileCoordinationArbiter

/// An item's name, as the caller gives it.
package struct ItemName: Sendable {
    /// The absolute path in the caller's spelling, or why there is none.
    package let path: Result<[UInt8], PlaceError>
    /// The key for the place cache: a text that stands for this path and no other.
    ///
    /// The text of a file URL, or the path itself, in ASCII: Swift takes texts for equal whose
    /// letters are composed differently, but they name different files (Rule 1.2). Nil if the place
    /// is not cached.
    package let spelling: String?

    /// Creates a name with a path and a cache key.
    package init(path: Result<[UInt8], PlaceError>, spelling: String?) {
        self.path = path
        self.spelling = spelling
    }

    /// Creates the name of an absolute path.
    package init(path: [UInt8]) {
        let isLegal = path.first == UInt8(ascii: "/") && !path.contains(0)
        self.init(
            path: isLegal ? .success(path) : .failure(.invalidName),
            spelling: path.allSatisfy { $0 < 0x80 } ? String(decoding: path, as: UTF8.self) : nil)
    }

    /// Whether the path ends with a slash, as that of a directory.
    package var namesDirectory: Bool {
        switch path {
        case .success(let path): path.last == UInt8(ascii: "/")
        case .failure: false
        }
    }
}

/// An item that a caller requests.
package struct RequestedItem: Sendable {
    /// The name, which the accessor gets back unchanged if the item does not move (Rule 1.8).
    package var name: ItemName
    /// The requested kind of access.
    package var access: Access
    /// What is demanded of the item's state, and wanted of it (Rule 18.16); nil for nothing.
    package let terms: TokenTerms?

    /// Creates a request.
    package init(_ name: ItemName, access: Access, terms: TokenTerms? = nil) {
        self.name = name
        self.terms = terms
        if terms?.onlyIf != nil, case .writing(let options) = access {
            self.access = .writing(options.union(.conditional))
        } else {
            self.access = access
        }
    }
}

/// An item as an accessor gets it.
package struct GrantedItem: Sendable {
    /// The path of the item or of its copy.
    package let path: [UInt8]
    /// Whether the path is spelled as that of a directory.
    package let isDirectory: Bool
    /// Whether the path is the requested one.
    ///
    /// The face then passes the caller's own object on.
    package let isAsRequested: Bool
    /// The state at the grant, if the caller wants to know it.
    package internal(set) var token: ItemToken?
}
