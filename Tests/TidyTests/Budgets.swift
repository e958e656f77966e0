// SPDX-License-Identifier: Apache-2.0
//
// What exceeds a budget of the architecture today. Entries and numbers may only become fewer.

/// The exceptions to the budgets.
///
/// One more is measured (`Benchmarks/touched`): a delegated write runs code of 46 types, where 20
/// are the budget. About fifteen are values of a word or two, such as a record's word and its
/// parts, which keep the protocol readable; eleven are locks, clocks and the like; the others are
/// the face, the session with its paths, and the ledger.
enum Budgets {
    /// Types with more than 15 stored properties, each with its reason.
    static let largeTypes: [String: String] = [
        "Presenter": "what the watcher knows of one presenter: item, places, what it is owed"
    ]

    /// Rooms in which more than 12 files depend on each other in a cycle, and how many do.
    static let fileCycles: [String: Int] = [:]
}
