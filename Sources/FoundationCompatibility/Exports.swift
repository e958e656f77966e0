// SPDX-License-Identifier: Apache-2.0
//
// Re-exports Foundation. FileCoordination gets it from here alone: else the compiler would not
// prefer `replaceItemAt` of this module to Foundation's, and find such a call ambiguous.

#if !canImport(Darwin)
@_exported public import Foundation
#endif
