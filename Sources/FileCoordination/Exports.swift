// SPDX-License-Identifier: Apache-2.0
//
// Re-exports Foundation. Source code for macOS finds these classes in Foundation; with this, one
// `import FileCoordination` is enough on Linux. On Apple platforms, where Foundation has the
// classes itself, the same import does no harm.

#if canImport(Darwin)
@_exported public import Foundation
#else
@_exported public import FoundationCompatibility
#endif
