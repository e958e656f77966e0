// SPDX-License-Identifier: Apache-2.0
//
// An editor: presents a document, and writes its unsaved text when it is asked to.

import FileCoordination

/// Presents one document with unsaved changes.
final class Editor: NSObject, NSFilePresenter, @unchecked Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    private let url: URL

    init(path: String, queue: OperationQueue) {
        url = URL(fileURLWithPath: path)
        presentedItemURL = url
        presentedItemOperationQueue = queue
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        Peer.say("relinquish to reader")
        reader { Peer.say("reacquire from reader") }
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        Peer.say("relinquish to writer")
        writer { Peer.say("reacquire from writer") }
    }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Peer.say("save")
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: url, error: &failure
        ) { url in
            try? Data("unsaved text".utf8).write(to: url)
        }
        completionHandler(failure)
    }

    func presentedItemDidChange() { Peer.say("did change") }
}

enum Editing {
    /// Registers an editor on a queue of its own; ends at the next line.
    static func onOwnQueue(_ path: String) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = DispatchQueue(label: "editor")
        let editor = Editor(path: path, queue: queue)
        NSFileCoordinator.addFilePresenter(editor)
        Peer.say("registered")
        Peer.hear()
        NSFileCoordinator.removeFilePresenter(editor)
        Peer.say("removed")
    }

    /// Registers an editor on the main queue, and runs the main run loop.
    static func onMainQueue(_ path: String) {
        let editor = Editor(path: path, queue: .main)
        NSFileCoordinator.addFilePresenter(editor)
        Peer.say("registered")
        Thread.detachNewThread {
            Peer.hear()
            exit(0)
        }
        RunLoop.main.run()
    }

    /// Registers an editor on a default queue whose threads are all busy with something else.
    static func onBusyDefaultQueue(_ path: String) {
        let busy = (0..<8).map { _ in OperationQueue() }
        for queue in busy { queue.addOperation { while true { sleep(1000) } } }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let editor = Editor(path: path, queue: queue)
        NSFileCoordinator.addFilePresenter(editor)
        Peer.say("registered")
        Peer.hear()
        exit(0)
    }
}
