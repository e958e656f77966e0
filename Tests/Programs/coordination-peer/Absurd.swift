// SPDX-License-Identifier: Apache-2.0
//
// Calls that make no sense, of every public function: long, empty, negative, many. Each must
// return, with an error or without effect; what it says last tells which one did not.

import FileCoordination

enum Absurd {
    static let urls: [URL] =
        [
            URL(fileURLWithPath: "/" + String(repeating: "a/", count: 50_000)),
            URL(fileURLWithPath: "/" + String(repeating: "n", count: 70_000)),
            URL(fileURLWithPath: "/tmp/" + String(repeating: "é", count: 200)),
            URL(fileURLWithPath: "/"), URL(fileURLWithPath: "relative", isDirectory: true),
            URL(fileURLWithPath: "/proc/self/fd/9999/x"),
        ]
        + [
            "file:///a%00b", "file:///%ff%fe", "http://example.org/a", "file://elsewhere/a",
            "data:,x", "x-no-scheme:",
        ].compactMap { URL(string: $0) }

    static let timeouts: [Duration] = [
        .zero, .seconds(-5), .nanoseconds(1), .milliseconds(1),
        Duration(secondsComponent: .max, attosecondsComponent: 0),
        Duration(secondsComponent: .min, attosecondsComponent: 0),
    ]

    /// `LABEL absurd DIRECTORY`.
    static func run(_ call: PeerCall) {
        let directory = URL(fileURLWithPath: call.order.operands[0], isDirectory: true)
        let file = directory.appendingPathComponent("f")
        try? Data("x".utf8).write(to: file)
        let steps: [(String, () -> Void)] = [
            ("one item", { oneItem() }), ("options", { options(file) }),
            ("timeouts", { waits(file) }), ("tasks", { tasks(file) }),
            ("purposes", { purposes(file) }),
            ("intents", { intents(file) }), ("batches", { batches(file) }),
            ("announcements", { announcements(file) }), ("presenters", { presenters(file) }),
            ("nesting", { nesting(file) }), ("packages", { packages() }),
            ("versions", { versions(file) }), ("neighbours", { neighbours(file) }),
        ]
        for (name, step) in steps + laterSteps(file) + overloadSteps(file) {
            step()
            call.say("did \(name)")
        }
    }

    private static func write(
        _ url: URL, _ options: NSFileCoordinator.WritingOptions = [],
        _ coordinator: NSFileCoordinator = NSFileCoordinator()
    ) {
        var failure: NSError?
        coordinator.coordinate(writingItemAt: url, options: options, error: &failure) { _ in }
    }

