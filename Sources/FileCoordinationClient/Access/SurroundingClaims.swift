// SPDX-License-Identifier: Apache-2.0
//
// The claims around a command, as its environment names them. The library itself reads nothing from
// the environment: a program that runs under claims of other processes passes the text to it. The
// server accepts only claims that are held at present.

import FileCoordinationArbiter
import FileCoordinationLedger
package import FileCoordinationWire

/// The claims of other processes inside which a command runs, outermost first.
package struct SurroundingClaims: Hashable, Sendable {
    /// The claims.
    package private(set) var claims: [OuterClaim]

    /// The environment variable that passes the claims to a command.
    package static let variable = "FILECOORD_CLAIM"
    /// The most claims that are kept.
    ///
    /// The server knows what surrounds each of them.
    private static let limit = 16

    /// Creates an empty list.
    package init() { claims = [] }

    /// Parses the claims in a text; invalid entries are ignored.
    package init(text: String) {
        claims = text.utf8.split(separator: UInt8(ascii: ":")).suffix(Self.limit).compactMap {
            let parts = $0.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard parts.count == 3, LedgerName.isFinal(String(Substring(parts[0]))),
                parts[0].count <= WireLimits.ledgerNameBytes,
                let index = UInt32(Substring(parts[1])),
                let generation = UInt32(Substring(parts[2]))
            else { return nil }
            return OuterClaim(
                ledgerName: Array(parts[0]),
                record: RecordReference(index: index, generation: generation))
        }
    }

    /// The claims as text.
    package var text: String {
        claims.map {
            let name = String(decoding: $0.ledgerName, as: UTF8.self)
            return "\(name)/\($0.record.index)/\($0.record.generation)"
        }.joined(separator: ":")
    }

    /// Returns the claims around a command that also runs under `access`.
    package func around(_ access: CoordinatedAccess) -> SurroundingClaims {
        var inner = self
        inner.claims.append(access.asOuterClaim)
        inner.claims = inner.claims.suffix(Self.limit)
        return inner
    }

    /// Whether one of the claims belongs to the process with this ID.
    package func areOf(processID: Int32) -> Bool {
        let prefix = Array("\(processID)-".utf8)
        return claims.contains { $0.ledgerName.starts(with: prefix) }
    }
}

extension CoordinatedAccess {
    /// The claim as other processes name it.
    var asOuterClaim: OuterClaim {
        OuterClaim(
            ledgerName: Array(session.ledger.fileName.utf8), record: claim.record)
    }
}
