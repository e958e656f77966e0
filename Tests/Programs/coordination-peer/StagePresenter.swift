// SPDX-License-Identifier: Apache-2.0
//
// Presenters that say what they are told, and answer as the test wants.

import FileCoordination

/// What all presenters of this program have in common: a place, a queue and a way to answer.
class StagePresenter: NSObject, @unchecked Sendable {
    let order: Order
    private let place: Guarded<URL?>
    let presentedItemOperationQueue: OperationQueue
    /// Answers that the test has asked to be held back.
    private let held = Inbox<@Sendable () -> Void>()

    required init(_ order: Order) {
        self.order = order
        place = Guarded(order.operands.first.map { Access.url($0) })
        presentedItemOperationQueue = Self.queue(order.option("queue") ?? "own")
        super.init()
    }

    /// Where the item is, as far as the presenter has heard.
    var presentedItemURL: URL? { place.withLock { $0 } }

    func moved(to url: URL) {
        place.withLock { $0 = url }
        say("did move \(url.path)")
        // Until the test answers: `hold=move`.
        if order.option("hold") == "move" { _ = heldMoves.take() }
    }

    /// Lets a held ``moved(to:)``, or another method that blocks, return.
    let heldMoves = Inbox<Bool>()

    /// `kind=full` (the default), `kind=listener` that only hears what happened, `kind=lister` that
    /// only hears of subitems, `kind=provider` that provides contents, or `kind=heedless` that
    /// implements nothing.
    static func make(_ order: Order) -> any StagePresenter & NSFilePresenter {
        switch order.option("kind") {
        case "listener": Listener(order)
        case "lister": Lister(order)
        case "heedless": Heedless(order)
        case "async": AsyncEditor(order)
        case "provider": Provider(order)
        default: Editor(order)
        }
    }

    private static let shared = SerialQueue.make()

    private static func queue(_ kind: String) -> OperationQueue {
        switch kind {
        case "main": return .main
        case "shared": return shared
        case "busy":
            // A default queue, while the threads that such queues share are all busy.
            for _ in 0..<6 { OperationQueue().addOperation { while true { sleep(1000) } } }
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        default:
            return SerialQueue.make()
        }
    }

    /// `observes=KEY,KEY`; everything by default.
    var observed: Set<URLResourceKey> {
        guard let names = order.option("observes") else {
            return [.isUbiquitousItemKey, .ubiquitousItemIsUploadedKey]
        }
        return Set(names.split(separator: ",").map { URLResourceKey(String($0)) })
    }

    func name(of version: NSFileVersion) -> String { "\(version.persistentIdentifier)" }

    func say(_ text: String) { Peer.say("\(order.label) \(text)") }

    func has(_ flag: String) -> Bool { order.arguments.contains(flag) }

    /// Makes a call inside a callback, through a coordinator without a presenter:
    /// `calls=STEP:VERB:PATH`.
    func callInside(_ step: String) {
        let parts = (order.option("calls") ?? "").split(separator: ":").map(String.init)
        guard parts.count == 3, parts[0] == step else { return }
        let inner = Order(
            label: order.label + ".inside", verb: parts[1], arguments: [parts[2], "explain"])
        PeerCall(inner, in: Peer.callRegistry).start()
    }

    /// Calls `answer`, at once or when the test says so; never, with `never=STEP`.
    func give(_ step: String, _ answer: @escaping @Sendable () -> Void) {
        callInside(step)
        // Keeps its queue until the test lets it go: `blocks=STEP`.
        if order.option("blocks") == step { _ = heldMoves.take() }
        if order.option("never") == step { return }
        if order.option("hold") == step { return held.put(answer) }
        answer()
    }

    /// Gives an answer that was held back, or is about to be.
    func answer() { held.take()() }

    /// The error to refuse `step` with: `fail=STEP`.
    func failure(of step: String) -> NSError? {
        guard order.option("fail") == step else { return nil }
        return NSError(
            domain: "StageErrorDomain", code: 4711,
            userInfo: [NSLocalizedDescriptionKey: "The stage presenter refuses."])
    }
}

/// A presenter without a single optional method.
final class Heedless: StagePresenter, NSFilePresenter, @unchecked Sendable {}

/// What presenters are told, for those that are told anything.
class HearingPresenter: StagePresenter, @unchecked Sendable {
    /// With the flag `reads`, it says what is in its file now.
    func presentedItemDidChange() {
        guard has("reads") else { return say("did change") }
        let text = presentedItemURL.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
        say("did change to \(text ?? "nothing")")
    }
    func presentedSubitemDidAppear(at url: URL) { say("did appear \(url.path)") }
    func presentedSubitemDidChange(at url: URL) { say("did change \(url.path)") }
    func presentedItemDidMove(to newURL: URL) { moved(to: newURL) }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        say("did move \(oldURL.path) \(newURL.path)")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { say("did gain \(name(of: version))") }
    func presentedItemDidLose(_ version: NSFileVersion) { say("did lose \(name(of: version))") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        say("did resolve \(name(of: version))")
    }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        say("did gain \(url.path) \(name(of: version))")
    }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        say("did lose \(url.path) \(name(of: version))")
    }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        say("did resolve \(url.path) \(name(of: version))")
    }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        say("did change attributes \(attributes.map(\.rawValue).sorted().joined(separator: " "))")
    }
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { observed }
}

/// A presenter of a directory that has no method for the directory itself.
final class Lister: StagePresenter, NSFilePresenter, @unchecked Sendable {
    func presentedSubitemDidChange(at url: URL) { say("did change \(url.path)") }
}

/// A presenter that is never asked, and told what happened.
final class Listener: HearingPresenter, NSFilePresenter, @unchecked Sendable {}

/// A presenter that saves in a task.
final class AsyncEditor: HearingPresenter, NSFilePresenter, @unchecked Sendable {
    func savePresentedItemChanges() async throws {
        say("save")
        callInside("save")
    }
}

/// A presenter that is asked everything, and may have unsaved text.
final class Editor: HearingPresenter, NSFilePresenter, @unchecked Sendable {
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        say("relinquish to reader")
        give("relinquish") { reader { self.say("reacquire from reader") } }
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        say("relinquish to writer")
        give("relinquish") { writer { self.say("reacquire from writer") } }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        say("save")
        saveText()
        give("save") { completionHandler(self.failure(of: "save")) }
    }

    /// Writes what is unsaved, by a claim of its own inside the callback: `unsaved=TEXT`.
    private func saveText() {
        guard let text = order.option("unsaved"), let url = presentedItemURL else { return }
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, error: &failure) {
            let isSaved = (try? Data(text.utf8).write(to: $0)) != nil
            say(isSaved ? "saved" : "could not save")
        }
        if let failure { say("save failed \(failure.domain) \(failure.code)") }
    }

    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        say("accommodate deletion")
        if has("leaves") {
            NSFileCoordinator.removeFilePresenter(self)
            say("left")
        }
        give("accommodate") { completionHandler(self.failure(of: "accommodate")) }
    }

    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        say("accommodate deletion \(url.path)")
        give("accommodate") { completionHandler(self.failure(of: "accommodate")) }
    }

}
