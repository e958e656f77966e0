// SPDX-License-Identifier: Apache-2.0
//
// What is said to the Objective-C runtime, which Linux does not have.
// Cure: leave it out; `#if canImport(ObjectiveC)` around `@objc` where it is needed.

import FileCoordination

class Exposed: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    var presentedItemOperationQueue: OperationQueue { .main }
    @objc func presentedItemDidChange() {}  // error 5 6
}

@objcMembers class AllExposed: NSObject {}  // error 5 6
