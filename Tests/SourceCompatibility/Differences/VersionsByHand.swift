// SPDX-License-Identifier: Apache-2.0
//
// A version that is made by hand is of no item: on a Mac it compiles, and is of no use.
// Cure: the class methods of NSFileVersion, such as `currentVersionOfItem(at:)`.

import FileCoordination

func versionOfNothing() -> NSFileVersion {
    NSFileVersion()  // error 5 6
}
