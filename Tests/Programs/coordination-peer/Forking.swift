// SPDX-License-Identifier: Apache-2.0
//
// Programs that fork or exec where they should not: the child inherits nothing of ours (Rule 18.8),
// and an exec ends whatever the program held.

import FileCoordination

enum Forking {
    /// Forks outside of any accessor; the child lives until it is killed.
    static func announceSleepingChild(_ call: PeerCall) {
        let child = forkProcess()
        if child == 0 { sleepForEver() }
        call.say("forked \(child)")
    }

    /// Forks inside an accessor; returns false where the accessor is to return.
    ///
    /// `sleep`: the child does nothing. `return`: the child returns from the accessor.
    /// `coordinate`: it returns, and then writes the same item as a process of its own.
    static func forkInside(_ call: PeerCall, mode: String) -> Bool {
        let child = forkProcess()
        guard child == 0 else {
            call.say("forked \(child)")
            return true
        }
        switch mode {
        case "return":
            returnLater(call, thenCoordinating: false)
        case "coordinate":
            returnLater(call, thenCoordinating: true)
        default:
            sleepForEver()
        }
        return false
    }

    /// What the forked child does once the parent's call has returned in it.
    private static func returnLater(_ call: PeerCall, thenCoordinating: Bool) {
        afterReturn.withLock { $0 = (call.order, thenCoordinating) }
    }

    private static let afterReturn = Guarded<(Order, Bool)?>(nil)

    /// Called in every process when an accessor's call has returned; goes on only in a forked
    /// child.
    static func callReturned(_ call: PeerCall) {
        guard let (order, isCoordinating) = afterReturn.withLock({ $0 }) else { return }
        Peer.say("\(order.label) child returned")
        // On a new thread: the Swift runtime takes this one for the parent's, and may wait for the
        // parent for ever.
        if isCoordinating { Thread.detachNewThread { coordinate(order) } }
        sleepForEver()
    }

    private static func coordinate(_ order: Order) {
        var failure: NSError?
        NSFileCoordinator().coordinate(
            writingItemAt: Access.url(order.operands[0]), error: &failure
        ) { _ in
            Peer.say("\(order.label) child granted")
        }
        Peer.say("\(order.label) child \(failure.map { "failed \($0)" } ?? "released")")
    }

    /// Becomes another program.
    static func exec(_ words: [String]) {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        execv(words[0], arguments)
        Peer.say("could not exec \(words[0])")
    }

    private static func sleepForEver() -> Never {
        while true { pause() }
    }

    /// `fork` is not to be had in Swift, for good reasons that do not apply to a test of it.
    private static func forkProcess() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }
}
