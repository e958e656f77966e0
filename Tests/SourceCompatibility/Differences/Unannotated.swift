// SPDX-License-Identifier: Apache-2.0
//
// Swift 6 mode, and programs from before there was `@Sendable`. Presenters compile without a
// warning; for variables that later accessors change, there are warnings. Swift 5 mode does not
// warn; see also ClassicSpellings. Cure: `@Sendable` where the compiler proposes it.

import FileCoordination

class Unannotated: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main
    var isEdited = false

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        reader { self.isEdited = false }
    }
    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        completionHandler(nil)
    }

    func load(_ intent: NSFileAccessIntent, completion: @escaping (Error?) -> Void) {
        var attempts = 0
        let coordinator = NSFileCoordinator()
        coordinator.coordinate(with: [intent], queue: .main) { error in
            attempts += 1  // warning 6
            self.isEdited = true  // warning 6
            completion(error)  // warning 6
        }
        coordinator.coordinate(with: [intent], queue: .main, byAccessor: completion)  // warning 6
    }
}
