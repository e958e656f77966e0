// SPDX-License-Identifier: Apache-2.0
//
// Calls that make no sense, of the overloads and initializers that the other files do not have: for
// two items with a deadline, in tasks, with raw values; and reading all properties afterwards.
// TestCoverageTests sees that none is left out.

import FileCoordination

extension Absurd {
    static func overloadSteps(_ file: URL) -> [(String, () -> Void)] {
        [
            ("two items", { twoItems(file) }), ("two items in tasks", { twoItemsInTasks(file) }),
            ("several holds", { severalHolds(file) }), ("holds in tasks", { holdsInTasks(file) }),
            ("strangers", { strangers(file) }), ("raw values", { rawValues(file) }),
            ("errors", { errors(file) }), ("resource values", { resourceValues(file) }),
            ("replacements", { replacements(file) }), ("dates", { dates(file) }),
            ("versions in tasks", { versionsInTasks(file) }),
        ]
    }

    /// Runs `body` in a task, and waits for that.
    private static func inTask(_ body: @escaping @Sendable () async -> Void) {
        let isOver = DispatchSemaphore(value: 0)
        Task {
            await body()
            isOver.signal()
        }
        isOver.wait()
    }

    private static func twoItems(_ file: URL) {
        let coordinator = NSFileCoordinator()
        for timeout in timeouts {
            for url in urls + [file] {
                _ = try? coordinator.coordinate(readingItemAt: url, timeout: timeout) { _ in }
                for (one, other) in [(url, file), (file, url), (url, url)] {
                    _ = try? coordinator.coordinate(
                        readingItemAt: one, writingItemAt: other, timeout: timeout
                    ) { _, _ in }
                    _ = try? coordinator.coordinate(
                        writingItemAt: one, writingItemAt: other, timeout: timeout
                    ) { _, _ in }
                }
            }
        }
    }

    private static func twoItemsInTasks(_ file: URL) {
        inTask {
            for timeout in timeouts {
                for url in urls + [file] {
                    let coordinator = NSFileCoordinator()
                    _ = try? await coordinator.coordinate(
                        writingItemAt: url, timeout: timeout
                    ) { _ in }
                    _ = try? await coordinator.coordinate(
                        writingItemAt: url, writingItemAt: file, timeout: timeout
                    ) { _, _ in }
                    let intents = [NSFileAccessIntent.writingIntent(with: url)]
                    _ = try? await coordinator.coordinate(
                        with: intents + [NSFileAccessIntent()], timeout: timeout
                    ) { _ in }
                    _ = intents.map(\.url)
                }
            }
        }
    }

    private static func severalHolds(_ file: URL) {
        let many = [NSFileAccessIntent](repeating: .writingIntent(with: file), count: 2_000)
        let odd = urls.map { NSFileAccessIntent.readingIntent(with: $0) } + [NSFileAccessIntent()]
        for timeout in timeouts {
            for intents in [[], many, odd, Array(many.prefix(3))] {
                let coordinator = NSFileCoordinator()
                let hold = try? coordinator.hold(with: intents, timeout: timeout)
                hold?.release()
            }
        }
    }

    private static func holdsInTasks(_ file: URL) {
        inTask {
            for timeout in timeouts {
                for url in urls + [file] {
                    let coordinator = NSFileCoordinator()
                    let intents = [NSFileAccessIntent(), .writingIntent(with: url)]
                    let reading = try? await coordinator.hold(readingItemAt: url, timeout: timeout)
                    let writing = try? await coordinator.hold(writingItemAt: url, timeout: timeout)
                    let several = try? await coordinator.hold(with: intents, timeout: timeout)
                    for hold in [reading, writing, several] { hold?.release() }
                    _ = try? await coordinator.update(itemAt: file, timeout: timeout) { $0 }
                }
            }
        }
    }

    /// Coordinators of presenters that were never registered, of anything or nothing.
    private static func strangers(_ file: URL) {
        for url in urls + [nil as URL?, file] {
            let coordinator = NSFileCoordinator(filePresenter: OddPresenter(url))
            coordinator.label = longText
            var failure: NSError?
            coordinator.coordinate(writingItemAt: file, error: &failure) { _ in
                coordinator.item(at: file, willMoveTo: url ?? file)
            }
            coordinator.cancel()
            coordinator.coordinate(readingItemAt: file, error: &failure) { _ in }
            precondition(!coordinator.purposeIdentifier.isEmpty, "It is that of the presenter")
        }
        _ = NSFileCoordinator.filePresenters.count
    }

    private static func rawValues(_ file: URL) {
        for bits in [UInt.max, 1 << 63, 1 << 31, 0] {
            let reading = NSFileCoordinator.ReadingOptions(rawValue: bits)
            let writing = NSFileCoordinator.WritingOptions(rawValue: bits)
            var failure: NSError?
            NSFileCoordinator().coordinate(
                readingItemAt: file, options: reading, writingItemAt: file, options: writing,
                error: &failure
            ) { _, _ in }
            let adding = NSFileVersion.AddingOptions(rawValue: bits)
            let replacing = NSFileVersion.ReplacingOptions(rawValue: bits)
            try? Data("x".utf8).write(to: file)
            let version = try? NSFileVersion.addOfItem(
                at: file, withContentsOf: file, options: adding)
            _ = try? version?.replaceItem(at: file, options: replacing)
            try? version?.remove()
        }
        for number in [Int.min, -1, 0, .max] {
            _ = FileCoordinationError.Code(rawValue: number) == .timedOut
        }
        for text in texts {
            _ = NSFileProviderServiceName(rawValue: text) == NSFileProviderServiceName(text)
            _ = URLUbiquitousItemDownloadingStatus(rawValue: text) == .current
            _ = URLUbiquitousSharedItemRole(rawValue: text) == .owner
            _ = URLUbiquitousSharedItemPermissions(rawValue: text) == .readOnly
        }
    }

