// SPDX-License-Identifier: Apache-2.0
//
// Calls that make no sense, of what stands beside Apple's classes: replacing, group containers,
// holds, labels, changes, orphaned versions, conflicts, questions, and providers of files.

import FileCoordination

extension Absurd {
    static let longText = String(repeating: "l", count: 1 << 20)
    static let texts = ["", "\0", "..", "/", "a/b", "\u{1B}[2J", longText]

    static func laterSteps(_ file: URL) -> [(String, () -> Void)] {
        [
            ("replacing", { replacing(file) }), ("containers", { containers() }),
            ("holds", { holds(file) }), ("joining", { joining() }), ("labels", { labels(file) }),
            ("tokens", { tokens(file) }),
            ("changes", { changes(file) }), ("orphans", { orphans() }),
            ("conflicts", { conflicts(file) }), ("queries", { queries(file) }),
            ("providers", { providers(file) }),
        ]
    }

    private static func replacing(_ file: URL) {
        let manager = FileManager.default
        let scratch = file.appendingPathExtension("scratch")
        // The root, and what is the working directory, are not for replacing.
        for url in urls where url.path.utf8.count > 20 || !url.isFileURL {
            for (old, new) in [(url, scratch), (scratch, url), (url, url)] {
                try? Data("x".utf8).write(to: scratch)
                _ = try? manager.replaceItemAt(old, withItemAt: new)
                for name in texts {
                    _ = try? manager.replaceItemAt(old, withItemAt: new, backupItemName: name)
                    _ = try? manager.replaceItemAt(
                        old, withItemAt: new, backupItemName: name, options: .init(rawValue: .max))
                    try? manager.replaceItem(
                        at: old, withItemAt: new, backupItemName: name,
                        options: .init(rawValue: .max), resultingItemURL: nil)
                }
            }
        }
    }

