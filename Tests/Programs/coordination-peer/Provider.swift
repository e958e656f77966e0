// SPDX-License-Identifier: Apache-2.0
//
// A provider of files that has one text for all of them, and what it does to its items.

@_spi(FileProviding) import FileCoordination

/// A presenter that provides contents: `brings=TEXT`, and nothing if that is not given.
final class Provider: HearingPresenter, FileContentsProvider, @unchecked Sendable {
    func provideContents(
        ofItemAt url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        say("provide \(url.path)")
        if let text = order.option("brings") {
            upkeep(url, .bringing) { url in
                let staged = url.deletingLastPathComponent().appendingPathComponent(".staged")
                try Data(text.utf8).write(to: staged)
                guard rename(staged.path, url.path) == 0 else { throw POSIXError(.EIO) }
            }
        }
        give("provide") { completionHandler(self.failure(of: "provide")) }
    }

    /// Puts an empty file without permissions in the place of an item.
    func evict(_ url: URL) {
        upkeep(url, .evicting) { url in
            try Data().write(to: url)
            guard chmod(url.path, 0) == 0 else { throw POSIXError(.EIO) }
        }
    }

    private func upkeep(_ url: URL, _ upkeep: FileUpkeep, _ body: (URL) throws -> Void) {
        do {
            try NSFileCoordinator(filePresenter: self)
                .coordinate(upkeepOfItemAt: url, upkeep, byAccessor: body)
            say(upkeep == .evicting ? "evicted" : "brought")
        } catch {
            let error = error as NSError
            say("failed \(error.domain) \(error.code)")
        }
    }
}
