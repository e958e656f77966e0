// SPDX-License-Identifier: Apache-2.0
//
// What exceeds a budget of the architecture today. Entries and numbers may only become fewer.

/// The exceptions to the budgets.
enum Budgets {
    /// Types with more than 15 stored properties, each with its reason.
    static let largeTypes: [String: String] = [
        "Presenter": "what the watcher knows of one presenter: item, places, what it is owed"
    ]

    /// Rooms in which more than 12 files depend on each other in a cycle, and how many do.
    static let fileCycles: [String: Int] = [:]
}
