// SPDX-License-Identifier: Apache-2.0
//
// Static values that a forked child may be the first to use.

import FileCoordinationServer
import FileCoordinationSystem

extension Session {
    /// Initialises what a forked child may be the first to use.
    ///
    /// A child that is forked while another thread initialises a static value would wait for that
    /// thread, which it does not have.
    static func initialiseStatics() {
        ForkGuard.holdingForks {
            _ = (BlockingWorkPool.ofProcess, Deadlines.ofProcess, ProcessEnd.ofProcess)
            _ = (PresenterThread.slot, PresenterCallbacks.slot, CallingThread.slot, runs)
        }
    }
}
