// SPDX-License-Identifier: Apache-2.0
//
// Whether the program's functions may be called. A program that takes down what they need before it
// ends, such as an interpreter, closes the gate: a call that came later would find it gone.
//
// The function is documented in filecoordination.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CFileCoordination
import FileCoordinationSystem
import MonotonicTime

/// The way of all calls from the library's threads into the program.
enum CallbackGate {
    private struct State {
        var running = 0
        var isClosed = false
    }

    /// A forked child has none of its parent's calls.
    private static let ofProcess = PerProcess { Monitor(State()) }

    /// Runs a call of the program's functions; returns false, and does nothing, once it is closed.
    @discardableResult
    static func call(_ function: () -> Void) -> Bool {
        let gate = ofProcess.value
        let isOpen = gate.withLock { state in
            if !state.isClosed { state.running += 1 }
            return !state.isClosed
        }
        guard isOpen else { return false }
        function()
        gate.withLock { $0.running -= 1 }
        gate.notifyAll()
        return true
    }

    /// Lets no call begin from here on, and waits until none runs; false: one did until `deadline`.
    static func close(until deadline: Instant) -> Bool {
        let gate = ofProcess.value
        gate.withLock { $0.isClosed = true }
        return gate.wait(until: deadline) { $0.running == 0 }
    }
}

@c @implementation
public func fc_end_callbacks(_ seconds: Double) -> Int32 {
    // What is no number is no time.
    let seconds = seconds > 0 ? min(seconds, 1e9) : 0
    return CallbackGate.close(until: MonotonicClock.after(.seconds(seconds))) ? 1 : 0
}
