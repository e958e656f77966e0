// SPDX-License-Identifier: Apache-2.0
//
// The protocol as a type without `any`: a warning, because the protocol has associated types here,
// by which presenters are found to implement a method or not.
// Cure: write `any NSFilePresenter`, which Apple's compilers take as well.

import FileCoordination

class BareUses {
    weak var presenter: NSFilePresenter?  // warning 5 6
    var all: [NSFilePresenter] = []  // warning 5 6
    func add(_ presenter: NSFilePresenter) { all.append(presenter) }  // warning 5 6
    func find(_ object: Any) -> Bool { object is NSFilePresenter }  // warning 5 6
    func cast(_ object: Any) { presenter = object as? NSFilePresenter }  // warning 5 6
}

class BareSubclass: NSFileCoordinator {
    override init(filePresenter: NSFilePresenter?) {  // warning 5 6
        super.init(filePresenter: filePresenter)
    }
    override class var filePresenters: [NSFilePresenter] { [] }  // warning 5 6
}
