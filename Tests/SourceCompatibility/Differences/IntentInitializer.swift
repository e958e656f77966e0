// SPDX-License-Identifier: Apache-2.0
//
// An intent with an initializer of its own. The class methods return `Self`, which in plain Swift
// takes an initializer that every subclass has.
// Cure: `required override init()`, or default values instead of an initializer.

import FileCoordination

final class NumberedIntent: NSFileAccessIntent, @unchecked Sendable {
    let number: Int
    init(number: Int) {
        self.number = number
        super.init()
    }
}  // error 5 6