    private static func read(_ url: URL, _ options: NSFileCoordinator.ReadingOptions = []) {
        var failure: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url, options: options, error: &failure) {
            _ in
        }
    }

    private static func oneItem() {
        for url in urls {
            read(url)
            write(url)
            for other in urls {
                var failure: NSError?
                NSFileCoordinator().coordinate(
                    readingItemAt: url, writingItemAt: other, error: &failure
                ) { _, _ in }
                NSFileCoordinator().coordinate(
                    writingItemAt: url, writingItemAt: other, error: &failure
                ) { _, _ in }
            }
        }
    }

    private static func options(_ file: URL) {
        for bits in (0..<UInt.bitWidth).map({ UInt(1) << UInt($0) }) + [.max, 3, 7] {
            read(file, .init(rawValue: bits))
            write(file, .init(rawValue: bits))
        }
    }

    private static func waits(_ file: URL) {
        for timeout in timeouts {
            _ = try? NSFileCoordinator().coordinate(writingItemAt: file, timeout: timeout) { _ in }
            // With a longer timeout, the holder would keep the file for too long.
            guard timeout < .seconds(1) else { continue }
            write(file, [], holding(file, timeout))
        }
    }

    /// The same in tasks, which wait in another way.
    private static func tasks(_ file: URL) {
        let isOver = DispatchSemaphore(value: 0)
        Task {
            for timeout in timeouts {
                for url in [file] + urls {
                    let coordinator = NSFileCoordinator()
                    _ = try? await coordinator.coordinate(
                        readingItemAt: url, timeout: timeout
                    ) { _ in }
                    _ = try? await coordinator.coordinate(
                        readingItemAt: url, writingItemAt: file, timeout: timeout
                    ) { _, _ in }
                    _ = try? await coordinator.coordinate(with: [], timeout: timeout) { _ in }
                }
            }
            isOver.signal()
        }
        isOver.wait()
    }

    /// Returns a coordinator whose accessor has ended, and for which another one waited in vain.
    private static func holding(_ file: URL, _ timeout: Duration) -> NSFileCoordinator {
        let holder = NSFileCoordinator()
        var failure: NSError?
        holder.coordinate(writingItemAt: file, error: &failure) { _ in
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = try? NSFileCoordinator().coordinate(
                    writingItemAt: file, timeout: timeout
                ) { _ in }
                isOver.signal()
            }
            isOver.wait()
        }
        return NSFileCoordinator()
    }

    private static func purposes(_ file: URL) {
        let long = String(repeating: "x", count: 1 << 20)
        for text in ["\0", String(repeating: "é", count: 513), long] {
            let coordinator = NSFileCoordinator()
            coordinator.purposeIdentifier = text
            precondition(coordinator.purposeIdentifier == text, "The purpose is what was set")
            write(file, [], coordinator)
        }
        let cancelled = NSFileCoordinator()
        for _ in 0..<1000 { cancelled.cancel() }
        write(file, [], cancelled)
    }

    private static func intents(_ file: URL) {
        let many = [NSFileAccessIntent](
            repeating: .writingIntent(with: file), count: 100_000)
        let odd = urls.map { NSFileAccessIntent.readingIntent(with: $0) } + [NSFileAccessIntent()]
        for intents in [[], many, odd, Array(many.prefix(3))] {
            let queue = SerialQueue.make()
            let isOver = DispatchSemaphore(value: 0)
            NSFileCoordinator().coordinate(with: intents, queue: queue) { _ in isOver.signal() }
            isOver.wait()
        }
    }

    private static func batches(_ file: URL) {
        let many = (0..<100_000).map { file.appendingPathExtension("\($0)") }
        for (reading, writing) in [([], []), (many, []), ([], urls), (urls, [file])] {
            var failure: NSError?
            NSFileCoordinator().prepare(
                forReadingItemsAt: reading, writingItemsAt: writing, error: &failure
            ) { $0() }
        }
    }

    private static func announcements(_ file: URL) {
        let coordinator = NSFileCoordinator()
        let keys = Set((0..<100_000).map { URLResourceKey("key \($0)") })
        func announceAll() {
            for url in urls {
                coordinator.item(at: url, willMoveTo: file)
                coordinator.item(at: url, didMoveTo: file)
                coordinator.item(at: file, didMoveTo: url)
                coordinator.item(at: url, didChangeUbiquityAttributes: [])
            }
            coordinator.item(at: file, didChangeUbiquityAttributes: keys)
            coordinator.item(
                at: file,
                didChangeUbiquityAttributes: [
                    URLResourceKey(String(repeating: "k", count: 1 << 20))
                ])
        }
        announceAll()
        var failure: NSError?
        coordinator.coordinate(writingItemAt: file, error: &failure) { _ in announceAll() }
        coordinator.coordinate(writingItemAt: file, error: &failure) { _ in
            for number in 0..<200 {
                coordinator.item(at: file, didMoveTo: file.appendingPathExtension("\(number)"))
            }
        }
    }

    private static func presenters(_ file: URL) {
        let before = NSFileCoordinator.filePresenterTimeout
        for timeout in timeouts + [nil as Duration?] {
            NSFileCoordinator.filePresenterTimeout = timeout
            for url in urls + [nil as URL?, file] {
                let presenter = OddPresenter(url)
                NSFileCoordinator.removeFilePresenter(presenter)
                NSFileCoordinator.addFilePresenter(presenter)
                NSFileCoordinator.addFilePresenter(presenter)
                read(file)
                NSFileCoordinator.removeFilePresenter(presenter)
            }
        }
        NSFileCoordinator.filePresenterTimeout = before
    }

    /// More accessors inside each other than a claim can name.
    private static func nesting(_ file: URL) {
        let isOver = DispatchSemaphore(value: 0)
        let thread = Thread {
            nest(file, 1100)
            isOver.signal()
        }
        thread.stackSize = 256 << 20
        thread.start()
        isOver.wait()
    }

    private static func nest(_ file: URL, _ depth: Int) {
        guard depth > 0 else { return }
        var failure: NSError?
        NSFileCoordinator().coordinate(readingItemAt: file, error: &failure) { _ in
            nest(file, depth - 1)
        }
    }

    private static func packages() {
        let odd = ["", ".", "..", "a/b", "\0", " ", "#", String(repeating: "e", count: 20_000)]
        for name in odd + (0..<100).map({ "\($0)" + String(repeating: "m", count: 300) }) {
            try? NSFileCoordinator.treatDirectories(withPathExtension: name, as: .package)
        }
    }

    private static func versions(_ file: URL) {
        for url in urls + [file] {
            _ = NSFileVersion.currentVersionOfItem(at: url)?.modificationDate
            _ = NSFileVersion.otherVersionsOfItem(at: url)
            _ = NSFileVersion.unresolvedConflictVersionsOfItem(at: url)
            let identifiers: [Any] = [
                0, "", NSNull(), String(repeating: "i", count: 1 << 20), "\0", "current",
            ]
            for identifier in identifiers {
                _ = NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier)
            }
            _ = try? NSFileVersion.addOfItem(at: url, withContentsOf: file)
            _ = try? NSFileVersion.addOfItem(at: file, withContentsOf: url, options: .byMoving)
            _ = try? NSFileVersion.addOfItem(
                at: file, withContentsOf: file, options: .init(rawValue: .max))
            for version in NSFileVersion.otherVersionsOfItem(at: file) ?? [] {
                _ = try? version.replaceItem(at: url, options: .init(rawValue: .max))
                version.isResolved = true
                version.isDiscardable = true
                try? version.remove()
                try? version.remove()
                _ = try? version.replaceItem(at: url)
                _ = [version.localizedName, version.localizedNameOfSavingComputer]
                _ = version.url
            }
            try? NSFileVersion.removeOtherVersionsOfItem(at: url)
            let isOver = DispatchSemaphore(value: 0)
            NSFileVersion.getNonlocalVersionsOfItem(at: url) { _, _ in isOver.signal() }
            isOver.wait()
            try? FileManager.default.removeItem(
                at: NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url))
        }
    }

    private static func neighbours(_ file: URL) {
        let manager = FileManager.default
        // The root, and what is the working directory, are not for the trash.
        for url in urls where url.path.utf8.count > 20 || !url.isFileURL {
            try? manager.trashItem(at: url, resultingItemURL: nil)
        }
        for url in urls {
            _ = manager.isUbiquitousItem(at: url)
            try? manager.setUbiquitous(true, itemAt: url, destinationURL: file)
            try? manager.startDownloadingUbiquitousItem(at: url)
            try? manager.evictUbiquitousItem(at: url)
            _ = manager.url(forUbiquityContainerIdentifier: url.absoluteString)
            _ = try? url.checkPromisedItemIsReachable()
            _ = try? url.promisedItemResourceValues(forKeys: [.nameKey])
            _ = url.startAccessingSecurityScopedResource()
            url.stopAccessingSecurityScopedResource()
        }
    }
}

/// A presenter of anything, or nothing.
final class OddPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = SerialQueue.make()

    init(_ url: URL?) { presentedItemURL = url }
}

/// A program in which other libraries have taken what there is.
enum Scarcity {
    /// `LABEL keys`: takes all of the process's thread keys.
    static func takeKeys(_ call: PeerCall) {
        var count = 0
        var key = pthread_key_t()
        while pthread_key_create(&key, nil) == 0 { count += 1 }
        call.say("keys \(count)")
    }
}
