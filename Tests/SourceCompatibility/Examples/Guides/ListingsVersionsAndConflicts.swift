// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Versions and conflicts",
// word for word: GuideTests compares them.

import FileCoordination

func keepVersion(of url: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMerging) { url in
        _ = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
    }
}

func restoreNewestVersion(of url: URL) throws {
    try NSFileCoordinator().coordinate(writingItemAt: url) { url in
        guard let newest = NSFileVersion.otherVersionsOfItem(at: url)?.last else { return }
        try newest.replaceItem(at: url)
    }
}

func keepLoser(_ contents: URL, of url: URL, from computer: String) throws {
    try NSFileCoordinator().coordinate(
        writingItemAt: url, options: .contentIndependentMetadataOnly
    ) { url in
        _ = try NSFileVersion.addConflictOfItem(
            at: url, withContentsOf: contents, options: .byMoving, savedOn: computer)
    }
}

func resolveConflicts(of url: URL, choosing choice: NSFileVersion?) throws {
    try NSFileCoordinator().coordinate(writingItemAt: url) { url in
        if let choice { try choice.replaceItem(at: url) }
        for conflict in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
            conflict.isResolved = true
            try conflict.remove()
        }
    }
}
