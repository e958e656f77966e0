// SPDX-License-Identifier: Apache-2.0
//
// Presenters whose properties are on the main actor although any thread may read them.
// Cure: `nonisolated` at the properties; `@preconcurrency NSFilePresenter` for the methods.

import FileCoordination

@MainActor class IsolatedWindow: NSObject, NSFilePresenter {  // warning 5; error 6
    var presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main
    func presentedItemDidChange() { presentedItemURL = nil }
}
