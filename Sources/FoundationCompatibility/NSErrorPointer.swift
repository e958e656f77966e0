// SPDX-License-Identifier: Apache-2.0
//
// The type of the `error:` parameters. Apple's is an autoreleasing pointer, which needs the
// Objective-C runtime. With an ordinary pointer, `error: &error` and `error: nil` compile
// unchanged.

#if !canImport(Darwin)
public import Foundation

/// Where a method stores its error, or nil if the caller does not need it.
///
/// With nil, the first error of each cause is printed to standard error, but for cancellations.
///
/// The method writes to it only if it fails; otherwise the old value remains (Rule 9.6). So set the
/// variable to nil before the call.
///
/// ```swift
/// var failure: NSError?
/// NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { print($0.path) }
/// if let failure { print(failure.localizedDescription) }
/// ```
///
/// **Threads and cost.** An ordinary pointer. The method writes to it on the calling thread, before
/// it returns, and keeps it no longer.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The type behind Apple's ``NSErrorPointer``, for code that uses it by name.
///
/// On Linux it is an ordinary pointer. Ported code uses the name for parameters such as that of
/// `trashItem(at:resultingItemURL:)`.
///
/// **Threads and cost.** As ``NSErrorPointer``.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
#endif
