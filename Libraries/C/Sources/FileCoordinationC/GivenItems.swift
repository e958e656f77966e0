// SPDX-License-Identifier: Apache-2.0
//
// The items of a call, from C's structs to the client's requests; what means nothing is refused.

import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// The items of a call.
enum GivenItems {
    private static let reading: ReadingOptions = [
        .withoutChanges, .resolvesSymbolicLink, .immediatelyAvailableMetadataOnly, .forUploading,
        .includingContents,
    ]
    private static let writing: WritingOptions = [
        .deleting, .moving, .merging, .replacing, .metadataOnly, .includingContents,
    ]

    /// The requests that the items stand for.
    ///
    /// - Parameters:
    ///   - items: the items, as C has them.
    ///   - count: how many they are.
    ///   - mayCopy: whether the access ends with an accessor, which a copy may outlive.
    ///   - coordinator: has the states in which the items must be, for this one call.
    /// - Returns: the requests, in the same order.
    /// - Throws: ``CallFailure`` for items that mean nothing.
    static func requests(
        _ items: UnsafePointer<fc_item>?, _ count: Int, mayCopy: Bool,
        of coordinator: CallerCoordinator
    ) throws(CallFailure) -> [RequestedItem] {
        let conditions = coordinator.conditions.withLock { $0.takeAll() }
        guard let items = unsafe items, count > 0 else { throw .usage("there are no items") }
        guard conditions.isEmpty || conditions.count == count else {
            throw .usage("there are \(conditions.count) tokens for \(count) items")
        }
        var requests: [RequestedItem] = []
        for index in 0..<count {
            let item = unsafe items[index]
            guard let path = unsafe item.path else {
                throw .usage("the path of item \(index) is NULL")
            }
            let access = try unsafe access(item, index)
            if !mayCopy, case .reading(let options) = access, options.contains(.forUploading) {
                throw .usage("a copy for uploading is no access that can be held; use fc_read")
            }
            let token = conditions.isEmpty ? nil : conditions[index]
            unsafe requests.append(
                RequestedItem(
                    try Given.name(path, index), access: access, terms: TokenTerms(onlyIf: token)))
        }
        return requests
    }

    private static func access(_ item: fc_item, _ index: Int) throws(CallFailure) -> Access {
        let follows = unsafe item.options & FC_NO_FOLLOW == 0
        let bits = unsafe UInt8(exactly: item.options & ~FC_NO_FOLLOW)
        switch unsafe Int32(bitPattern: item.access) {
        case FC_READ:
            let options = bits.map { ReadingOptions(rawValue: $0) }
            guard let options, reading.isSuperset(of: options),
                follows || !options.contains(.resolvesSymbolicLink)
            else { break }
            return .reading(follows ? options.union(.resolvesSymbolicLink) : options)
        case FC_WRITE:
            let options = bits.map { WritingOptions(rawValue: $0) }
            guard let options, writing.isSuperset(of: options) else { break }
            return .writing(follows ? options.union(.resolvesSymbolicLink) : options)
        default: throw .usage("item \(index) is neither FC_READ nor FC_WRITE")
        }
        throw .usage("item \(index) has options that its access does not know")
    }

    /// The paths as they were given, for messages.
    static func paths(_ items: UnsafePointer<fc_item>?, _ count: Int) -> [[UInt8]] {
        guard let items = unsafe items, count > 0 else { return [] }
        return (0..<count).map { index in
            unsafe items[index].path.map { unsafe Given.bytes($0) } ?? []
        }
    }
}

extension Array {
    /// Removes and returns all elements.
    fileprivate mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
