// SPDX-License-Identifier: Apache-2.0
//
// What `present --json` prints, as scripts see it.

import Foundation

/// One line of `present --json`.
struct PresenterLine: Decodable {
    var time: String
    var presenter: String
    var message: String
    var url: String?
    var oldURL: String?
    var newURL: String?
    var version: String?
    var exists: Bool?
    var origin: String?
    var pid: Int32?
    var label: String?
}

extension RunningCommand {
    /// What has been heard so far.
    func heard() throws -> [PresenterLine] {
        try lines.map { try JSONDecoder().decode(PresenterLine.self, from: Data($0.utf8)) }
    }

    /// Waits until so many messages of that name have come to the presenter of `path`; returns the
    /// last one.
    @discardableResult
    func awaitMessage(
        _ name: String, to path: String, count: Int = 1
    ) throws -> PresenterLine {
        var last: PresenterLine?
        try awaitOutput("\(name), \(count) times, to \(path)") { lines in
            let heard = lines.compactMap {
                try? JSONDecoder().decode(PresenterLine.self, from: Data($0.utf8))
            }.filter { $0.message == name && $0.presenter == path }
            last = heard.last
            return heard.count >= count
        }
        guard let last else { throw Impatience(what: name, seen: "") }
        return last
    }

    /// Waits until the presenter of a directory has heard of a name inside.
    func awaitName(_ name: String, to directory: String) throws {
        try awaitOutput("\(name) to \(directory)") { lines in
            let heard = lines.compactMap {
                try? JSONDecoder().decode(PresenterLine.self, from: Data($0.utf8))
            }
            return heard.contains {
                $0.presenter == directory && $0.url == "\(directory)/\(name)"
            }
        }
    }
}
