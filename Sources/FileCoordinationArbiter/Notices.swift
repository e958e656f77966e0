// SPDX-License-Identifier: Apache-2.0
//
// The notices to presenters after a write (the rule book's section 7).

extension Arbiter {
    /// Returns the notices after a claim.
    ///
    /// Call this before the claim is removed.
    ///
    /// If an item has no outcome, it is unknown whether it changed. It counts as changed if the
    /// accessor may have run (Rule 7.8).
    func notices(after record: ClaimState, _ outcomes: [ItemOutcome]) -> [Effect] {
        var noticeBuffer = NoticeBuffer()
        // A batch asks presenters but does not write (Rule 14.3).
        guard record.claim.kind.takesPart else { return [] }
        for (index, located) in tree.ownLocatedItems(of: record.claim).enumerated() {
            // Rule 7.11
            guard located.item.access.isWriting else { continue }
            let untold: ItemOutcome = record.grant == nil ? .unchanged : .changed
            let outcome = index < outcomes.count ? outcomes[index] : untold
            guard outcome != .unchanged else { continue }
            let moved = record.movedItems[index]
            let scene = scene(of: located, movedTo: moved)
            notifyPresenters(of: scene, outcome, after: record, &noticeBuffer)
            notifyDirectories(of: scene, outcome, after: record, &noticeBuffer)
            if located.item.access.coversContents {
                notifyContents(of: scene.item.path, outcome, after: record, &noticeBuffer)
            }
            // Rule 2.8b: an item that was moved away and also replaced has changed at both paths.
            guard moved != nil, located.item.staysInPlace || record.isMovedByOthers else {
                continue
            }
            let former = self.scene(of: located, movedTo: nil)
            notifyPresenters(of: former, .changed, after: record, &noticeBuffer)
            notifyDirectories(of: former, .changed, after: record, &noticeBuffer)
        }
        return noticeBuffer.effects
    }

    /// An item that changed, and the presenters that are concerned with it.
    private struct Scene {
        let item: AccessItem
        let presenters: OrderedIDs<PresenterID>
        let containing: [(depth: Int, presenters: OrderedIDs<PresenterID>)]
    }

    /// Returns the scene of an item; if the accessor has moved it, at its new path.
    private func scene(of located: PlaceTree.LocatedItem, movedTo item: AccessItem?) -> Scene {
        guard let item else {
            return Scene(
                item: located.item, presenters: tree.presenters(at: located),
                containing: tree.presenters(above: located))
        }
        return Scene(
            item: item, presenters: tree.presenters(at: item.path),
            containing: tree.presenters(containing: item.path))
    }

    /// Notifies the presenters of the item itself (Rules 7.3, 7.6, 7.7).
    private func notifyPresenters(
        of scene: Scene, _ outcome: ItemOutcome, after record: ClaimState,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        for id in scene.presenters {
            guard let presenter = recipient(id, of: record.claim) else { continue }
            switch outcome {
            case .unchanged:
                continue
            case .deleted:
                // A presenter that accommodated the deletion knows of it (Rule 7.6). Others are
                // told now.
                if record.accommodated.contains(id) { continue }
            case .changed, .created:
                break
            }
            noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }

    /// Notifies the presenters of everything inside a directory that was written, because it is
    /// unknown which items in it changed (Rules 2.23, 7.8).
    private func notifyContents(
        of path: ItemPath, _ outcome: ItemOutcome, after record: ClaimState,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        guard let top = tree.node(of: path) else { return }
        for id in tree.presenters(below: top) {
            guard let presenter = recipient(id, of: record.claim) else { continue }
            if outcome == .deleted, record.accommodated.contains(id) { continue }
            noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }

    /// Notifies the presenters of directories that contain the item (Rules 7.4, 7.5).
    ///
    /// A method for appearances never replaces a notice about changes: only
    /// `presentedSubitemDidChange(at:)` takes the place of a package's own change notice.
    private func notifyDirectories(
        of scene: Scene, _ outcome: ItemOutcome, after record: ClaimState,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        let path = scene.item.path
        for (depth, presenters) in scene.containing {
            let isPackage = scene.item.packageDepths.contains(depth)
            for id in presenters {
                guard let presenter = recipient(id, of: record.claim) else { continue }
                switch outcome {
                case .unchanged: continue
                case .created:
                    noticeBuffer.send(.subitemDidAppear(path), to: presenter, if: .subitemDidAppear)
                case .changed, .deleted: break
                }
                noticeBuffer.send(
                    .subitemDidChange(path), to: presenter, if: .subitemDidChange,
                    isPackage: isPackage)
            }
        }
    }

    /// Returns the presenter if it is told about this claim at all, else nil (Rules 4.5, 7.9).
    func recipient(_ id: PresenterID, of claim: FiledClaim) -> RegisteredPresenter? {
        guard let presenter = registry[id]?.registration, presenter.purpose != claim.purpose else {
            return nil
        }
        return presenter
    }
}
