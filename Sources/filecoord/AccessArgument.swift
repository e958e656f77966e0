// SPDX-License-Identifier: Apache-2.0
//
// One `--read` or `--write` of `filecoord access`.

import FileCoordinationArbiter
import Synchronization

/// An item, what is wanted with it, and its place on the command line.
struct AccessArgument: Hashable {
    /// The path as it was typed, without the option.
    let path: String
    /// What is wanted.
    let access: Access
    /// Larger for what comes later on the command line.
    let ordinal: Int

    /// The parser makes these in the order of the command line, and keeps two lists of them.
    private static let made = Atomic<Int>(0)

    private init(path: String, access: Access) {
        self.path = path
        self.access = access
        ordinal = Self.made.add(1, ordering: .relaxed).newValue
    }

    /// An item to read.
    init(reading text: String) {
        let (path, names) = Self.split(text)
        let options: [ReadingOptions?] = names.map { name in
            switch name {
            case "withoutChanges": .withoutChanges
            case "resolvesSymbolicLink": .resolvesSymbolicLink
            case "immediatelyAvailableMetadataOnly": .immediatelyAvailableMetadataOnly
            case "forUploading": .forUploading
            case _: nil
            }
        }
        if !options.isEmpty, !options.contains(nil) {
            self.init(path: path, access: .reading(ReadingOptions(options.compactMap { $0 })))
        } else {
            self.init(path: text, access: .reading([]))
        }
    }

    /// An item to write.
    init(writing text: String) {
        let (path, names) = Self.split(text)
        let options: [WritingOptions?] = names.map { name in
            switch name {
            case "forDeleting": .deleting
            case "forMoving": .moving
            case "forMerging": .merging
            case "forReplacing": .replacing
            case "contentIndependentMetadataOnly": .metadataOnly
            case _: nil
            }
        }
        if !options.isEmpty, !options.contains(nil) {
            self.init(path: path, access: .writing(WritingOptions(options.compactMap { $0 })))
        } else {
            self.init(path: text, access: .writing(.plain))
        }
    }

    /// The path, and the options behind its last colon, with commas between them.
    private static func split(_ text: String) -> (path: String, names: [Substring]) {
        guard let colon = text.lastIndex(of: ":") else { return (text, []) }
        let names = text[text.index(after: colon)...].split(
            separator: ",", omittingEmptySubsequences: false)
        return (String(text[..<colon]), names)
    }
}
