// SPDX-License-Identifier: Apache-2.0
//
// The one encoding that must be understood across versions. The version comes first, in 16 bits,
// and never moves; what follows is for those who speak that version.

import FileCoordinationArbiter

extension Hello: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(version)
        if !Self.isLegal(ledgerName) { encoder.fail(.illegalValue(.ledgerName)) }
        encoder.blob(ledgerName, .ledgerName, limit: WireLimits.ledgerNameBytes)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        version = try decoder.integer(UInt16.self)
        guard ProtocolVersion.supported.contains(version) else {
            ledgerName = []
            decoder.skipRest()
            return
        }
        ledgerName = try decoder.blob(.ledgerName, limit: WireLimits.ledgerNameBytes)
        guard Self.isLegal(ledgerName) else { throw .illegalValue(.ledgerName) }
    }

    /// Whether the name stays in its directory: it has no slash, and is not `.` or `..`.
    private static func isLegal(_ name: [UInt8]) -> Bool {
        name.isEmpty || ItemPath.isLegal(name[...])
    }
}
