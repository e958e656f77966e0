// SPDX-License-Identifier: Apache-2.0
//
// What presenters hear after a write (section 7).

extension Arbiter {
    /// The did-messages after a claim; call before it is struck out.
    ///
    /// Of an item without an outcome it cannot be told whether it changed: if the accessor may have
    /// run, it is taken to have (Rule 7.8).
    func notices(after record: ClaimRecord, _ outcomes: [ItemOutcome]) -> [Effect] {
        var mail = Mail()
        for (index, spot) in (tree.spots[record.claim.id] ?? []).enumerated() {
            // Rule 7.11
            guard spot.item.access.isWriting else { continue }
            let untold: ItemOutcome = record.grant == nil ? .unchanged : .changed
            let outcome = index < outcomes.count ? outcomes[index] : untold
            guard outcome != .unchanged else { continue }
            notifyPresenters(at: spot, outcome, after: record, &mail)
            notifyPresenters(above: spot, outcome, after: record, &mail)
        }
        return mail.effects
    }

    /// Tells the presenters of the item itself (Rules 7.3, 7.6, 7.7).
    private func notifyPresenters(
        at spot: PlaceTree.Spot, _ outcome: ItemOutcome, after record: ClaimRecord,
        _ mail: inout Mail
    ) {
        for id in tree.presenters(at: spot) {
            guard let presenter = hearer(id, of: record.claim) else { continue }
            switch outcome {
            case .unchanged:
                continue
            case .deleted:
                // It has made its peace with it before (Rule 7.6); others hear of it now.
                if record.accommodated.contains(id) { continue }
            case .changed, .created:
                break
            }
            mail.send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }

    /// Tells the presenters of directories that contain the item (Rules 7.4, 7.5).
    ///
    /// What a presenter implements for appearances never changes what it hears of
    /// changes: the fallback of packages stands in for `presentedSubitemDidChange(at:)` alone.
    private func notifyPresenters(
        above spot: PlaceTree.Spot, _ outcome: ItemOutcome, after record: ClaimRecord,
        _ mail: inout Mail
    ) {
        let path = spot.item.path
        for (depth, presenters) in tree.presenters(above: spot) {
            let isPackage = spot.item.packageDepths.contains(depth)
            for id in presenters {
                guard let presenter = hearer(id, of: record.claim) else { continue }
                switch outcome {
                case .unchanged: continue
                case .created:
                    mail.send(.subitemDidAppear(path), to: presenter, if: .subitemDidAppear)
                case .changed, .deleted: break
                }
                if presenter.methods.contains(.subitemDidChange) {
                    mail.send(.subitemDidChange(path), to: presenter, if: .subitemDidChange)
                } else if isPackage {
                    mail.send(.itemDidChange, to: presenter, if: .itemDidChange)
                }
            }
        }
    }

    /// The presenter, if it is to hear of this claim at all (Rules 4.5, 7.9).
    private func hearer(_ id: PresenterID, of claim: FiledClaim) -> RegisteredPresenter? {
        guard let presenter = registry[id]?.registration, presenter.purpose != claim.purpose else {
            return nil
        }
        return presenter
    }
}

/// Notices in the order in which they are sent; none twice to one presenter (Rule 7.12).
private struct Mail {
    private(set) var effects: [Effect] = []
    /// Only looked up, never gone through.
    private var sent: Set<Effect> = []

    mutating func send(
        _ notice: Notice, to presenter: RegisteredPresenter, if method: PresenterMethods
    ) {
        guard presenter.methods.contains(method) else { return }
        let effect = Effect.notify(presenter.id, notice)
        if sent.insert(effect).inserted { effects.append(effect) }
    }
}
