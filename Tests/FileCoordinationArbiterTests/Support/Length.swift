// SPDX-License-Identifier: Apache-2.0
//
// How long tests may take: what takes minutes runs when FILECOORDINATION_LONG=1 asks for it.

import Foundation

enum Length {
    static let isLong = ProcessInfo.processInfo.environment["FILECOORDINATION_LONG"] == "1"
}
