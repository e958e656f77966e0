// SPDX-License-Identifier: Apache-2.0
//
// Every call of the coordinator, in the ways in which programs for macOS write it. Nothing here
// needs to make sense: that it compiles, in both language modes and without a warning, is the test.

import FileCoordination

/// Every initialiser, and every call with and without its options.
final class EveryCall {
    let url = URL(fileURLWithPath: "/tmp/a")
    let other = URL(fileURLWithPath: "/tmp/b")
    var text = ""
    var lastError: NSError?

    func make(_ presenter: (any NSFilePresenter)?) -> [NSFileCoordinator] {
        let plain = NSFileCoordinator()
        let owned = NSFileCoordinator(filePresenter: presenter)
        let unowned = NSFileCoordinator(filePresenter: nil)
        let short: NSFileCoordinator = .init(filePresenter: presenter)
        let shortest: NSFileCoordinator = .init()
        let make: ((any NSFilePresenter)?) -> NSFileCoordinator = NSFileCoordinator.init
        let byName = NSFileCoordinator.init(filePresenter:)
        return [plain, owned, unowned, short, shortest, make(presenter), byName(nil)]
    }

    func read(_ coordinator: NSFileCoordinator) {
        var error: NSError?
        coordinator.coordinate(readingItemAt: url, options: [], error: &error) { newURL in
            text = newURL.path
        }
        coordinator.coordinate(readingItemAt: url, error: &error) { (newURL: URL) in
            self.text = newURL.path
        }
        coordinator.coordinate(
            readingItemAt: url, options: .withoutChanges, error: nil,
            byAccessor: { (newURL) -> Void in
                text = newURL.path
            })
        coordinator.coordinate(
            readingItemAt: url, options: [.resolvesSymbolicLink, .withoutChanges], error: nil
        ) { _ in
            text = ""
        }
        coordinator.coordinate(
            readingItemAt: url, options: NSFileCoordinator.ReadingOptions.forUploading,
            error: &error
        ) {
            print($0)
        }
        coordinator.coordinate(
            readingItemAt: url, options: .immediatelyAvailableMetadataOnly, error: &lastError,
            byAccessor: take)
        coordinator.coordinate(
            readingItemAt: url, options: .init(rawValue: 0), error: nil, byAccessor: { _ in })
        if let error { print(error.localizedDescription) }
    }

    func write(_ coordinator: NSFileCoordinator) {
        var error: NSError? = nil
        var attempts = 0
        coordinator.coordinate(writingItemAt: url, options: [], error: &error) { newURL in
            attempts += 1
            do {
                try text.write(to: newURL, atomically: true, encoding: .utf8)
            } catch {
                text = "\(error)"
            }
        }
        coordinator.coordinate(writingItemAt: url, error: &error) { take($0) }
        for options: NSFileCoordinator.WritingOptions in [
            .forDeleting, .forMoving, .forMerging, .forReplacing, .contentIndependentMetadataOnly,
        ] {
            coordinator.coordinate(writingItemAt: url, options: options, error: nil) { _ in
                attempts += 1
            }
        }
        coordinator.coordinate(
            writingItemAt: url, options: NSFileCoordinator.WritingOptions(rawValue: 1 << 2),
            error: &error, byAccessor: { _ in attempts += 1 })
        guard error == nil, attempts > 0 else { return }
    }

    func readAndWrite(_ coordinator: NSFileCoordinator) {
        var error: NSError?
        coordinator.coordinate(
            readingItemAt: url, options: .withoutChanges, writingItemAt: other,
            options: .forReplacing, error: &error
        ) { readingURL, writingURL in
            text = readingURL.path + writingURL.path
        }
        coordinator.coordinate(
            readingItemAt: url, writingItemAt: other, error: nil
        ) { (from: URL, to: URL) -> Void in
            text = from.path + to.path
        }
        coordinator.coordinate(
            readingItemAt: url, options: [], writingItemAt: other, options: .forMerging, error: nil,
            byAccessor: { text = $0.path + $1.path })
        coordinator.coordinate(
            readingItemAt: url, options: [], writingItemAt: other, error: nil, byAccessor: takeBoth)
    }

    func writeTwo(_ coordinator: NSFileCoordinator) {
        var error: NSError?
        coordinator.coordinate(
            writingItemAt: url, options: .forMoving, writingItemAt: other, options: .forReplacing,
            error: &error
        ) { (oldURL, newURL) in
            coordinator.item(at: oldURL, willMoveTo: newURL)
            do {
                try FileManager.default.moveItem(at: oldURL, to: newURL)
                coordinator.item(at: oldURL, didMoveTo: newURL)
            } catch let failure {
                text = failure.localizedDescription
            }
        }
        coordinator.coordinate(writingItemAt: url, writingItemAt: other, error: &error) { _, _ in }
        coordinator.coordinate(
            writingItemAt: url, options: .forMoving, writingItemAt: other, error: nil
        ) { takeBoth($0, $1) }
    }

