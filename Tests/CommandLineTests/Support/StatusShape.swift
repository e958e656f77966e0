// SPDX-License-Identifier: Apache-2.0
//
// The shape of `status --json`, as scripts see it.

/// What `status --json` prints.
struct StatusShape: Decodable {
    struct Arbiter: Decodable {
        var pid: Int32
        var kind: String
        var uptime: Double
        var `protocol`: Int
    }

    struct Item: Decodable, Hashable {
        var path: String
        var access: String
        var options: [String]
    }

    struct Party: Decodable, Hashable {
        var claim: Int?
        var presenter: Int?
        var pid: Int32
        var process: String
        var label: String
        var message: String?
    }

    struct Claim: Decodable {
        var id: Int
        var pid: Int32
        var process: String
        var label: String
        var purpose: String
        var state: String
        var since: Double
        var stopped: Bool
        var items: [Item]
        var waitsFor: [Party]
        var waitsForCount: Int
    }

    struct Presenter: Decodable {
        var id: Int
        var pid: Int32
        var process: String
        var label: String
        var path: String
        var unresponsive: Bool
        var stopped: Bool
        var watching: String
    }

    var arbiter: Arbiter?
    var claims: [Claim]
    var presenters: [Presenter]
}
