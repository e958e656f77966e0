// SPDX-License-Identifier: Apache-2.0
//
// Short ways to say what tests are about.

import FileCoordinationArbiter

/// A path that is known to be well formed.
func path(_ text: String) -> ItemPath {
    guard let path = ItemPath(text) else { preconditionFailure("\(text) is not an absolute path") }
    return path
}

/// One item.
///
/// Components that end in `.rtfd` are packages, places that end in `/` are directories.
func item(_ text: String, _ access: Access) -> AccessItem {
    let place = path(text)
    let packages = (1...max(1, place.depth)).filter { depth in
        depth <= place.depth && place.prefix(depth: depth).description.hasSuffix(".rtfd")
    }
    return AccessItem(
        path: place, access: access,
        isDirectory: text.hasSuffix("/") || packages.last == place.depth,
        packageDepths: packages)
}

/// A move; packages are found as ``item(_:_:)`` finds them.
func move(_ old: String, to new: String) -> ItemMove {
    let (from, to) = (item(old, .reading([])), item(new, .reading([])))
    return ItemMove(
        from: from.path, oldPackageDepths: from.packageDepths, to: to.path,
        newPackageDepths: to.packageDepths)
}

extension [AccessItem] {
    static func read(_ place: String, _ options: ReadingOptions = []) -> Self {
        [item(place, .reading(options))]
    }
    static func write(_ place: String, _ mode: WritingOptions = .plain) -> Self {
        [item(place, .writing(mode))]
    }
    static func readTree(_ place: String) -> Self { read(place, .includingContents) }
    static func writeTree(_ place: String) -> Self { write(place, .includingContents) }
    static func move(_ place: String) -> Self { write(place, .moving) }
    static func delete(_ place: String) -> Self { write(place, .deleting) }
    static func replace(_ place: String) -> Self { write(place, .replacing) }
}

extension WritingOptions {
    /// All that there are, one by one; the first is none.
    static let single: [Self] = [
        .plain, .deleting, .moving, .merging, .replacing, .metadataOnly,
    ]

    /// Every set of them (Rule 2.8b).
    static let every = (UInt8(0)..<32).map { Self(rawValue: $0) }

    /// Whether any of these is among them.
    func has(_ options: Self...) -> Bool { options.contains { self.contains($0) } }
}

extension AccessItem {
    /// Whether the write means the place rather than the item (Rule 11.5).
    var isReplaced: Bool {
        switch access {
        case .reading: false
        case .writing(let mode): mode.has(.replacing)
        }
    }

    /// Whether everything inside is covered (Rule 2.23).
    var isCovered: Bool {
        switch access {
        case .reading(let options): options.contains(.includingContents)
        case .writing(let mode): mode.has(.includingContents)
        }
    }

    /// Whether the write is going to move the item.
    var isMoved: Bool {
        switch access {
        case .reading: false
        case .writing(let mode): mode.has(.moving)
        }
    }
}

extension YieldSteps {
    static let toReader = YieldSteps(relinquish: [.reader])
    static let toReaderAndSave = YieldSteps(relinquish: [.reader], save: true)
    static let toWriter = YieldSteps(relinquish: [.writer])
    static let toWriterAndSave = YieldSteps(relinquish: [.writer], save: true)
    static let toWriterAndAccommodate = YieldSteps(relinquish: [.writer], accommodateDeletion: true)
    static let saveOnly = YieldSteps(save: true)
    static func toWriterAndLose(_ places: String...) -> Self {
        YieldSteps(relinquish: [.writer], accommodateSubitemDeletions: places.map { path($0) })
    }
}

extension PresenterFailure {
    static let disk = PresenterFailure(payload: Array("the disk is full".utf8))
}

extension PresenterMethods {
    /// Everything that expects no answer.
    static let didMethods = PresenterMethods.all.subtracting([
        .relinquishToReader, .relinquishToWriter, .save, .accommodateDeletion,
        .accommodateSubitemDeletion, .accommodateEviction,
    ])
}
