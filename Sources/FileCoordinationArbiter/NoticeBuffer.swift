// SPDX-License-Identifier: Apache-2.0
//
// Messages of one occasion on their way to presenters.

/// Notices in the order in which they are sent; none twice to one presenter (Rule 7.12).
struct NoticeBuffer {
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

    /// Sends a notice about something inside the presented directory.
    ///
    /// A package that has no method for it is told of a change of itself (Rule 7.4).
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
