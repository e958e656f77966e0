// SPDX-License-Identifier: Apache-2.0
//
// Presenters by the thousand: those that relinquish to a writer, and those whose items are never
// claimed.

import CPeers
import FileCoordination

/// Makes way, and says when it has its item back.
private final class YieldingPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    private let isBack: DispatchSemaphore

    init(_ url: URL, _ queue: OperationQueue, isBack: DispatchSemaphore) {
        presentedItemURL = url
        presentedItemOperationQueue = queue
        self.isBack = isBack
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        let isBack = isBack
        writer { isBack.signal() }
    }
}

/// Is only there.
private final class IdlePresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue

    init(_ url: URL, _ queue: OperationQueue) {
        presentedItemURL = url
        presentedItemOperationQueue = queue
    }
}

/// Is told of changes.
private final class ListeningPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue

    init(_ url: URL, _ queue: OperationQueue) {
        presentedItemURL = url
        presentedItemOperationQueue = queue
    }

    func presentedItemDidChange() {}
}

/// Tasks with presenters, which stay until the process ends.
final class PresenterTasks {
    private let queue: OperationQueue
    private let isBack = DispatchSemaphore(value: 0)
    /// The presenters that ``register(_:)`` has registered.
    private var registered: [ListeningPresenter] = []

    init() {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
    }

    var tasks: [String: WorkerTask] {
        [
            "present": present, "present-idle": presentIdle, "present-listening": presentListening,
            "present-elsewhere": presentElsewhere, "settle": settle, "register": register,
            "unregister": unregister,
        ]
    }

    /// A presenter that makes way for writers, on a queue of its own.
    static func addYielding(_ url: URL) {
        NSFileCoordinator.addFilePresenter(
            YieldingPresenter(url, OperationQueue(), isBack: DispatchSemaphore(value: 0)))
    }

    /// FILE COUNT: presenters of one file that make way for writers.
    private func present(_ words: [String]) throws -> [Double] {
        let url = URL(fileURLWithPath: try words.text(0), isDirectory: false)
        for _ in 0..<(try words.number(1)) {
            NSFileCoordinator.addFilePresenter(YieldingPresenter(url, queue, isBack: isBack))
        }
        return []
    }

    /// FILE: a presenter that is never asked or told anything.
    private func presentIdle(_ words: [String]) throws -> [Double] {
        let url = URL(fileURLWithPath: try words.text(0), isDirectory: false)
        NSFileCoordinator.addFilePresenter(IdlePresenter(url, queue))
        return []
    }

    /// FILE: a presenter that is told of changes, and is never asked.
    private func presentListening(_ words: [String]) throws -> [Double] {
        let url = URL(fileURLWithPath: try words.text(0), isDirectory: false)
        NSFileCoordinator.addFilePresenter(ListeningPresenter(url, queue))
        return []
    }

    /// DIRECTORY COUNT: presenters of files of which there is one each, a hundred to a directory.
    private func presentElsewhere(_ words: [String]) throws -> [Double] {
        let directory = try words.text(0)
        for number in 0..<(try words.number(1)) {
            let url = URL(
                fileURLWithPath: "\(directory)/\(number / 100)/f\(number % 100)",
                isDirectory: false)
            NSFileCoordinator.addFilePresenter(IdlePresenter(url, queue))
        }
        return []
    }

    /// DIRECTORY COUNT: so many more presenters of files in it.
    private func register(_ words: [String]) throws -> [Double] {
        let (directory, count) = (try words.text(0), try words.number(1))
        let fresh = (0..<count).map { number in
            ListeningPresenter(
                URL(
                    fileURLWithPath: "\(directory)/f\(registered.count + number)",
                    isDirectory: false), queue)
        }
        let start = nanoseconds_now()
        for presenter in fresh { NSFileCoordinator.addFilePresenter(presenter) }
        let time = nanoseconds_now() - start
        registered += fresh
        return [Double(time)]
    }

    /// COUNT: removes so many of those, the first ones of the last thousand.
    private func unregister(_ words: [String]) throws -> [Double] {
        let count = try words.number(0)
        let first = max(0, registered.count - 1000)
        let old = registered[first...].prefix(count)
        let start = nanoseconds_now()
        for presenter in old { NSFileCoordinator.removeFilePresenter(presenter) }
        let time = nanoseconds_now() - start
        registered.removeSubrange(old.indices)
        return [Double(time)]
    }

    /// COUNT: waits until so many have their item back.
    private func settle(_ words: [String]) throws -> [Double] {
        for _ in 0..<(try words.number(0)) {
            guard isBack.wait(timeout: .now() + 60) == .success else {
                throw MeasuringError("not all presenters got their item back within a minute")
            }
        }
        return []
    }
}
