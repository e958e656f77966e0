// SPDX-License-Identifier: Apache-2.0
//
// A version that a program makes itself belongs to no item: on a Mac it compiles, and is useless.
// Cure: the class methods of NSFileVersion, such as `currentVersionOfItem(at:)`.

import FileCoordination

func versionOfNothing() -> NSFileVersion {
    NSFileVersion()  // error 5 6
}