    private static func containers() {
        for text in texts {
            _ = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: text)
        }
    }

    private static func holds(_ file: URL) {
        let coordinator = NSFileCoordinator()
        for timeout in timeouts {
            for url in urls + [file] {
                for hold in [
                    try? coordinator.hold(writingItemAt: url, timeout: timeout),
                    try? coordinator.hold(readingItemAt: url, timeout: timeout),
                ] {
                    guard let hold else { continue }
                    // Not for a process that runs: the file would be held until that ends.
                    for number in [Int32.min, -1, 0, .max] {
                        try? hold.keep(whileRunning: number)
                    }
                    if let descriptor = try? hold.inheritableDescriptor() { close(descriptor) }
                    _ = [hold.purposeIdentifier, hold.joinToken]
                    hold.release()
                    try? hold.keep(whileRunning: .max)
                    if let descriptor = try? hold.inheritableDescriptor() { close(descriptor) }
                    _ = hold.environment
                    hold.release()
                }
            }
        }
    }

    private static func joining() {
        for text in texts + ["1:2:3", "-1", longText + ":" + longText] {
            for timeout in timeouts {
                _ = try? FileAccessHold(joinToken: text, timeout: timeout).isHeld
            }
        }
    }

    private static func tokens(_ file: URL) {
        let coordinator = NSFileCoordinator()
        var tokens = (texts + ["1.absent", "1.1.2.3.4.5.6"]).compactMap { FileToken($0) }
        for text in texts {
            let json = Data("[\"\(text)\"]".utf8)
            tokens += (try? JSONDecoder().decode([FileToken].self, from: json)) ?? []
        }
        for url in urls where url.path.utf8.count > 20 || !url.isFileURL {
            if let token = try? NSFileCoordinator.token(of: url) { tokens.append(token) }
            if let token = try? coordinator.token(of: url, digest: true) { tokens.append(token) }
            for token in tokens.suffix(8) {
                _ = try? NSFileCoordinator.isCurrent(token, of: url)
                _ = (token.description, try? JSONEncoder().encode(token))
            }
        }
        for timeout in timeouts {
            _ = try? coordinator.update(itemAt: file, timeout: timeout, onlyIf: tokens.first) { $0 }
            _ = try? coordinator.update(itemAt: file, timeout: timeout) { _ in nil }
        }
        _ = [FileCoordinationError.stale, .unanswered]
    }

    private static func labels(_ file: URL) {
        let before = NSFileCoordinator.processLabel
        for text in texts {
            let coordinator = NSFileCoordinator()
            coordinator.label = text
            NSFileCoordinator.processLabel = text
            var failure: NSError?
            coordinator.coordinate(writingItemAt: file, error: &failure) { _ in }
            for url in urls + [nil as URL?] {
                let presenter = OddPresenter(url)
                NSFileCoordinator.addFilePresenter(presenter, label: text)
                try? NSFileCoordinator.registerFilePresenter(presenter)
                NSFileCoordinator.removeFilePresenter(presenter)
                if let token = try? NSFileCoordinator.token(of: url ?? file) {
                    try? NSFileCoordinator.registerFilePresenter(
                        presenter, label: text, since: token)
                    NSFileCoordinator.removeFilePresenter(presenter)
                }
                _ = NSFileCoordinator.guardStatus(of: presenter)
                NSFileCoordinator.addGuardedFilePresenter(presenter, label: text)
                _ = NSFileCoordinator.guardStatus(of: presenter)
                NSFileCoordinator.removeFilePresenter(presenter)
                try? NSFileCoordinator.registerGuardedFilePresenter(presenter, label: text)
                NSFileCoordinator.removeFilePresenter(presenter)
            }
        }
        NSFileCoordinator.processLabel = before
        NSFileCoordinator.cancelsWaitsAfterSuspension = true
        NSFileCoordinator.cancelsWaitsAfterSuspension = false
    }

    /// Streams that are given up before, and after, their first wait.
    private static func changes(_ file: URL) {
        let isOver = DispatchSemaphore(value: 0)
        Task {
            // Not of the root: all directories of the machine would be watched.
            for url in urls + [file] where url.path != "/" {
                guard let changes = try? NSFileCoordinator.changes(at: url) else { continue }
                let waiting = Task {
                    for await change in changes { _ = "\(change.kind) \(change.isCoordinated)" }
                }
                waiting.cancel()
                await waiting.value
                let iterating = Task {
                    var iterator = changes.makeAsyncIterator()
                    guard let change = await iterator.next() else { return }
                    _ = (change.url, change.author?.processIdentifier, change.author?.label)
                    _ = change.author?.isInAnotherNamespace
                }
                iterating.cancel()
                await iterating.value
            }
            isOver.signal()
        }
        isOver.wait()
    }

    private static func orphans() {
        for version in NSFileVersion.orphanedVersions() { _ = version.itemURL }
        for url in urls { _ = NSFileVersion.orphanedVersionsOfItem(at: url) }
    }

    private static func conflicts(_ file: URL) {
        var name = PersonNameComponents()
        name.givenName = longText
        for url in urls + [file] {
            for (one, other) in [(url, file), (file, url)] {
                for text in texts {
                    let version = try? NSFileVersion.addConflictOfItem(
                        at: one, withContentsOf: other, options: .init(rawValue: .max),
                        savedOn: text, by: name, modificationDate: .distantPast)
                    if let version { describe(version) }
                    try? version?.remove()
                }
            }
        }
    }

    private static func queries(_ file: URL) {
        for url in urls + [file] {
            _ = try? FileCoordinationStatus(ofItemAt: url).holders.map(\.description)
            var failure: NSError?
            var value: AnyObject?
            try? (url as NSURL).getPromisedItemResourceValue(&value, forKey: .nameKey)
            try? (url as NSURL).getPromisedItemResourceValue(
                &value, forKey: URLResourceKey(longText))
            _ = (url as NSURL).checkPromisedItemIsReachableAndReturnError(&failure)
        }
    }

    private static func providers(_ file: URL) {
        let isOver = DispatchSemaphore(value: 0)
        for url in urls {
            FileManager.default.getFileProviderServicesForItem(at: url) { _, _ in isOver.signal() }
            isOver.wait()
        }
        Task {
            for url in urls + [file] {
                _ = try? await FileManager.default.fileProviderServicesForItem(at: url)
            }
            isOver.signal()
        }
        isOver.wait()
    }
}
