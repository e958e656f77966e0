// SPDX-License-Identifier: Apache-2.0
//
// What a claimant wrote into its log about its items, and to which paths that applies. A claim that
// moves its items has other paths at its end than when its accessor began. The claimant then says
// what was and is at the paths of the beginning, because only those are free of the move.

package import FileCoordinationArbiter
import FileCoordinationLedger
package import FileCoordinationWatching
import FileCoordinationWire

/// What a write did at one path.
package struct WrittenPath {
    let path: ItemPath
    /// What was at the path before and after the accessor; nil if that is not known.
    let change: (before: ObservedFile?, after: ObservedFile?)?
    let hasChanged: Bool

    /// Creates a description of what a write did.
    package init(
        path: ItemPath, change: (before: ObservedFile?, after: ObservedFile?)?, hasChanged: Bool
    ) {
        self.path = path
        self.change = change
        self.hasChanged = hasChanged
    }
}

/// What a claimant saw of its items.
struct WrittenItems {
    /// One for each item of the claim; empty if the claimant did not say.
    var changes: [ItemChange?] = []
    /// Whether ``changes`` are of the paths that the items had when the accessor began.
    var isOfPathsAsBegun = false
    /// Where it has moved items beside the paths of its claim, and what is there.
    var arrivals: [(path: ItemPath, after: ObservedFile?)] = []

    /// Returns what the write did at each of its paths.
    ///
    /// - Parameters:
    ///   - claim: the claim, with the paths that its items have now.
    ///   - begun: the paths of the written items when the accessor began; nil if they are not
    ///     known.
    ///   - outcomes: one for each item of the claim.
    /// - Returns: one for each written item.
    func paths(
        of claim: FiledClaim, asBegun begun: [ItemPath]?, _ outcomes: [ItemOutcome]
    ) -> [WrittenPath] {
        let written = claim.items.indices.filter { claim.items[$0].access.isWriting }
        let former = begun.flatMap { $0.count == written.count ? $0 : nil }
        let isKnown =
            changes.count == claim.items.count && (!isOfPathsAsBegun || former != nil)
        return written.enumerated().map { position, index in
            let known = isKnown ? changes[index] : nil
            let path =
                isOfPathsAsBegun
                ? former?[position] ?? claim.items[index].path
                : claim.items[index].path
            let isTouched = isOfPathsAsBegun && known.map { $0.before != $0.after } ?? true
            return WrittenPath(
                path: path,
                change: known.map {
                    (
                        before: $0.before.map { ObservedFile($0) },
                        after: $0.after.map { ObservedFile($0) }
                    )
                },
                hasChanged: outcomes[index] != .unchanged || isTouched)
        }
    }
}

extension WrittenItems {
    /// Finds what the claimant saw of its items in the entries of its log.
    init(_ entries: [(entry: ClaimLogEntry, length: Int)]) {
        for (entry, _) in entries {
            switch entry {
            case .itemChanges(let changes): self.changes = changes
            case .pathChanges(let changes): (self.changes, isOfPathsAsBegun) = (changes, true)
            case .arrivals(let arrivals):
                self.arrivals = arrivals.map { ($0.path, $0.after.map { ObservedFile($0) }) }
            case .announced, .outcomes: break
            }
        }
    }
}

extension LedgerReader {
    /// Returns what the claimant of a record saw of its items before and after its accessor.
    func writtenItems(_ record: RecordReference) -> WrittenItems {
        WrittenItems(ClaimLogEntry.entries(decoding: outcome(record) ?? []))
    }
}

/// What a claimant wrote into its log when its accessor had returned.
struct ClaimReport {
    /// One for each item; empty if the claimant has not written them.
    var outcomes: [ItemOutcome] = []
    /// What it saw of the items.
    var written = WrittenItems()
}

extension ObservedFile {
    init(_ properties: ItemProperties) {
        self.init(
            identity: FileIdentity(device: properties.device, inode: properties.inode),
            isDirectory: properties.isDirectory,
            stamp: FileStamp(
                size: properties.size, modified: properties.modified, changed: properties.changed,
                mode: properties.mode, owner: properties.owner, group: properties.group),
            linkCount: properties.linkCount)
    }
}
