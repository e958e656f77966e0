// SPDX-License-Identifier: Apache-2.0
//
// Source written for macOS finds these classes in Foundation. Importing FileCoordination brings
// Foundation along, so that on Linux one import is enough, and on Apple platforms, where Foundation
// has the classes itself, the same line is harmless.

@_exported public import Foundation
