// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Writing only what you have seen",
// word for word: GuideTests compares them.

import FileCoordination

func countRuns(_ settings: URL) throws {
    try NSFileCoordinator().update(itemAt: settings) { data in
        var values = try data.map { try JSONDecoder().decode([String: Int].self, from: $0) }
        values = (values ?? [:]).merging(["runs": 1]) { $0 + $1 }
        return try JSONEncoder().encode(values)
    }
}

private func refresh(_ stored: Data?) async throws -> Data { stored ?? Data() }

func secret(_ url: URL, isExpired: @escaping (Data) -> Bool) async throws -> Data {
    let coordinator = NSFileCoordinator()
    var result = Data()
    try await coordinator.update(itemAt: url) { stored in
        // Another process may have refreshed it while this one waited.
        if let stored, !isExpired(stored) {
            result = stored
        } else {
            result = try await refresh(stored)
        }
        return result
    }
    return result
}
