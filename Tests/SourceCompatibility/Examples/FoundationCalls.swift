// SPDX-License-Identifier: Apache-2.0
//
// What stands next to coordination in programs: security scopes, promised items, the cloud's
// questions, the trash, and the matching of errors.

import FileCoordination

// MARK: URLs

/// Brackets a coordinated access with a security scope.
func readScoped(_ url: URL) throws -> Data {
    guard url.startAccessingSecurityScopedResource() else {
        throw CocoaError(.fileReadNoPermission)
    }
    defer { url.stopAccessingSecurityScopedResource() }
    let object = url as NSURL
    let isAccessing = object.startAccessingSecurityScopedResource()
    defer { if isAccessing { object.stopAccessingSecurityScopedResource() } }
    return try NSFileCoordinator().reading(url) { try Data(contentsOf: $0) }
}

/// Looks at items whose contents may be elsewhere.
func checkPromise(_ url: URL) throws -> Bool {
    var isThere = false
    NSFileCoordinator().coordinate(
        readingItemAt: url, options: .immediatelyAvailableMetadataOnly, error: nil
    ) { newURL in
        isThere = (try? newURL.checkPromisedItemIsReachable()) ?? false
    }
    let values = try url.promisedItemResourceValues(forKeys: [.nameKey, .fileSizeKey])
    let object = url as NSURL
    var value: AnyObject?
    try object.getPromisedItemResourceValue(&value, forKey: .nameKey)
    let all = try object.promisedItemResourceValues(forKeys: [.nameKey])
    var error: NSError?
    guard object.checkPromisedItemIsReachableAndReturnError(&error) else { return false }
    _ = object.checkPromisedItemIsReachableAndReturnError(nil)
    return isThere && values.name == value as? String && all[.nameKey] != nil && error == nil
}

/// Asks what the cloud knows.
func cloudStatus(of url: URL) throws -> String {
    let values = try url.resourceValues(forKeys: [
        .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsUploadedKey,
        .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemIsSharedKey,
        .ubiquitousItemIsExcludedFromSyncKey, .ubiquitousSharedItemCurrentUserRoleKey,
        .ubiquitousSharedItemCurrentUserPermissionsKey, .ubiquitousItemContainerDisplayNameKey,
        .ubiquitousSharedItemOwnerNameComponentsKey, .ubiquitousItemDownloadRequestedKey,
        .ubiquitousSharedItemMostRecentEditorNameComponentsKey, .ubiquitousItemIsUploadingKey,
        .ubiquitousItemDownloadingErrorKey, .ubiquitousItemUploadingErrorKey,
    ])
    guard values.isUbiquitousItem == true else { return "local" }
    if let error = values.ubiquitousItemDownloadingError ?? values.ubiquitousItemUploadingError {
        throw error
    }
    switch values.ubiquitousItemDownloadingStatus {
    case URLUbiquitousItemDownloadingStatus.current?: return "current"
    case .some(.downloaded): return "downloaded"
    case .some(let status) where status == .notDownloaded: return status.rawValue
    default: break
    }
    let isOwner = values.ubiquitousSharedItemCurrentUserRole == .owner
    let mayWrite = values.ubiquitousSharedItemCurrentUserPermissions == .readWrite
    let owner = values.ubiquitousSharedItemOwnerNameComponents?.givenName ?? ""
    let editor = values.ubiquitousSharedItemMostRecentEditorNameComponents
    let isShared = values.ubiquitousItemIsShared ?? false
    let conflicts = values.ubiquitousItemHasUnresolvedConflicts == true
    return "\(isOwner) \(mayWrite) \(owner) \(editor != nil) \(isShared) \(conflicts)"
}

/// Keeps an item out of the cloud.
func exclude(_ url: URL) throws {
    var url = url
    var values = URLResourceValues()
    values.ubiquitousItemIsExcludedFromSync = true
    try url.setResourceValues(values)
}

// MARK: FileManager

/// Everything that programs ask of the cloud, with the answers that they are prepared for.
final class Cloud {
    let manager = FileManager.default
    var token: (NSCoding & NSCopying & NSObjectProtocol)?

