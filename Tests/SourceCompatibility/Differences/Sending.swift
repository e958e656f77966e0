// SPDX-License-Identifier: Apache-2.0
//
// Coordinators, presenters and versions in closures that may run elsewhere. They are no more
// Sendable than on Apple's; but Swift 5 mode says so as well, as it does for the classes of this
// Foundation, because the module is compiled in Swift 6 mode.
// Cure: `@preconcurrency import FileCoordination` in Swift 6 mode, or make the coordinator inside.

import FileCoordination

func cancelElsewhere(_ coordinator: NSFileCoordinator, _ items: NSMutableArray) {
    DispatchQueue(label: "a").async { coordinator.cancel() }  // warning 5 6
    DispatchQueue(label: "a").async { items.removeAllObjects() }  // warning 5; error 6
    OperationQueue.main.addOperation { coordinator.cancel() }  // warning 5 6
}

func tellElsewhere(_ presenter: any NSFilePresenter, _ version: NSFileVersion) {
    DispatchQueue(label: "a").async { presenter.presentedItemDidChange() }  // warning 5 6
    DispatchQueue(label: "a").async { version.isResolved = true }  // warning 5 6
}

func cancelLater(_ coordinator: NSFileCoordinator, _ intent: NSFileAccessIntent) {
    coordinator.coordinate(with: [intent], queue: .main) { _ in
        coordinator.cancel()  // warning 5 6
    }
}
