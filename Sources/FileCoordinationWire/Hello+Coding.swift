// SPDX-License-Identifier: Apache-2.0
//
// The encoding of the hello, which all versions must understand. The version always comes first, in
// 16 bits. The rest is only for servers that speak that version.

import FileCoordinationArbiter

extension Hello: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(version)
        if !Self.isLegal(ledgerName) { encoder.fail(.illegalValue(.ledgerName)) }
        encoder.blob(ledgerName, .ledgerName, limit: WireLimits.ledgerNameBytes)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        version = try decoder.integer(UInt16.self)
        guard version == ProtocolVersion.current else {
            ledgerName = []
            decoder.skipRest()
            return
        }
        ledgerName = try decoder.blob(.ledgerName, limit: WireLimits.ledgerNameBytes)
        guard Self.isLegal(ledgerName) else { throw .illegalValue(.ledgerName) }
    }

    /// Whether the name is a plain file name: without a slash, and not `.` or `..`.
    private static func isLegal(_ name: [UInt8]) -> Bool {
        name.isEmpty || ItemPath.isLegal(name[...])
    }
}
