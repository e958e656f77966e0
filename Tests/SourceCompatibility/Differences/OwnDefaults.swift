// SPDX-License-Identifier: Apache-2.0
//
// A program's own default for an optional method of all presenters. On Apple's it compiles, and is
// not called. Here the library has a default as well, and the compiler does not choose.
// Cure: constrain the extension to a protocol of the program's own, as `Document` in Examples.

import FileCoordination

extension NSFilePresenter {
    func presentedItemDidMove(to newURL: URL) { print(newURL) }
}

final class Defaulted: NSObject, NSFilePresenter {  // error 5 6
    var presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main
}
