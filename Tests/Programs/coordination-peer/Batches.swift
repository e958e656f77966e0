// SPDX-License-Identifier: Apache-2.0
//
// Batches: calls of `prepare`, whose completion handler the test has called, kept or dropped.

import FileCoordination

/// Calls of `prepare`.
enum Batches {
    /// A completion handler, until it is called or released.
    private final class Handler: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    /// `LABEL batch read:PATH ... write:PATH ... [reading=NAME,NAME] [writing=NAME] [using=NAME]`.
    ///
    /// The accessor obeys lines until "go": `complete`, `completelater LABEL` (on another thread,
    /// at a line for LABEL), `drop`, and `nest LABEL VERB ...`.
    static func run(_ call: PeerCall, in callRegistry: CallRegistry) {
        let inbox = callRegistry.open(call.order.label)
        var failure: NSError?
        call.coordinator.prepare(
            forReadingItemsAt: urls(call.order, "read:"),
            options: Access.readingOptions(call.order.option("reading")),
            writingItemsAt: urls(call.order, "write:"),
            options: Access.writingOptions(call.order.option("writing")), error: &failure
        ) { complete in
            call.say("prepared")
            accessor(call, inbox, Handler(complete))
        }
        callRegistry.close(call.order.label)
        if let failure {
            call.say("failed \(failure.domain) \(failure.code)")
        } else {
            call.say("returned")
        }
    }

    /// `LABEL many FOLDER COUNT`: as many asynchronous writes of different items, on a queue that
    /// stands still; tells how many were refused, and why the last of them.
    static func many(_ call: PeerCall) {
        let queue = OperationQueue()
        queue.isSuspended = true
        let count = Int(call.order.operands[1]) ?? 0
        let answers = Inbox<NSError>()
        for number in 1...count {
            let url = Access.url(call.order.operands[0] + "/\(number)")
            let direct = OperationQueue()
            direct.underlyingQueue = DispatchQueue.global()
            NSFileCoordinator().coordinate(
                with: [.writingIntent(with: url)], queue: number < count ? queue : direct
            ) { failure in
                if let failure = failure as NSError? { answers.put(failure) }
            }
        }
        call.say("asked \(count)")
        let last = answers.take()
        let text = last.localizedDescription.replacing("\n", with: " ")
        call.say("refused \(last.domain) \(last.code) \(text)")
    }

    private static func accessor(
        _ call: PeerCall, _ inbox: Inbox<[String]>, _ handler: Handler
    ) {
        var handler: Handler? = handler
        while true {
            let words = inbox.take()
            switch words[0] {
            case "go": return
            case "complete":
                handler?.call()
                call.say("completed")
            case "completelater":
                let kept = handler
                let later = call.callRegistry.open(words[1])
                Thread.detachNewThread {
                    _ = later.take()
                    call.say("completing")
                    kept?.call()
                }
                handler = nil
                call.say("kept")
            case "drop":
                handler = nil
                call.say("dropped")
            case "nest":
                let order = Order(
                    label: words[1], verb: words[2], arguments: Array(words.dropFirst(3)))
                PeerCall(order, in: call.callRegistry).start()
            case let word: call.say("cannot \(word)")
            }
        }
    }

    private static func urls(_ order: Order, _ prefix: String) -> [URL] {
        order.arguments.filter { $0.hasPrefix(prefix) }.map {
            Access.url(String($0.dropFirst(prefix.count)))
        }
    }
}