    // MARK: What errors say

    /// Errors of calls with absurd options, and of one that the holder keeps waiting.
    private static func errors(_ file: URL) {
        var failure: NSError?
        NSFileCoordinator().coordinate(writingItemAt: file, error: &failure) { _ in
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for url in urls { describeFailure(writing: url, .init(rawValue: .max)) }
                describeFailure(writing: file, [])
                isOver.signal()
            }
            isOver.wait()
        }
    }

    private static func describeFailure(
        writing url: URL, _ options: NSFileCoordinator.WritingOptions
    ) {
        do {
            try NSFileCoordinator().coordinate(
                writingItemAt: url, options: options, timeout: .nanoseconds(1)
            ) { _ in }
        } catch FileCoordinationError.deadlock {
            preconditionFailure("Nothing waits in a cycle")
        } catch let error as FileCoordinationError {
            describe(error)
        } catch {
            _ = error.localizedDescription
        }
    }

    private static func describe(_ error: FileCoordinationError) {
        let kinds = [
            FileCoordinationError.arbiterUnreachable, FileCoordinationError.limitExceeded,
            FileCoordinationError.invalidOptions, FileCoordinationError.timedOut,
            FileCoordinationError.deadlock, FileCoordinationError.dismissed,
            FileCoordinationError.notHandedDown,
        ]
        precondition(kinds.contains(error.code), "All kinds of errors are listed")
        _ = [error.description, FileCoordinationError.errorDomain]
        _ = [error.errorDescription, error.failureReason, error.recoverySuggestion]
        _ = (error.errorCode, error.errorUserInfo, error.url)
        _ = error.parties.map(\.description)
    }

    // MARK: What stands beside Apple's classes

    private static func resourceValues(_ file: URL) {
        let keys = texts.map { URLResourceKey($0) } + [.nameKey]
        for url in urls + [file] {
            let object = url as NSURL
            _ = try? object.promisedItemResourceValues(forKeys: keys)
            _ = object.startAccessingSecurityScopedResource()
            object.stopAccessingSecurityScopedResource()
            var date: NSDate?
            _ = try? FileManager.default.url(
                forPublishingUbiquitousItemAt: url, expiration: &date)
            let found = try? url.promisedItemResourceValues(forKeys: Set(keys))
            var values = found ?? URLResourceValues()
            values.ubiquitousItemIsExcludedFromSync = true
            _ = [values.ubiquitousItemIsExcludedFromSync, values.ubiquitousItemIsShared]
            _ = values.ubiquitousItemDownloadingStatus
            _ = values.ubiquitousSharedItemCurrentUserRole
            _ = values.ubiquitousSharedItemCurrentUserPermissions
            _ = values.ubiquitousSharedItemOwnerNameComponents
            _ = values.ubiquitousSharedItemMostRecentEditorNameComponents
        }
        _ = FileManager.default.ubiquityIdentityToken
    }

    /// The forms of `replaceItemAt` that differ in the types of their arguments.
    private static func replacements(_ file: URL) {
        let manager = FileManager.default
        let all = FileManager.ItemReplacementOptions(rawValue: .max)
        let scratch = file.appendingPathExtension("scratch")
        // The root, and what is the working directory, are not for replacing.
        for url in urls where url.path.utf8.count > 20 || !url.isFileURL {
            for (old, new) in [(url, scratch), (scratch, url), (url, url)] {
                try? Data("x".utf8).write(to: scratch)
                _ = try? manager.replaceItemAt(old, withItemAt: new, options: all)
                for name in texts.map(Optional.some) + [nil] {
                    _ = try? manager.replaceItemAt(
                        old, withItemAt: new, backupItemName: name, options: all)
                    _ = try? manager.replaceItemAt(
                        old, withItemAt: new, backupItemName: name,
                        options: [all, .usingNewMetadataOnly])
                }
            }
        }
    }

    // MARK: Versions

    private static func dates(_ file: URL) {
        try? Data("x".utf8).write(to: file)
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e10, -1e10] {
            let version = try? NSFileVersion.addConflictOfItem(
                at: file, withContentsOf: file,
                modificationDate: Date(timeIntervalSince1970: seconds))
            guard let version else { preconditionFailure("A date is no reason to refuse it") }
            describe(version)
            try? version.remove()
            describe(version)
        }
        _ = NSFileVersion.currentVersionOfItem(at: file).map(describe)
    }

    static func describe(_ version: NSFileVersion) {
        _ = [version.localizedName, version.localizedNameOfSavingComputer]
        _ = (version.url, version.itemURL, version.modificationDate)
        _ = version.originatorNameComponents
        _ = [version.isConflict, version.hasLocalContents, version.hasThumbnail]
        _ = [version.isResolved, version.isDiscardable]
        _ = version.hash
        _ = [version.isEqual(nil), version.isEqual(version.persistentIdentifier)]
    }

    private static func versionsInTasks(_ file: URL) {
        inTask {
            for url in urls + [file] {
                _ = try? await NSFileVersion.nonlocalVersionsOfItem(at: url).count
            }
        }
    }
}
