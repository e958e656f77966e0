// SPDX-License-Identifier: Apache-2.0
//
// What presenters are told after a write (section 7).

extension Arbiter {
    /// The did-messages after a claim; call before it is struck out.
    ///
    /// Of an item without an outcome it cannot be told whether it changed: if the accessor may have
    /// run, it is taken to have (Rule 7.8).
    func notices(after record: ClaimState, _ outcomes: [ItemOutcome]) -> [Effect] {
        var noticeBuffer = NoticeBuffer()
        // A batch has asked, and done nothing (Rule 14.3).
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
            // Rule 2.8b: moved away and replaced, it changed at both places.
            guard moved != nil, located.item.staysInPlace else { continue }
            let former = self.scene(of: located, movedTo: nil)
            notifyPresenters(of: former, .changed, after: record, &noticeBuffer)
            notifyDirectories(of: former, .changed, after: record, &noticeBuffer)
        }
        return noticeBuffer.effects
    }

    /// Where something happened, and who presents that.
    private struct Scene {
        let item: AccessItem
        let presenters: OrderedIDs<PresenterID>
        let containing: [(depth: Int, presenters: OrderedIDs<PresenterID>)]
    }

    /// What the accessor has moved changed where it is now.
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

    /// Tells the presenters of the item itself (Rules 7.3, 7.6, 7.7).
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
                // It has made its peace with it before (Rule 7.6); others are told of it now.
                if record.accommodated.contains(id) { continue }
            case .changed, .created:
                break
            }
            noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }

    /// Tells the presenters of everything inside a tree that was written: of each item there it
    /// cannot be told whether it changed (Rules 2.23, 7.8).
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

    /// Tells the presenters of directories that contain the item (Rules 7.4, 7.5).
    ///
    /// What a presenter implements for appearances never changes what it is told of
    /// changes: the fallback of packages stands in for `presentedSubitemDidChange(at:)` alone.
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

    /// The presenter, if it is to be told of this claim at all (Rules 4.5, 7.9).
    func recipient(_ id: PresenterID, of claim: FiledClaim) -> RegisteredPresenter? {
        guard let presenter = registry[id]?.registration, presenter.purpose != claim.purpose else {
            return nil
        }
        return presenter
    }
}
