// SPDX-License-Identifier: Apache-2.0
//
// Holds: access that is a value (Rule 18.13), and what hands it to other processes.

import FileCoordination
import Glibc

/// What a line makes the program do with a hold.
enum Holding {
    /// `LABEL hold PATH ... [timeout=SECONDS]`, or `LABEL join TOKEN`.
    ///
    /// Then a line each: `release`, `join-token`, `keep PID`, `spawn` and `drop`, which ends it.
    static func run(_ call: PeerCall, in callRegistry: CallRegistry) {
        let inbox = callRegistry.open(call.order.label)
        let ending = hold(call, obeying: inbox)
        // Closed before the last word is sent, because then the test may use the label again.
        callRegistry.close(call.order.label)
        call.say(ending)
    }

    /// Holds until it is told to drop; returns what to say of that.
    private static func hold(_ call: PeerCall, obeying inbox: Inbox<[String]>) -> String {
        let hold: FileAccessHold
        do {
            hold = try take(call)
        } catch FileCoordinationError.timedOut {
            return "timed out"
        } catch {
            return "failed \((error as NSError).domain) \((error as NSError).code)"
        }
        call.say("held \(hold.urls.map(\.path).joined(separator: " "))")
        while case let words = inbox.take(), words != ["drop"] { obey(words, hold, call) }
        return "dropped"
    }

    private static func take(_ call: PeerCall) throws -> FileAccessHold {
        let order = call.order
        let timeout = order.option("timeout").flatMap(Double.init).map { Duration.seconds($0) }
        if order.verb == "join" {
            return try FileAccessHold(joinToken: order.arguments[0], timeout: timeout)
        }
        let intents = order.operands.map { NSFileAccessIntent.writingIntent(with: Access.url($0)) }
        return try call.coordinator.hold(with: intents, timeout: timeout)
    }

    private static func obey(_ words: [String], _ hold: FileAccessHold, _ call: PeerCall) {
        do {
            switch words[0] {
            case "release":
                hold.release()
                call.say("released \(hold.isHeld)")
            case "joinToken": call.say("joinToken \(hold.joinToken)")
            case "keep":
                try hold.keep(whileRunning: Int32(words[1]) ?? 0)
                call.say("kept")
            case "spawn":
                call.say("spawned \(try spawn(inheriting: hold.inheritableDescriptor()))")
            default: call.say("cannot \(words[0])")
            }
        } catch FileCoordinationError.notHandedDown {
            call.say("not handed down")
        } catch {
            call.say("failed \(error)")
        }
    }

    /// Starts a program that knows nothing of coordination, and has a copy of the descriptor.
    private static func spawn(inheriting descriptor: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The descriptor's copy with this number is inherited.
        posix_spawn_file_actions_adddup2(&actions, descriptor, 100)
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, "/bin/sleep", &actions, nil, &words, environ)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        return child
    }
}
