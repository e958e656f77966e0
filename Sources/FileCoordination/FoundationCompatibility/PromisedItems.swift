// SPDX-License-Identifier: Apache-2.0
//
// Questions about items whose contents may still be elsewhere. All items are local here, so they
// are answered as the ordinary questions are, but for what is bound to contents: those answers
// would be wrong for a promise, and are therefore never given (nil, and no error).

#if !canImport(Darwin)
public import Foundation

/// What is not known of an item before its contents are there.
enum PromisedItem {
    /// The keys that are answered with nil, and without an error.
    static let contentsKeys: Set<URLResourceKey> = [
        .contentAccessDateKey, .generationIdentifierKey,
    ]
}

extension URL {
    /// The values of the item, whether or not its contents are there.
    ///
    /// All items are local on Linux: the answers are those of `resourceValues(forKeys:)`, but
    /// `contentAccessDateKey` and `generationIdentifierKey` are left out. To be called inside a
    /// coordinated access with `immediatelyAvailableMetadataOnly`, which does not wait for contents
    /// (Rule 15.4).
    ///
    /// - Parameter keys: what is asked for.
    /// - Returns: the values.
    /// - Throws: a `CocoaError` if there is no item.
    public func promisedItemResourceValues(
        forKeys keys: Set<URLResourceKey>
    ) throws -> URLResourceValues {
        try resourceValues(forKeys: keys.subtracting(PromisedItem.contentsKeys))
    }

    /// Whether the item, or the promise of it, is there.
    ///
    /// All items are local on Linux: the answer is that of `checkResourceIsReachable()`, which
    /// throws if there is nothing.
    ///
    /// - Throws: a `CocoaError` if there is no item.
    public func checkPromisedItemIsReachable() throws -> Bool { try checkResourceIsReachable() }
}

extension NSURL {
    /// One value of the item, whether or not its contents are there.
    ///
    /// As ``Foundation/URL/promisedItemResourceValues(forKeys:)``. Apple's pointer is an
    /// autoreleasing one; `&value` fits both.
    ///
    /// - Parameters:
    ///   - value: gets the value, or nil.
    ///   - key: what is asked for.
    /// - Throws: a `CocoaError` if there is no item.
    public func getPromisedItemResourceValue(
        _ value: UnsafeMutablePointer<AnyObject?>, forKey key: URLResourceKey
    ) throws {
        guard !PromisedItem.contentsKeys.contains(key) else {
            value.pointee = nil
            return
        }
        try getResourceValue(&value.pointee, forKey: key)
    }

    /// The values of the item, whether or not its contents are there.
    ///
    /// Keys without a value are not in the result.
    /// As ``Foundation/URL/promisedItemResourceValues(forKeys:)``.
    ///
    /// - Parameter keys: what is asked for.
    /// - Returns: the values that there are.
    /// - Throws: a `CocoaError` if there is no item.
    public func promisedItemResourceValues(
        forKeys keys: [URLResourceKey]
    ) throws -> [URLResourceKey: Any] {
        try resourceValues(forKeys: keys.filter { !PromisedItem.contentsKeys.contains($0) })
    }

    /// Whether the item, or the promise of it, is there; if not, `error` gets the reason.
    ///
    /// On success `error` keeps the value it had.
    ///
    /// - Parameter error: gets the reason, or nil if the caller does not want it.
    public func checkPromisedItemIsReachableAndReturnError(_ error: NSErrorPointer) -> Bool {
        do {
            return try checkResourceIsReachable()
        } catch let reason {
            error?.pointee = reason as NSError
            return false
        }
    }
}
#endif
