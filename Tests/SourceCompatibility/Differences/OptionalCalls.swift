// SPDX-License-Identifier: Apache-2.0
//
// Methods called as optional ones. Here every presenter has every method; those that it does not
// implement do nothing.
// Cure: leave out the question mark, between `#if` where the same source is built on Apple's; wrap
// a method that is to be a value in a closure.

import FileCoordination

func tell(_ presenter: any NSFilePresenter) {
    presenter.presentedItemDidChange?()  // error 5 6
    presenter.savePresentedItemChanges?(completionHandler: { _ in })  // error 5 6
    let tell: () -> Void = presenter.presentedItemDidChange  // error 5 6
    tell()
}