    func later(_ coordinator: NSFileCoordinator) {
        let reading = NSFileAccessIntent.readingIntent(with: url, options: .withoutChanges)
        let writing = NSFileAccessIntent.writingIntent(with: other, options: .forReplacing)
        let queue = OperationQueue()
        coordinator.coordinate(with: [reading, writing], queue: queue) { error in
            guard error == nil else { return }
            print(reading.url, writing.url)
        }
        coordinator.coordinate(
            with: [.readingIntent(with: url), .writingIntent(with: other)], queue: .main,
            byAccessor: { (error: Error?) -> Void in
                if let error = error { print(error) }
            })
        coordinator.coordinate(with: [reading], queue: OperationQueue.main) { _ in }
    }

    func prepare(_ coordinator: NSFileCoordinator) {
        var error: NSError?
        coordinator.prepare(
            forReadingItemsAt: [url], options: [], writingItemsAt: [other], options: [],
            error: &error
        ) { completionHandler in
            read(coordinator)
            completionHandler()
        }
        coordinator.prepare(forReadingItemsAt: [], writingItemsAt: [url], error: nil) { done in
            let queue = OperationQueue()
            queue.addOperation { done() }
            queue.addBarrierBlock(done)
        }
        coordinator.prepare(
            forReadingItemsAt: [url], options: .withoutChanges, writingItemsAt: [other],
            options: .forDeleting, error: nil, byAccessor: { $0() })
    }

    func announce(_ coordinator: NSFileCoordinator) {
        coordinator.item(
            at: url, didChangeUbiquityAttributes: [.ubiquitousItemIsDownloadingKey])
        coordinator.purposeIdentifier = "com.example.sync"
        text = coordinator.purposeIdentifier
        coordinator.cancel()
        defer { coordinator.cancel() }
        let stop: () -> Void = { [weak coordinator] in coordinator?.cancel() }
        stop()
    }

    private func take(_ url: URL) { text = url.path }
    private func takeBoth(_ first: URL, _ second: URL) { text = first.path + second.path }
}

/// Options as people put them together and take them apart.
enum Options {
    static let quiet: NSFileCoordinator.ReadingOptions = [.withoutChanges, .resolvesSymbolicLink]

    static func reading(isQuick: Bool) -> NSFileCoordinator.ReadingOptions {
        var options: NSFileCoordinator.ReadingOptions = []
        if isQuick { options.insert(.immediatelyAvailableMetadataOnly) }
        options.formUnion(quiet)
        options.remove(.withoutChanges)
        return options.isEmpty ? .init(rawValue: 1 << 3) : options
    }

    static func name(_ options: NSFileCoordinator.WritingOptions) -> String {
        switch options {
        case .forDeleting: "deleting"
        case .forMoving: "moving"
        case .forMerging: "merging"
        case [.forReplacing]: "replacing"
        case let other where other.contains(.contentIndependentMetadataOnly): "metadata"
        default: String(options.rawValue as UInt)
        }
    }

    static func read(_ url: URL, options: NSFileCoordinator.ReadingOptions = [.withoutChanges]) {
        NSFileCoordinator().coordinate(readingItemAt: url, options: options, error: nil) { _ in }
    }
}

/// A value whose methods change it inside accessors.
struct Note {
    var url: URL
    var text = ""
    private(set) var isLoaded = false

    mutating func load() {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: url, options: .withoutChanges, error: &error
        ) { newURL in
            if let data = try? Data(contentsOf: newURL),
                let string = String(data: data, encoding: .utf8)
            {
                text = string
                isLoaded = true
            }
        }
        if error != nil { isLoaded = false }
    }

    mutating func save(to destination: inout URL) {
        NSFileCoordinator().coordinate(
            writingItemAt: destination, options: .forReplacing, error: nil
        ) { newURL in
            destination = newURL
            url = newURL
        }
    }
}

/// Accesses inside of accesses.
func nest(_ coordinator: NSFileCoordinator, _ outer: URL, _ inner: URL) -> Int {
    var outerError: NSError?
    var innerError: NSError?
    var count = 0
    coordinator.coordinate(readingItemAt: outer, options: [], error: &outerError) { outerURL in
        coordinator.coordinate(
            writingItemAt: inner, options: .forReplacing, error: &innerError
        ) { innerURL in
            count += outerURL.path.count + innerURL.path.count
            let another = NSFileCoordinator(filePresenter: nil)
            another.coordinate(readingItemAt: innerURL, error: nil) { _ in count += 1 }
        }
    }
    if let error = outerError ?? innerError { print(error.code, error.domain) }
    return count
}
