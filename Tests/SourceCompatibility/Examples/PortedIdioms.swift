// SPDX-License-Identifier: Apache-2.0
//
// Lines as they stand in public programs for macOS, and broke here once: saving by replacing, a
// container that several programs share, a presenter that its coordinator keeps. PortedIdiomTests
// runs them.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination
import Foundation

/// Saves in every spelling of replacing.
enum Replacing {
    static func byTwo(_ url: URL, _ draft: URL) throws {
        _ = try FileManager.default.replaceItemAt(url, withItemAt: draft)
    }
    static func byTwoPlain(_ url: URL, _ draft: URL) throws {
        let manager = FileManager()
        try manager.replaceItemAt(url, withItemAt: draft)
    }
    static func withBackup(_ url: URL, _ draft: URL) throws {
        let result = try FileManager.default.replaceItemAt(
            url, withItemAt: draft, backupItemName: "backup")
        if let result = result, result != url { throw CocoaError(.fileWriteUnknown) }
    }
    static func withOptions(_ url: URL, _ draft: URL) throws {
        guard
            try FileManager.default.replaceItemAt(
                url, withItemAt: draft, options: [.usingNewMetadataOnly]) != nil
        else { throw CocoaError(.fileWriteUnknown) }
    }
    static func withAll(_ url: URL, _ draft: URL) throws {
        let result: URL? = try FileManager.default.replaceItemAt(
            url, withItemAt: draft, backupItemName: nil, options: [])
        _ = try FileManager.default.attributesOfItem(atPath: (result ?? url).path)
    }
    static func withKeptBackup(_ url: URL, _ draft: URL) throws {
        _ = try FileManager.default.replaceItemAt(
            url, withItemAt: draft, backupItemName: "kept", options: .withoutDeletingBackupItem)
    }
    static func withManyOptions(_ url: URL, _ draft: URL) throws {
        let name: String? = nil
        try FileManager.default.replaceItemAt(
            url, withItemAt: draft, backupItemName: name,
            options: [.usingNewMetadataOnly, .withoutDeletingBackupItem])
    }
    static func withPointer(_ url: URL, _ draft: URL) throws {
        var result: NSURL?
        try FileManager.default.replaceItem(
            at: url, withItemAt: draft, backupItemName: nil, options: [], resultingItemURL: &result)
        if result as URL? != url { throw CocoaError(.fileWriteUnknown) }
    }
    static func withoutPointer(_ url: URL, _ draft: URL) throws {
        try FileManager.default.replaceItem(
            at: url, withItemAt: draft, backupItemName: nil, resultingItemURL: nil)
    }

    static var all: [(String, (URL, URL) throws -> Void)] {
        [
            ("two", byTwo), ("two, plain", byTwoPlain), ("backup", withBackup),
            ("options", withOptions), ("all", withAll), ("kept backup", withKeptBackup),
            ("many options", withManyOptions), ("pointer", withPointer),
            ("no pointer", withoutPointer),
        ]
    }
}

/// The settings that an application and its helper share.
struct SharedSettings {
    let group: String

    var url: URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?
            .appendingPathComponent("settings.txt")
    }

    func write(_ text: String) throws {
        guard let url = url else { throw CocoaError(.fileNoSuchFile) }
        try NSFileCoordinator().writing(url, .forReplacing) {
            try text.write(to: $0, atomically: true, encoding: .utf8)
        }
    }

    func read() throws -> String {
        guard let url = url else { throw CocoaError(.fileNoSuchFile) }
        return try NSFileCoordinator().reading(url) { try String(contentsOf: $0, encoding: .utf8) }
    }
}

/// Removes itself in `deinit`, which never runs while it is registered: `close()` is needed.
final class SelfRemoving: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    private let kept = KeptQueue()
    var presentedItemOperationQueue: OperationQueue { kept.queue }

    init(_ url: URL) {
        presentedItemURL = url
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    deinit { NSFileCoordinator.removeFilePresenter(self) }

    func close() { NSFileCoordinator.removeFilePresenter(self) }
}

/// Saves that give the file another identity, while its earlier versions are to stay.
struct SavedHistory {
    let url: URL

    func keep() throws { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }

    func save(_ text: String) throws {
        try NSFileCoordinator().writing(url, .forReplacing) {
            try text.write(to: $0, atomically: true, encoding: .utf8)
        }
    }

    /// As a program does that does not coordinate.
    func savePlainly(_ text: String) throws {
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    func texts() throws -> [String] {
        try (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map {
            try String(contentsOf: $0.url, encoding: .utf8)
        }
    }
}

/// Sets of options that Apple's documentation does not combine, and programs do (Rule 2.8b).
enum CombinedOptions {
    static let all: [NSFileCoordinator.WritingOptions] = [
        [.forReplacing, .forDeleting], [.forReplacing, .forMerging], [.forMoving, .forReplacing],
    ]

    /// Writes without looking at an error.
    static func write(_ text: String, to url: URL, _ options: NSFileCoordinator.WritingOptions) {
        NSFileCoordinator().coordinate(writingItemAt: url, options: options, error: nil) { url in
            try? text.write(to: url, atomically: true, encoding: .utf8)
        }
    }
}
