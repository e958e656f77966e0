// SPDX-License-Identifier: Apache-2.0
//
// The type of the `error:` parameters. Apple's is an autoreleasing pointer, which needs the
// Objective-C runtime; an ordinary pointer lets `error: &error` and `error: nil` compile unchanged.

#if !canImport(Darwin)
public import Foundation

/// Where a method stores the reason why it failed, or nil if the caller does not want to know.
///
/// What it points to is written on failure only: on success it keeps the value it had (Rule 9.6).
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The pointer behind Apple's ``NSErrorPointer``, for those who write it out.
///
/// Nothing is autoreleased on Linux: it is an ordinary pointer under the name that ported code uses
/// for parameters such as `trashItem(at:resultingItemURL:)`'s.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
#endif
