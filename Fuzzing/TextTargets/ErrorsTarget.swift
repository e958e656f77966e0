// SPDX-License-Identifier: Apache-2.0
//
// A presenter's error, as another process has encoded it (Rule 9.2): whatever the bytes are, the
// claimant is refused with some error, and that one can be handed on.

import FileCoordination
import FileCoordinationClient
import FileCoordinationFuzzing
import Foundation

enum ErrorsTarget {
    @Sendable static func run(_ bytes: [UInt8]) throws {
        let error = ErrorCoding.decode(bytes)
        let again = ErrorCoding.encode(error)
        try require(!again.isEmpty, "\(error) cannot be handed on")
        try require(again.count <= ErrorCoding.limit, "\(again.count) bytes for an error")
        let copy = ErrorCoding.decode(again)
        try require(copy.code == error.code, "code \(error.code) became \(copy.code)")
        guard error.domain.utf8.count <= 256 else { return }
        try require(copy.domain == error.domain, "domain \(error.domain) became \(copy.domain)")
        // For people, whatever is in it.
        _ = error.localizedDescription
    }

    static var seeds: [[UInt8]] {
        let underlying = NSError(
            domain: NSPOSIXErrorDomain, code: 28, userInfo: [NSFilePathErrorKey: "/a"])
        let errors = [
            NSError(domain: "d", code: .max), NSError(domain: "", code: .min), underlying,
            NSError(
                domain: NSCocoaErrorDomain, code: 513,
                userInfo: [
                    NSUnderlyingErrorKey: underlying, NSURLErrorKey: URL(fileURLWithPath: "/b"),
                    "number": NSNumber(value: 1.5), "truth": true, "count": UInt64.max,
                    NSLocalizedDescriptionKey: "é\n\"",
                ]),
        ]
        return errors.map { ErrorCoding.encode($0) } + [Array("{}".utf8), [0x7B]]
    }
}
