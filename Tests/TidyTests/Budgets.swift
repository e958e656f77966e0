// SPDX-License-Identifier: Apache-2.0
//
// What exceeds a budget of the architecture today. Entries and numbers may only become fewer.

/// The exceptions to the budgets.
enum Budgets {
    /// Types with more than 15 stored properties, each with its reason.
    static let largeTypes: [String: String] = [:]

    /// Rooms in which more than 12 files depend on each other in a circle, and how many do.
    static let knots: [String: Int] = [
        "FileCoordinationClient": 27, "FileCoordinationServer": 22,
    ]

    /// Failures that are ignored without a reason, by room.
    static let unexplainedTries: [String: Int] = [
        "FileCoordination": 27, "FileCoordinationClient": 7, "FileCoordinationServer": 85,
        "FileCoordinationLedger": 4, "FileCoordinationSystem": 16, "FileCoordinationVersions": 72,
        "FileCoordinationWatching": 3, "FileCoordinationWire": 7, "FileTree": 9, "filecoord": 31,
        "filecoordinationd": 2,
    ]
}
