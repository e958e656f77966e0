// SPDX-License-Identifier: Apache-2.0
//
// Collects the notices of one event for presenters.

/// Notices in the order in which they are sent; no presenter gets the same one twice (Rule 7.12).
struct NoticeBuffer {
    private(set) var effects: [Effect] = []
    /// Used for lookup only, never iterated.
    private var sent: Set<Effect> = []

    mutating func send(
        _ notice: Notice, to presenter: RegisteredPresenter, if method: PresenterMethods
    ) {
        guard presenter.methods.contains(method) else { return }
        let effect = Effect.notify(presenter.id, notice)
        if sent.insert(effect).inserted { effects.append(effect) }
    }

    /// Adds a notice about something inside a presented directory.
    ///
    /// A package whose presenter has no method for it is told about a change of the package (Rule
    /// 7.4).
    mutating func send(
        _ notice: Notice, to presenter: RegisteredPresenter, if method: PresenterMethods,
        isPackage: Bool
    ) {
        if presenter.methods.contains(method) {
            send(notice, to: presenter, if: method)
        } else if isPackage {
            send(.itemDidChange, to: presenter, if: .itemDidChange)
        }
    }
}
