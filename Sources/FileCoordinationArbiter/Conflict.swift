// SPDX-License-Identifier: Apache-2.0
//
// Which accesses exclude each other (Rules 2.1 to 2.9, 2.23), said twice: here pairwise, as the
// rules say it, and in `PlaceTree` as places to look at, which is what the arbiter runs on. Debug
// builds compare the two.

extension AccessItem {
    /// The number of components of L(x): the outermost package that is or contains the item, or the
    /// item itself (Rule 2.0).
    var exclusionDepth: Int { packageDepths.first ?? path.depth }

    /// Whether the item is a package.
    var isPackage: Bool { packageDepths.last == path.depth }

    /// Whether the access concerns everything inside the item: D/M/R (Rule 2.6), or a read or a
    /// write that covers it (Rule 2.23).
    ///
    /// Also of what was no directory when the claim was filed: it may be one by the time of the
    /// grant, and nothing is inside a file (Rule 2.7).
    var isDomain: Bool {
        access.coversContents || access.writingOptions?.isStructural ?? false
    }

    /// Whether the access moves a directory, and so goes before what is queued inside (Rule 2.8a).
    var isMovedDirectory: Bool { access.writingOptions?.goesBeforeQueued ?? false }

    /// Whether a claim that waits for the item stays at its place when the item moves (Rule 11.5).
    var staysInPlace: Bool { access.writingOptions?.staysInPlace ?? false }

    /// Whether its facts contradict each other nowhere.
    fileprivate var isNormal: Bool { packageDepths.isEmpty || self == normalised }

    /// The same item with facts that contradict themselves put right.
    ///
    /// They come from another process: a depth that names no ancestor must not lead anywhere.
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
    /// The same claim with facts of its items that contradict themselves put right.
    var normalised: FiledClaim {
        guard !items.allSatisfy(\.isNormal) else { return self }
        var result = self
        result.items = items.map(\.normalised)
        return result
    }
}

/// How two items meet when their accesses exclude each other.
enum Meeting: Hashable, Sendable {
    /// They are one item, or in one package, or one concerns everything inside it, and the other is
    /// there.
    case ordinary
    /// The other is inside the plain directory that this one moves: a queued one is not waited for
    /// (Rule 2.8a).
    case insideMovedDirectory
}

/// How `item` meets `other` if their accesses exclude each other, else nil.
func meeting(of item: AccessItem, with other: AccessItem) -> Meeting? {
    // Rule 2.1
    guard item.access.isWriting || other.access.isWriting else { return nil }
    let samePlace = item.path == other.path
    // Rules 2.2 and 2.3: a package is one file, no matter which part of it a claim names.
    let exclusionPath = item.path.prefix(depth: item.exclusionDepth)
    if samePlace || exclusionPath == other.path.prefix(depth: other.exclusionDepth) {
        return .ordinary
    }
    if other.isDomain && other.path.contains(item.path) { return .ordinary }
    guard item.isDomain && item.path.contains(other.path) else { return nil }
    // A package is one file here too: only what is inside a *plain* moved directory goes after it.
    return item.isMovedDirectory ? .insideMovedDirectory : .ordinary
}

/// How `claim` meets `other`: in the ordinary way if any of their items does.
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
