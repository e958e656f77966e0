// SPDX-License-Identifier: Apache-2.0
//
// Claims around a command, as its environment names them. The library itself reads nothing from
// the environment: a program that wants to be known to run under others' claims hands the text
// over. The arbiter believes only names of claims that are held just now.

import FileCoordinationLedger
package import FileCoordinationWire

/// The claims of other processes inside which a command runs; outermost first.
package struct SurroundingClaims: Hashable, Sendable {
    /// The claims.
    package private(set) var claims: [OuterClaim]

    /// The variable that tells a command of the claims around it.
    package static let variable = "FILECOORD_CLAIM"
    /// How many are kept; the arbiter knows what each of them is made in.
    private static let limit = 16

    /// No claims.
    package init() { claims = [] }

    /// The claims that a text names; what makes no sense in it is passed over.
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
                record: WireRecord(index: index, generation: generation))
        }
    }

    /// The text that names them.
    package var text: String {
        claims.map {
            let name = String(decoding: $0.ledgerName, as: UTF8.self)
            return "\(name)/\($0.record.index)/\($0.record.generation)"
        }.joined(separator: ":")
    }

    /// The same for a command that runs under an access as well.
    package func around(_ access: CoordinatedAccess) -> SurroundingClaims {
        var inner = self
        inner.claims.append(access.asOuterClaim)
        inner.claims = inner.claims.suffix(Self.limit)
        return inner
    }

    /// Whether one of them is a process's, by its number.
    package func areOf(processID: Int32) -> Bool {
        let prefix = Array("\(processID)-".utf8)
        return claims.contains { $0.ledgerName.starts(with: prefix) }
    }
}

extension CoordinatedAccess {
    /// What the claim is called by other processes.
    var asOuterClaim: OuterClaim {
        OuterClaim(
            ledgerName: Array(session.ledger.fileName.utf8), record: WireRecord(claim.record))
    }
}
