// SPDX-License-Identifier: Apache-2.0
//
// What a line makes the program do: coordinate, present, count, cancel.

import FileCoordination

/// One order, on the thread that carries it out.
struct PeerCall: Sendable {
    let order: Order
    let callRegistry: CallRegistry
    private let shared: SharedCoordinator

    /// The coordinator is `using=NAME`, or a new one without a presenter.
    init(_ order: Order, in callRegistry: CallRegistry) {
        self.order = order
        self.callRegistry = callRegistry
        let named = order.option("using").map { callRegistry.coordinator($0) }
        shared = SharedCoordinator(coordinator: named ?? NSFileCoordinator())
    }

    var coordinator: NSFileCoordinator { shared.coordinator }

    func say(_ text: String) { Peer.say("\(order.label) \(text)") }

    func start() {
        switch order.verb {
        case "read": coordinate { try Access.reading($0) }
        case "write": coordinate { try Access.writing($0) }
        case "readwrite": coordinate { Access.both($0) }
        case "writewrite": coordinate { Access.two($0) }
        case "hold", "join": Holding.run(self, in: callRegistry)
        case "later": later()
        case "coordinator": makeCoordinator()
        case "cancel":
            callRegistry.coordinator(order.operands[0]).cancel()
            say("cancelled")
        case "present": present()
        case "remove":
            if let presenter = callRegistry.presenter(order.operands[0]) {
                NSFileCoordinator.removeFilePresenter(presenter)
            }
            say("removed")
        case "again":
            if let presenter = callRegistry.presenter(order.operands[0]) {
                NSFileCoordinator.addFilePresenter(presenter)
            }
            say("added")
        case "onqueue": startOnQueue()
        case "prepared": startPrepared()
        case "suspension":
            NSFileCoordinator.cancelsWaitsAfterSuspension = order.operands[0] == "cancels"
            say("set")
        case "answer": callRegistry.presenter(order.operands[0])?.answer()
        case "evict":
            let provider = order.option("as").flatMap { callRegistry.presenter($0) }
            (provider as? Provider)?.evict(Access.url(order.operands[0]))
        case "letmove": callRegistry.presenter(order.operands[0])?.heldMoves.put(true)
        case "presenters": say("presenters \(NSFileCoordinator.filePresenters.count)")
        case "batch": Batches.run(self, in: callRegistry)
        case "many": Batches.many(self)
        case "attributes": announceAttributes()
        case "packages": addToPackages()
        case "didmove": Accessor.announceMove(self, order.operands)
        case "count": Counting.run(self)
        case "journal": Counting.journal(self)
        case "fork": Forking.announceSleepingChild(self)
        case "hello": say(RawClient.hello(at: order.operands[0]))
        case "peep": say(RawClient.peep(at: order.operands[0]))
        case "flood": Flooding.run(self)
        case "measure": Flooding.measure(self)
        case "absurd": Absurd.run(self)
        case "crash": Ends.crash(self)
        case "ghost": Ends.ghost(self)
        case "watch": Ends.watch(self)
        case "endfirst": Ends.firstThread.signal()
        case "lockall": Ends.lockMemory(self)
        case "keys": Scarcity.takeKeys(self)
        case "exit": exit(0)
        case "exec": Forking.exec(order.arguments)
        default: say("cannot \(order.verb)")
        }
    }

    // MARK: Calls elsewhere, and later

    /// The call in this one, without the first arguments.
    private func inner(after count: Int) -> PeerCall {
        let inner = Order(
            label: order.label, verb: order.arguments[count],
            arguments: Array(order.arguments.dropFirst(count + 1)))
        return PeerCall(inner, in: callRegistry)
    }

    /// `LABEL onqueue PRESENTER VERB ...`: on the queue of that presenter.
    private func startOnQueue() {
        let call = inner(after: 1)
        callRegistry.presenter(order.operands[0])?.presentedItemOperationQueue.addOperation {
            call.start()
        }
    }

