// SPDX-License-Identifier: Apache-2.0
//
// One variable for the coordinator's error and the accessor's: it is lent to the call while the
// accessor wants to write to it.
// Cure: two variables.

import FileCoordination

func read(_ url: URL) -> NSError? {
    var error: NSError?
    NSFileCoordinator().coordinate(readingItemAt: url, error: &error) { newURL in  // error 5 6
        error = try? Data(contentsOf: newURL).isEmpty ? nil : NSError(domain: "a", code: 1)
    }
    return error
}
