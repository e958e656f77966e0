// SPDX-License-Identifier: Apache-2.0
//
// Items as a caller names them, and as its accessor gets them. Paths are bytes: what is not text
// names an item, too (Rule 1.2).

package import FileCoordinationArbiter

/// An item's name as a caller gives it.
package struct ItemName: Sendable {
    /// The path, absolute, as the caller spells it; or why there is none.
    package let path: Result<[UInt8], PlaceError>
    /// A text that stands for that path and no other one, by which its place is remembered.
    ///
    /// The text of a file URL, or the path itself. Nil: it is not remembered.
    package let spelling: String?

    /// The name that `path` spells, and what it is remembered by.
    package init(path: Result<[UInt8], PlaceError>, spelling: String?) {
        self.path = path
        self.spelling = spelling
    }

    /// The name of an absolute path.
    package init(path: [UInt8]) {
        let isLegal = path.first == UInt8(ascii: "/") && !path.contains(0)
        self.init(
            path: isLegal ? .success(path) : .failure(.invalidName),
            spelling: String(validating: path, as: UTF8.self))
    }

    /// Whether it is spelled as a directory, with a slash at its end.
    package var namesDirectory: Bool {
        switch path {
        case .success(let path): path.last == UInt8(ascii: "/")
        case .failure: false
        }
    }
}

/// An item that a caller asks for.
package struct RequestedItem: Sendable {
    /// The name, which the accessor gets back as it is while nothing moves (Rule 1.8).
    package var name: ItemName
    /// What is wanted with it.
    package var access: Access

    /// An item that a caller asks for.
    package init(_ name: ItemName, access: Access) {
        self.name = name
        self.access = access
    }
}

/// An item as an accessor gets it.
package struct GrantedItem: Sendable {
    /// Where it is, or where its copy is.
    package let path: [UInt8]
    /// Whether that is spelled as a directory.
    package let isDirectory: Bool
    /// Whether that is what the caller named: then the face gives it what it has given us.
    package let isAsRequested: Bool
}
