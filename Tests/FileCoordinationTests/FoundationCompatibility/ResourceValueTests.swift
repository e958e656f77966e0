// SPDX-License-Identifier: Apache-2.0
//
// Security scopes, promised items, and the values that a cloud would have about an item.

import FileCoordination
import Foundation
import Testing

@Suite struct ResourceValueTests {
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.file("note.txt")
    }

    @Test func `Security scopes always succeed and do nothing`() throws {
        for url in [file, directory.missing] {
            let isScoped = url.startAccessingSecurityScopedResource()
            defer { if isScoped { url.stopAccessingSecurityScopedResource() } }
            #expect(isScoped)
            #expect((url as NSURL).startAccessingSecurityScopedResource())
            (url as NSURL).stopAccessingSecurityScopedResource()
            url.stopAccessingSecurityScopedResource()
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "text")
    }

    // MARK: Promised items

    @Test func `A promised item answers as the item does, but for its contents`() throws {
        let keys: Set<URLResourceKey> = [
            .nameKey, .isDirectoryKey, .contentAccessDateKey, .generationIdentifierKey,
            .fileSizeKey,
        ]
        let promised = try file.promisedItemResourceValues(forKeys: keys)
        let ordinary = try file.resourceValues(forKeys: keys)
        #expect(ordinary.contentAccessDate != nil)
        #expect(promised.contentAccessDate == nil)
        #expect(promised.generationIdentifier == nil)
        #expect(promised.name == "note.txt")
        #expect(promised.isDirectory == false)
        #expect(promised.fileSize == ordinary.fileSize)
        // If all keys need the contents, there are no values, and no error either.
        #expect(
            try file.promisedItemResourceValues(forKeys: [.contentAccessDateKey])
                .allValues.isEmpty)
    }

    @Test func `A promised item that is missing is an error`() {
        #expect(throws: CocoaError.self) {
            try directory.missing.promisedItemResourceValues(forKeys: [.isDirectoryKey])
        }
        let failure = #expect(throws: CocoaError.self) {
            try directory.missing.checkPromisedItemIsReachable()
        }
        #expect(failure?.code == .fileReadNoSuchFile)
    }

    @Test func `A promised item that is there can be reached`() throws {
        #expect(try file.checkPromisedItemIsReachable())
        let kept = NSError(domain: "kept", code: 1)
        var failure: NSError? = kept
        #expect((file as NSURL).checkPromisedItemIsReachableAndReturnError(&failure))
        #expect(failure === kept)
        #expect(
            !(directory.missing as NSURL).checkPromisedItemIsReachableAndReturnError(&failure))
        #expect((failure as? CocoaError)?.code == .fileReadNoSuchFile)
        #expect(!(directory.missing as NSURL).checkPromisedItemIsReachableAndReturnError(nil))
    }

    @Test func `NSURL hands out one value or many`() throws {
        let url = file as NSURL
        var value: AnyObject?
        try url.getPromisedItemResourceValue(&value, forKey: .fileSizeKey)
        #expect((value as? NSNumber)?.intValue == 4)
        try url.getPromisedItemResourceValue(&value, forKey: .contentAccessDateKey)
        #expect(value == nil)
        #expect(throws: CocoaError.self) {
            try (directory.missing as NSURL).getPromisedItemResourceValue(
                &value, forKey: .fileSizeKey)
        }
        let values = try url.promisedItemResourceValues(
            forKeys: [.nameKey, .contentAccessDateKey, .isUbiquitousItemKey])
        #expect(Array(values.keys) == [.nameKey])
        #expect(values[.nameKey] as? String == "note.txt")
    }

    // MARK: What a cloud would know

    private static let cloudKeys: [URLResourceKey: String] = [
        .isUbiquitousItemKey: "IsUbiquitousItem",
        .ubiquitousItemDownloadingStatusKey: "UbiquitousItemDownloadingStatus",
        .ubiquitousItemIsExcludedFromSyncKey: "UbiquitousItemIsExcludedFromSync",
        .ubiquitousItemIsSharedKey: "UbiquitousItemIsShared",
        .ubiquitousSharedItemCurrentUserRoleKey: "UbiquitousSharedItemCurrentUserRole",
        .ubiquitousSharedItemCurrentUserPermissionsKey:
            "UbiquitousSharedItemCurrentUserPermissions",
        .ubiquitousSharedItemOwnerNameComponentsKey: "UbiquitousSharedItemOwnerNameComponents",
        .ubiquitousSharedItemMostRecentEditorNameComponentsKey:
            "UbiquitousSharedItemMostRecentEditorNameComponents",
        .ubiquitousItemIsDownloadedKey: "UbiquitousItemIsDownloaded",
        .ubiquitousItemPercentDownloadedKey: "UbiquitousItemPercentDownloaded",
        .ubiquitousItemPercentUploadedKey: "UbiquitousItemPercentUploaded",
    ]

    @Test func `The keys have the names that presenters filter by (Rule 10.5)`() {
        for (key, name) in Self.cloudKeys { #expect(key.rawValue == "NSURL\(name)Key") }
    }

    @Test func `A local item has none of a cloud's values`() throws {
        let values = try file.resourceValues(forKeys: Set(Self.cloudKeys.keys))
        #expect(values.allValues.isEmpty)
        #expect(values.isUbiquitousItem == nil)
        #expect(values.ubiquitousItemDownloadingStatus == nil)
        #expect(values.ubiquitousItemIsExcludedFromSync == nil)
        #expect(values.ubiquitousItemIsShared == nil)
        #expect(values.ubiquitousSharedItemCurrentUserRole == nil)
        #expect(values.ubiquitousSharedItemCurrentUserPermissions == nil)
        #expect(values.ubiquitousSharedItemOwnerNameComponents == nil)
        #expect(values.ubiquitousSharedItemMostRecentEditorNameComponents == nil)
        #expect(values.ubiquitousItemHasUnresolvedConflicts == nil)
        #expect(values.ubiquitousItemIsUploaded == nil)
        // How programs ask whether they may read.
        #expect(values.ubiquitousItemDownloadingStatus != .notDownloaded)
    }

    @Test func `Keeping an item out of the cloud can be asked for, and is not kept`() throws {
        var url = file
        var values = URLResourceValues()
        values.ubiquitousItemIsExcludedFromSync = true
        #expect(values.ubiquitousItemIsExcludedFromSync == nil)
        #expect(throws: Never.self) { try url.setResourceValues(values) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "text")
    }

    @Test func `Names of states are Apple's`() {
        #expect(
            URLUbiquitousItemDownloadingStatus.current.rawValue
                == "NSURLUbiquitousItemDownloadingStatusCurrent")
        #expect(URLUbiquitousItemDownloadingStatus(rawValue: "x") != .downloaded)
        #expect(
            URLUbiquitousSharedItemRole.owner.rawValue == "NSURLUbiquitousSharedItemRoleOwner")
        #expect(
            URLUbiquitousSharedItemPermissions.readWrite.rawValue
                == "NSURLUbiquitousSharedItemPermissionsReadWrite")
        #expect(Set([URLUbiquitousSharedItemRole.owner, .participant]).count == 2)
    }
}
