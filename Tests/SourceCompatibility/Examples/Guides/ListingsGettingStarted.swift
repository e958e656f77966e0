// SPDX-License-Identifier: Apache-2.0
//
// The listings of the guide "Getting started",
// word for word: GuideTests compares them.

import FileCoordination

func append(_ line: String, to url: URL) throws {
    try NSFileCoordinator().coordinate(
        writingItemAt: url, options: .forMerging, timeout: .seconds(10)
    ) { url in
        let isThere = FileManager.default.fileExists(atPath: url.path)
        let text = isThere ? try String(contentsOf: url, encoding: .utf8) : ""
        try (text + line + "\n").write(to: url, atomically: true, encoding: .utf8)
    }
}
