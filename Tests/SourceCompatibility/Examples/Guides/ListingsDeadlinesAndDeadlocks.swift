// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Deadlines, cancelling, deadlocks",
// word for word: GuideTests compares them.

import FileCoordination

func readOrExplain(_ url: URL) throws -> Data? {
    do {
        return try NSFileCoordinator().coordinate(
            readingItemAt: url, timeout: .seconds(5)
        ) { try Data(contentsOf: $0) }
    } catch let error as FileCoordinationError where error.code == .timedOut {
        for party in error.parties { print(party) }
        return nil
    }
}

func copyContents(of original: URL, to copy: URL) throws {
    try NSFileCoordinator().coordinate(
        readingItemAt: original, options: [], writingItemAt: copy, options: .forMerging,
        timeout: .seconds(5),
        byAccessor: { original, copy in
            try Data(contentsOf: original).write(to: copy, options: .atomic)
        })
}

func parties(of error: NSError) -> [FileCoordinationError.Party] {
    let typed = error.userInfo[FileCoordinationError.userInfoKey] as? FileCoordinationError
    return typed?.parties ?? []
}

func firstReadable(of urls: [URL]) async -> Data? {
    await withTaskGroup(of: Data?.self) { group in
        for url in urls {
            group.addTask {
                try? await NSFileCoordinator().coordinate(
                    readingItemAt: url, timeout: .seconds(60)
                ) { try Data(contentsOf: $0) }
            }
        }
        for await case let data? in group {
            group.cancelAll()
            return data
        }
        return nil
    }
}

func swapContents(of first: URL, and second: URL) throws {
    try NSFileCoordinator().coordinate(
        writingItemAt: first, options: .forMerging, writingItemAt: second, options: .forMerging
    ) { first, second in
        let (a, b) = (try Data(contentsOf: first), try Data(contentsOf: second))
        try b.write(to: first, options: .atomic)
        try a.write(to: second, options: .atomic)
    }
}

func waitForPresentersForEver() { NSFileCoordinator.filePresenterTimeout = nil }
