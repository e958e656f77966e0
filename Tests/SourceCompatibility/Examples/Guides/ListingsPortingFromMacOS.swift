// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Porting from macOS",
// word for word: GuideTests compares them.

import FileCoordination

class BaseDocument: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    private let serial = DispatchQueue(label: "BaseDocument")
    let presentedItemOperationQueue = OperationQueue()

    override init() {
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    /// Here, so that subclasses can override it.
    func presentedItemDidChange() {}
}

final class ReloadingDocument: BaseDocument {
    private(set) var reloads = 0
    override func presentedItemDidChange() { reloads += 1 }
}
