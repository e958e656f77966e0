// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "When a process dies or stops",
// word for word: GuideTests compares them.

import FileCoordination

func failWaitsAfterSuspension() { NSFileCoordinator.cancelsWaitsAfterSuspension = true }