    var documents: URL {
        manager.url(forUbiquityContainerIdentifier: nil)?.appendingPathComponent("Documents")
            ?? manager.temporaryDirectory
    }

    var isSignedIn: Bool { FileManager.default.ubiquityIdentityToken != nil }

    func hasChangedUser() -> Bool {
        let now = manager.ubiquityIdentityToken
        defer { token = now }
        guard let now = now, let token = token else { return true }
        return !token.isEqual(now)
    }

    func watch(_ center: NotificationCenter = .default) -> NSObjectProtocol {
        center.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main) { _ in
            print("signed in or out")
        }
    }

    func upload(_ url: URL) throws -> URL {
        let destination = documents.appendingPathComponent(url.lastPathComponent)
        try manager.setUbiquitous(true, itemAt: url, destinationURL: destination)
        var expiration: NSDate?
        let shared = try manager.url(forPublishingUbiquitousItemAt: url, expiration: &expiration)
        return manager.isUbiquitousItem(at: destination) ? destination : shared
    }

    func download(_ url: URL) -> String {
        do {
            try manager.startDownloadingUbiquitousItem(at: url)
            return "started"
        } catch CocoaError.ubiquitousFileUnavailable {
            return "unavailable"
        } catch let error as CocoaError where error.isUbiquitousFileError {
            return "cloud"
        } catch let error as NSError {
            return error.domain
        }
    }

    func evict(_ url: URL) {
        do {
            try manager.evictUbiquitousItem(at: url)
        } catch {
            print("Could not evict \(url): \(error.localizedDescription)")
        }
    }

    func services(_ url: URL) async throws -> [NSFileProviderServiceName] {
        manager.getFileProviderServicesForItem(at: url) { services, error in
            if let services, error == nil { print(services.keys.count) }
        }
        return try await manager.fileProviderServicesForItem(at: url).map(\.key)
    }
}

/// Passes a pointer on, written out.
func trash(
    _ url: URL, _ resultingURL: AutoreleasingUnsafeMutablePointer<NSURL?>?
) throws {
    try FileManager.default.trashItem(at: url, resultingItemURL: resultingURL)
}

/// Moves an item to the trash, coordinated, and tells where it is.
func trash(_ url: URL) throws -> URL? {
    var error: NSError?
    var result: Result<URL?, Error> = .success(nil)
    NSFileCoordinator().coordinate(writingItemAt: url, options: .forDeleting, error: &error) {
        (newURL: URL) in
        do {
            var resultingURL: NSURL?
            try FileManager.default.trashItem(at: newURL, resultingItemURL: &resultingURL)
            try FileManager.default.trashItem(at: newURL, resultingItemURL: nil)
            result = .success(resultingURL as URL?)
        } catch let failure {
            result = .failure(failure)
        }
    }
    if let error { throw error }
    return try result.get()
}

// MARK: Errors

/// Looks at errors in all the ways in which that is done.
func reason(_ error: any Error) -> String {
    if (error as? CocoaError)?.code == .userCancelled { return "cancelled" }
    if case CocoaError.fileReadNoSuchFile = error { return "missing" }
    if let error = error as? CocoaError {
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return "missing"
        case .fileReadNoPermission, .fileWriteNoPermission: return "permission"
        case .fileLocking, .fileReadUnknown, .fileWriteUnknown: return "unknown"
        case .ubiquitousFileNotUploadedDueToQuota, .ubiquitousFileUbiquityServerNotAvailable:
            return "cloud"
        default: break
        }
    }
    let object = error as NSError
    guard object.domain == NSCocoaErrorDomain else { return object.domain }
    switch object.code {
    case NSUserCancelledError: return "cancelled"
    case CocoaError.Code.fileNoSuchFile.rawValue, CocoaError.fileReadNoSuchFile.rawValue:
        return "missing"
    default:
        return (object.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain ?? object.description
    }
}

/// Looks at what an error pointer got.
func wasCancelled(_ error: NSError?) -> Bool {
    guard let error = error else { return false }
    return error.code == NSUserCancelledError && error.domain == NSCocoaErrorDomain
        || error.code == CocoaError.userCancelled.rawValue
        || (error as Error as? CocoaError)?.code == .userCancelled
        || CocoaError.Code(rawValue: error.code) ~= error
}
