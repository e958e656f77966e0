// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: reading, changing and writing a file as one call (Rule 18.16).

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
public import Foundation
import FoundationCompatibility

extension NSFileCoordinator {
    /// Changes a file: reads it, and replaces it by what a closure makes of the contents, with one
    /// access (Rule 18.16).
    ///
    /// No change of another program gets lost: presenters save first, and a program that does not
    /// coordinate may change the file during the update: then it throws
    /// ``FileCoordinationError/stale``, and the file is as that program has left it. Use a
    /// coordinator for one update at a time: two calls of one do not wait for each other.
    ///
    /// ```swift
    /// try coordinator.update(itemAt: settings) { data in
    ///     var values = try data.map { try JSONDecoder().decode([String: Int].self, from: $0) }
    ///     values = (values ?? [:]).merging(["runs": 1]) { $0 + $1 }
    ///     return try JSONEncoder().encode(values)
    /// }
    /// ```
    ///
    /// The new contents take the place of the file in one step, so a reader finds the old or the
    /// new ones, also after a crash. Mode, owner, access control lists and extended attributes are
    /// kept; what cannot be kept is printed to standard error. A symbolic link is followed. A file
    /// with several names (hard links) is refused. Equal contents are not written.
    ///
    /// **Threads.** Blocks the calling thread until access is granted, and runs the closure on it.
    ///
    /// **Cost.** A coordinated write; the file is read, a new one written, and waited for until it
    /// is on the device.
    ///
    /// - Parameters:
    ///   - url: the file; it need not exist.
    ///   - timeout: how long to wait for access; nil for no limit. The closure may take longer.
    ///   - token: the state in which the file must be, or the error is
    ///     ``FileCoordinationError/stale``; nil for any.
    ///   - transform: gets the contents, nil if there is no file; returns the new contents, nil for
    ///     no file. If it throws, the file is as it was.
    /// - Returns: the token of what was left; nil if another program has changed it by now.
    /// - Throws: what the closure throws; otherwise as
    ///   ``coordinate(writingItemAt:options:timeout:onlyIf:byAccessor:)``, or an error of
    ///   Foundation if the file cannot be read or written.
    @_disfavoredOverload
    @discardableResult
    public func update(
        itemAt url: URL, timeout: Duration? = nil, onlyIf token: FileToken? = nil,
        _ transform: (Data?) throws -> Data?
    ) throws -> FileToken? {
        try coordinate(
            writingItemAt: url, options: [.forMerging, .resolvesSymbolicLink], timeout: timeout,
            onlyIf: token
        ) { place in
            let update = try FileUpdate.begin(place, named: url)
            let contents = try transform(update.former.map { Data($0) })
            return try update.end(with: contents, named: url)
        }
    }

    /// Changes a file: reads it, and replaces it by what a closure makes of the contents, with one
    /// access (Rule 18.16).
    ///
    /// ``update(itemAt:timeout:onlyIf:_:)`` has an example, and says what is kept and refused.
    ///
    /// ```swift
    /// try await coordinator.update(itemAt: log) { ($0 ?? Data()) + line }
    /// ```
    ///
    /// **Threads.** Blocks no thread while it waits, reads and writes; runs the closure on the
    /// caller's actor. Cancelling the task ends the wait (Rule 18.11).
    ///
    /// **Cost.** As that of the other form, and some changes of thread.
    ///
    /// - Parameters:
    ///   - url: the file; it need not exist.
    ///   - timeout: how long to wait for access; nil for no limit. The closure may take longer.
    ///   - token: the state in which the file must be, or the error is
    ///     ``FileCoordinationError/stale``; nil for any.
    ///   - isolation: the caller's actor.
    ///   - transform: gets the contents, nil if there is no file; returns the new contents, nil for
    ///     no file. If it throws, the file is as it was.
    /// - Returns: the token of what was left; nil if another program has changed it by now.
    /// - Throws: as the other form.
    @discardableResult
    public func update(
        itemAt url: URL, timeout: Duration? = nil, onlyIf token: FileToken? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ transform: (Data?) async throws -> Data?
    ) async throws -> FileToken? {
        try await coordinate(
            writingItemAt: url, options: [.forMerging, .resolvesSymbolicLink], timeout: timeout,
            onlyIf: token
        ) { place in
            let update = try await BlockingWorkPool.run {
                Result { try FileUpdate.begin(place, named: url) }
            }.get()
            let contents = try await transform(update.former.map { Data($0) })
            return try await BlockingWorkPool.run {
                Result { try update.end(with: contents, named: url) }
            }.get()
        }
    }
}

extension FileUpdate {
    /// Reads the file at an accessor's URL.
    fileprivate static func begin(_ place: URL, named url: URL) throws -> FileUpdate {
        do throws(ReplacingError) {
            return try FileUpdate(at: NativePath(place.pathBytes ?? []))
        } catch {
            throw error.thrown(url)
        }
    }

    /// Puts new contents in place, or removes the file.
    fileprivate func end(with contents: Data?, named url: URL) throws -> FileToken? {
        do throws(ReplacingError) {
            let result = try end(with: contents.map { Array($0) })
            for loss in result.losses {
                Diagnostics.say("\(UserText.line(url.path)): \(loss) could not be kept")
            }
            return result.token.map { FileToken($0) }
        } catch {
            throw error.thrown(url)
        }
    }
}
#endif
