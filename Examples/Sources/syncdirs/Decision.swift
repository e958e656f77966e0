// SPDX-License-Identifier: Apache-2.0
//
// What is to be done about one file, decided from what both directories have and what they had
// after the last run. A pure function: it is easy to see here that no edit is lost.

import Foundation

/// One of the two directories.
enum Side: Int {
    case first, second

    var other: Side { self == .first ? .second : .first }
}

/// Recognizes contents without keeping them.
struct Fingerprint: Codable, Equatable, Sendable {
    let length: Int
    let hash: UInt64

    /// FNV-1a, 64 bits: two contents of one length have the same by an accident of 1 in 10^19.
    init(_ data: Data) {
        length = data.count
        hash = data.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// What one directory has at a path.
struct Found {
    /// Nil if there is no file.
    var contents: Data?
    /// When the file was last changed.
    var modified: Date?

    var fingerprint: Fingerprint? { contents.map(Fingerprint.init) }
}

/// What is to be done.
enum Decision: Equatable {
    /// Both have the same. It is to be remembered, unless it is.
    case same
    /// One side has changed, or has lost its file: the other side follows.
    case follow(Side)
    /// Both have changed: this side's contents win, and the other side's become a version.
    case conflict(winner: Side)

    /// Decides.
    ///
    /// - Parameters:
    ///   - first: what the first side has.
    ///   - second: what the second side has.
    ///   - base: what both had after the last run; nil if they had no file.
    init(_ first: Found, _ second: Found, base: Fingerprint?) {
        let (one, two) = (first.fingerprint, second.fingerprint)
        if one == two {
            self = .same
        } else if one == base {
            self = .follow(.second)
        } else if two == base {
            self = .follow(.first)
        } else if one == nil {
            // Deleted here and edited there: the edit wins.
            self = .follow(.second)
        } else if two == nil {
            self = .follow(.first)
        } else {
            let isSecondLater = (second.modified ?? .distantPast) > (first.modified ?? .distantPast)
            self = .conflict(winner: isSecondLater ? .second : .first)
        }
    }
}
