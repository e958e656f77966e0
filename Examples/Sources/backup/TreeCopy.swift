// SPDX-License-Identifier: Apache-2.0
//
// Copies a tree of files. A file that is as it was in the previous backup becomes a hard link to
// the one there, so that many backups take little space. Nothing here knows of coordination: the
// caller has claimed the tree.

import Foundation

/// Copies of files, directories and symbolic links, with permissions and dates.
struct TreeCopy {
    /// The backup whose files may be linked to.
    let previous: URL?

    private static let manager = FileManager.default

    /// Copies an item with all that it contains.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - copy: where its copy is made.
    ///   - relativePath: where the item is in the tree, and so in the previous backup.
    /// - Throws: if the item cannot be read, or the copy cannot be written.
    func copyItem(at item: URL, to copy: URL, relativePath: String) throws {
        let attributes = try Self.manager.attributesOfItem(atPath: item.path)
        switch attributes[.type] as? FileAttributeType {
        case .typeDirectory:
            try Self.manager.createDirectory(at: copy, withIntermediateDirectories: false)
            for name in try Self.manager.contentsOfDirectory(atPath: item.path) {
                try copyItem(
                    at: item.appendingPathComponent(name), to: copy.appendingPathComponent(name),
                    relativePath: "\(relativePath)/\(name)")
            }
            // Last: the directory may be one that cannot be written, and filling it sets its date.
            try Self.keep(attributes, at: copy)
        case .typeRegular:
            if let old = previous?.appendingPathComponent(relativePath),
                Self.isSame(item, attributes, as: old)
            {
                try Self.manager.linkItem(at: old, to: copy)
            } else {
                try Self.manager.copyItem(at: item, to: copy)
                try Self.keep(attributes, at: copy)
                try Self.flush(copy)
            }
        case .typeSymbolicLink:
            let destination = try Self.manager.destinationOfSymbolicLink(atPath: item.path)
            try Self.manager.createSymbolicLink(
                atPath: copy.path, withDestinationPath: destination)
        default:
            // A socket or a named pipe has no contents.
            break
        }
    }

    /// Whether an earlier copy may stand for the file.
    ///
    /// Contents are compared, because date and size are not enough: a program may write twice
    /// between two ticks of the clock that gives files their dates.
    private static func isSame(
        _ item: URL, _ attributes: [FileAttributeKey: Any], as old: URL
    ) -> Bool {
        // There may be no such file, or another kind of item.
        guard let other = try? manager.attributesOfItem(atPath: old.path),
            other[.type] as? FileAttributeType == .typeRegular,
            other[.size] as? UInt64 == attributes[.size] as? UInt64,
            other[.posixPermissions] as? Int == attributes[.posixPermissions] as? Int,
            let (date, otherDate) = dates(attributes, other),
            abs(date.timeIntervalSince(otherDate)) < 0.001
        else { return false }
        return manager.contentsEqual(atPath: item.path, andPath: old.path)
    }

    private static func dates(
        _ first: [FileAttributeKey: Any], _ second: [FileAttributeKey: Any]
    ) -> (Date, Date)? {
        guard let one = first[.modificationDate] as? Date,
            let other = second[.modificationDate] as? Date
        else { return nil }
        return (one, other)
    }

    private static func keep(_ attributes: [FileAttributeKey: Any], at copy: URL) throws {
        let kept = attributes.filter { $0.key == .posixPermissions || $0.key == .modificationDate }
        try manager.setAttributes(kept, ofItemAtPath: copy.path)
    }

    /// Waits until the contents are on the disk: a backup that has its name survives a power cut.
    private static func flush(_ copy: URL) throws {
        let file = try FileHandle(forReadingFrom: copy)
        try file.synchronize()
        try file.close()
    }
}
