// SPDX-License-Identifier: Apache-2.0
//
// What cannot be overridden: methods that the library adds to Foundation's own classes, and methods
// of the protocol that the superclass does not implement. The latter is so on Apple's as well; but
// there it helps to leave `override` out, and here such a method is never called.
// Cure: a coordinator or a file manager that is asked for instead of inherited; declare the method,
// empty, in the class that states the conformance.

import FileCoordination

class CloudlessManager: FileManager, @unchecked Sendable {
    override func isUbiquitousItem(at url: URL) -> Bool { true }  // error 5 6
    override func trashItem(  // error 5 6
        at url: URL, resultingItemURL: AutoreleasingUnsafeMutablePointer<NSURL?>?
    ) throws {}
}

class Plain: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    var presentedItemOperationQueue: OperationQueue { .main }
}

class Added: Plain {
    override func presentedItemDidChange() {}  // error 5 6
}

class Again: Plain, NSFilePresenter {}  // error 5 6
