// SPDX-License-Identifier: Apache-2.0
//
// Defines which accesses exclude each other (Rules 2.1 to 2.9, 2.23), as pairwise functions close
// to the rules. The arbiter itself uses an index, `PlaceTree`, which encodes the same rules. Debug
// builds compare the two.

extension AccessItem {
    /// The depth of the exclusion node, the rules' L(x): the outermost package that is or contains
    /// the item, or else the item itself (Rule 2.0).
    var exclusionDepth: Int { packageDepths.first ?? path.depth }

    /// Whether the item is a package.
    var isPackage: Bool { packageDepths.last == path.depth }

    /// Whether the access concerns everything inside the item: D/M/R (Rule 2.6), or a read or write
    /// that covers the contents (Rule 2.23).
    ///
    /// This does not depend on whether the item is a directory: it may have become one by the time
    /// of the grant, and nothing is inside a file (Rule 2.7).
    var isDomain: Bool {
        access.coversContents || access.writingOptions?.isStructural ?? false
    }

    /// Whether the access moves a directory and thus passes claims that wait inside it (Rule 2.8a).
    var isMovedDirectory: Bool { access.writingOptions?.goesBeforeQueued ?? false }

    /// Whether a waiting claim stays at its path when the item moves (Rule 11.5).
    var staysInPlace: Bool { access.writingOptions?.staysInPlace ?? false }

    /// Whether the package depths are consistent.
    var isNormal: Bool { packageDepths.isEmpty || self == normalised }

    /// The item with consistent package depths.
    ///
    /// The depths come from another process. A depth that stands for no ancestor must not be used
    /// as an index.
    var normalised: AccessItem {
        var result = self
        let legal = packageDepths.filter { $0 >= 1 && $0 <= path.depth }.sorted()
        result.packageDepths = []
        for depth in legal where result.packageDepths.last != depth {
            result.packageDepths.append(depth)
        }
        result.isDirectory = isDirectory || result.isPackage
        return result
    }
}

extension FiledClaim {
    /// The claim with consistent package depths in its items.
    var normalised: FiledClaim {
        guard !items.allSatisfy(\.isNormal) else { return self }
        var result = self
        result.items = items.map(\.normalised)
        return result
    }
}

/// How two items are related whose accesses exclude each other.
enum Meeting: Hashable, Sendable {
    /// They are the same item or in the same package, or one access concerns everything inside its
    /// item and the other item is there.
    case ordinary
    /// The other item is inside a plain directory that this access moves.
    ///
    /// A waiting claim there is passed (Rule 2.8a).
    case insideMovedDirectory
}

/// Returns how `item` and `other` are related if their accesses exclude each other, else nil.
func meeting(of item: AccessItem, with other: AccessItem) -> Meeting? {
    // Rule 2.1
    guard item.access.isWriting || other.access.isWriting else { return nil }
    let samePlace = item.path == other.path
    // Rules 2.2 and 2.3: a package counts as one file, whichever part of it a claim names.
    let exclusionPath = item.path.prefix(depth: item.exclusionDepth)
    if samePlace || exclusionPath == other.path.prefix(depth: other.exclusionDepth) {
        return .ordinary
    }
    if other.isDomain && other.path.contains(item.path) { return .ordinary }
    guard item.isDomain && item.path.contains(other.path) else { return nil }
    // A package counts as one file here, too: only claims inside a *plain* directory are passed by
    // its move.
    return item.isMovedDirectory ? .insideMovedDirectory : .ordinary
}

/// Returns how two claims are related: ordinary if any pair of items is.
func meeting(of claim: FiledClaim, with other: FiledClaim) -> Meeting? {
    // Rule 2.10
    guard claim.purpose != other.purpose else { return nil }
    // Rule 14.3
    guard claim.kind.takesPart && other.kind.takesPart else { return nil }
    var result: Meeting?
    for item in claim.items {
        for otherItem in other.items {
            switch meeting(of: item, with: otherItem) {
            case .ordinary: return .ordinary
            case .insideMovedDirectory: result = .insideMovedDirectory
            case nil: continue
            }
        }
    }
    return result
}
