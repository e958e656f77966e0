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
    static func run(_ errand: Errand, in mailroom: Mailroom) {
        let inbox = mailroom.open(errand.order.label)
        var failure: NSError?
        errand.coordinator.prepare(
            forReadingItemsAt: urls(errand.order, "read:"),
            options: Access.readingOptions(errand.order.option("reading")),
            writingItemsAt: urls(errand.order, "write:"),
            options: Access.writingOptions(errand.order.option("writing")), error: &failure
        ) { complete in
            errand.say("prepared")
            accessor(errand, inbox, Handler(complete))
        }
        mailroom.close(errand.order.label)
        if let failure {
            errand.say("failed \(failure.domain) \(failure.code)")
        } else {
            errand.say("returned")
        }
    }

    /// `LABEL many FOLDER COUNT`: as many asynchronous writes of different items, on a queue that
    /// stands still; tells how many were refused, and why the last of them.
    static func many(_ errand: Errand) {
        let queue = OperationQueue()
        queue.isSuspended = true
        let count = Int(errand.order.operands[1]) ?? 0
        let answers = Inbox<NSError>()
        for number in 1...count {
            let url = Access.url(errand.order.operands[0] + "/\(number)")
            let direct = OperationQueue()
            direct.underlyingQueue = DispatchQueue.global()
            NSFileCoordinator().coordinate(
                with: [.writingIntent(with: url)], queue: number < count ? queue : direct
            ) { failure in
                if let failure = failure as NSError? { answers.put(failure) }
            }
        }
        errand.say("asked \(count)")
        let last = answers.take()
        let text = last.localizedDescription.replacing("\n", with: " ")
        errand.say("refused \(last.domain) \(last.code) \(text)")
    }

    private static func accessor(
        _ errand: Errand, _ inbox: Inbox<[String]>, _ handler: Handler
    ) {
        var handler: Handler? = handler
        while true {
            let words = inbox.take()
            switch words[0] {
            case "go": return
            case "complete":
                handler?.call()
                errand.say("completed")
            case "completelater":
                let kept = handler
                let later = errand.mailroom.open(words[1])
                Thread.detachNewThread {
                    _ = later.take()
                    errand.say("completing")
                    kept?.call()
                }
                handler = nil
                errand.say("kept")
            case "drop":
                handler = nil
                errand.say("dropped")
            case "nest":
                let order = Order(
                    label: words[1], verb: words[2], arguments: Array(words.dropFirst(3)))
                Errand(order, in: errand.mailroom).start()
            case let word: errand.say("cannot \(word)")
            }
        }
    }

    private static func urls(_ order: Order, _ prefix: String) -> [URL] {
        order.arguments.filter { $0.hasPrefix(prefix) }.map {
            Access.url(String($0.dropFirst(prefix.count)))
        }
    }
}
