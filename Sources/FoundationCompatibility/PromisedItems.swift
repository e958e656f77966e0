// SPDX-License-Identifier: Apache-2.0
//
// Queries for items whose contents may not be local yet. On Linux all items are local, so they are
// answered like ordinary queries, except for keys that depend on the contents. For those the result
// is nil without an error, as for an item whose contents are missing.

#if !canImport(Darwin)
public import Foundation

/// What is unknown about an item before its contents are local.
enum PromisedItem {
    /// The keys for which the result is nil without an error.
    static let contentsKeys: Set<URLResourceKey> = [
        .contentAccessDateKey, .generationIdentifierKey,
    ]
}

extension URL {
    /// Returns resource values of the item, whether or not its contents are local.
    ///
    /// All items are local on Linux, so the result is that of `resourceValues(forKeys:)`, but
    /// without `contentAccessDateKey` and `generationIdentifierKey`. Call it inside a coordinated
    /// access with `immediatelyAvailableMetadataOnly`, which does not wait for contents (Rule
    /// 15.4).
    ///
    /// ```swift
    /// guard try url.checkPromisedItemIsReachable() else { return nil }
    /// let size = try url.promisedItemResourceValues(forKeys: [.fileSizeKey]).fileSize
    /// ```
    ///
    /// **Threads and cost.** Those of `resourceValues(forKeys:)`; no message.
    ///
    /// - Parameter keys: the keys of the values.
    /// - Returns: the values.
    /// - Throws: a `CocoaError` if the item does not exist.
    public func promisedItemResourceValues(
        forKeys keys: Set<URLResourceKey>
    ) throws -> URLResourceValues {
        try resourceValues(forKeys: keys.subtracting(PromisedItem.contentsKeys))
    }

    /// Returns whether the item exists, possibly without its contents.
    ///
    /// All items are local on Linux, so this is the same as `checkResourceIsReachable()` (Rule
    /// 15.4).
    ///
    /// **Threads and cost.** Those of that method; no message.
    ///
    /// - Returns: true.
    /// - Throws: a `CocoaError` if the item does not exist.
    public func checkPromisedItemIsReachable() throws -> Bool { try checkResourceIsReachable() }
}

extension NSURL {
    /// Gets one resource value of the item, whether or not its contents are local.
    ///
    /// See ``Foundation/URL/promisedItemResourceValues(forKeys:)`` (Rule 15.4). Apple's parameter
    /// is an autoreleasing pointer; `&value` works for both.
    ///
    /// **Threads and cost.** Those of `getResourceValue(_:forKey:)`; no message.
    ///
    /// - Parameters:
    ///   - value: set to the value, or nil.
    ///   - key: the key of the value.
    /// - Throws: a `CocoaError` if the item does not exist.
    public func getPromisedItemResourceValue(
        _ value: UnsafeMutablePointer<AnyObject?>, forKey key: URLResourceKey
    ) throws {
        guard !PromisedItem.contentsKeys.contains(key) else {
            unsafe value.pointee = nil
            return
        }
        try unsafe getResourceValue(&value.pointee, forKey: key)
    }

    /// Returns resource values of the item, whether or not its contents are local.
    ///
    /// Keys without a value are omitted from the result. See
    /// ``Foundation/URL/promisedItemResourceValues(forKeys:)`` (Rule 15.4).
    ///
    /// **Threads and cost.** Those of `resourceValues(forKeys:)`; no message.
    ///
    /// - Parameter keys: the keys of the values.
    /// - Returns: the existing values.
    /// - Throws: a `CocoaError` if the item does not exist.
    public func promisedItemResourceValues(
        forKeys keys: [URLResourceKey]
    ) throws -> [URLResourceKey: Any] {
        try resourceValues(forKeys: keys.filter { !PromisedItem.contentsKeys.contains($0) })
    }

    /// Returns whether the item exists, possibly without its contents (Rule 15.4).
    ///
    /// **Threads and cost.** Those of `checkResourceIsReachable()`; no message.
    ///
    /// - Parameter error: set to the error if the result is false, unchanged otherwise; nil if the
    ///   caller does not need it.
    /// - Returns: whether the item exists.
    public func checkPromisedItemIsReachableAndReturnError(_ error: NSErrorPointer) -> Bool {
        do {
            return try checkResourceIsReachable()
        } catch let reason {
            unsafe error?.pointee = reason as NSError
            return false
        }
    }
}
#endif