    /// `LABEL prepared VERB ...`: at the next line for LABEL, on a thread that is there already,
    /// because later there may be none to get.
    private func startPrepared() {
        let inbox = callRegistry.open(order.label)
        say("stands by")
        _ = inbox.take()
        callRegistry.close(order.label)
        inner(after: 0).start()
    }

    // MARK: Coordinators

    /// `NAME coordinator [presenter=LABEL] [purpose=ID]`.
    private func makeCoordinator() {
        let presenter = order.option("presenter").flatMap { callRegistry.presenter($0) }
        let coordinator = NSFileCoordinator(filePresenter: presenter)
        if let purpose = order.option("purpose") { coordinator.purposeIdentifier = purpose }
        callRegistry.keep(coordinator, as: order.label)
        say("made")
    }

    // MARK: Accesses on this thread

    private func coordinate(_ access: (PeerCall) throws -> Access) {
        let inbox = callRegistry.open(order.label)
        do {
            var failure: NSError?
            var runs = 0
            try access(self).perform(&failure) { urls in
                runs += 1
                Accessor(call: self, inbox: inbox, urls: urls).run()
            }
            Forking.callReturned(self)
            // Closed before the test is told of the end, because then it may use the label again.
            callRegistry.close(order.label)
            finish(runs: runs, failure)
        } catch {
            callRegistry.close(order.label)
            say("mistaken \(error)")
        }
    }

    func finish(runs: Int, _ failure: NSError?) {
        switch (runs, failure) {
        case (1, nil): say("released")
        case (0, let failure?): say("failed \(failure.domain) \(failure.code)")
        case (0, nil): say("neither ran nor failed")
        case (_, let failure): say("ran \(runs) times, \(failure.map { "\($0)" } ?? "no failure")")
        }
        if let failure, order.arguments.contains("explain") {
            let text = failure.localizedDescription.replacing("\n", with: " ")
            say("because \(text)")
        }
    }

    // MARK: Accesses on a queue

    /// `LABEL later [queue=suspended] [using=NAME] read:PATH write:PATH:OPTION ...`.
    private func later() {
        let inbox = callRegistry.open(order.label)
        let queue = SerialQueue.make()
        let isSuspended = order.option("queue") == "suspended"
        queue.isSuspended = isSuspended
        let intents = order.arguments.compactMap { Access.intent($0) }
        coordinator.coordinate(with: intents, queue: queue) { failure in
            if let failure = failure as NSError? {
                callRegistry.close(order.label)
                say("failed \(failure.domain) \(failure.code)")
            } else {
                Accessor(call: self, inbox: inbox, urls: intents.map(\.url)).run()
                callRegistry.close(order.label)
                say("returns")
            }
        }
        say("asked")
        guard isSuspended else { return }
        // The first line is the word to let the queue run.
        _ = inbox.take()
        queue.isSuspended = false
    }

    /// `LABEL packages EXTENSION package|directory`.
    private func addToPackages() {
        let isPackage = order.operands[1] == "package"
        do {
            try NSFileCoordinator.treatDirectories(
                withPathExtension: order.operands[0], as: isPackage ? .package : .directory)
            say("said")
        } catch {
            say("failed \(error)")
        }
    }

    /// `LABEL attributes PATH KEY ... [using=NAME]`.
    private func announceAttributes() {
        let keys = order.operands.dropFirst().map { URLResourceKey($0) }
        coordinator.item(
            at: Access.url(order.operands[0]), didChangeUbiquityAttributes: Set(keys))
        say("announced")
    }

    // MARK: Presenters

    /// `LABEL present PATH [kind=KIND] [queue=QUEUE] [timeout=SECONDS] [FLAG ...]`.
    func present() {
        if let seconds = order.option("timeout").flatMap(Double.init) {
            NSFileCoordinator.filePresenterTimeout = .seconds(seconds)
        }
        let presenter = StagePresenter.make(order)
        callRegistry.keep(presenter, as: order.label)
        NSFileCoordinator.addFilePresenter(presenter)
        say("registered")
    }
}
