// SPDX-License-Identifier: Apache-2.0
//
// The encoding of status reports and of the parties in explanations.

import FileCoordinationArbiter

extension Party: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.optional(claim) { $0.integer($1) }
        encoder.optional(presenter) { $0.integer($1) }
        encoder.processID(processID)
        encoder.text(processName)
        encoder.purpose(purpose)
        encoder.optional(path.isEmpty ? nil : path) { $0.path($1) }
        encoder.raw(role)
        encoder.span(since)
        encoder.optional(message) { $0.text($1) }
        encoder.bool(isStopped)
        encoder.text(label)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        claim = try decoder.optional { (decoder) throws(WireError) in
            try decoder.integer(UInt64.self)
        }
        presenter = try decoder.optional { (decoder) throws(WireError) in
            try decoder.integer(UInt64.self)
        }
        processID = try decoder.processID()
        processName = try decoder.text()
        purpose = try decoder.purpose()
        path = try decoder.optional { (decoder) throws(WireError) in try decoder.path() } ?? []
        role = try decoder.raw(PartyRole.self, .role)
        since = try decoder.span()
        message = try decoder.optional { (decoder) throws(WireError) in try decoder.text() }
        isStopped = try decoder.bool()
        label = try decoder.text()
    }
}

extension ServerStatus: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.processID(processID)
        encoder.raw(kind)
        encoder.span(uptime)
        encoder.integer(protocolVersion)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        processID = try decoder.processID()
        kind = try decoder.raw(ServerKind.self, .serverKind)
        uptime = try decoder.span()
        protocolVersion = try decoder.integer(UInt16.self)
    }
}

extension ClaimStatus: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(claim)
        encoder.processID(processID)
        encoder.text(processName)
        encoder.purpose(purpose)
        encoder.raw(stage)
        encoder.span(since)
        encoder.bool(isStopped)
        encoder.list(items, .items, limit: WireLimits.items)
        encoder.list(waitsFor.prefix(WireLimits.parties), .parties)
        encoder.integer(UInt32(clamping: waitsForCount))
        encoder.text(label)
        encoder.raw(kind)
        let sent = outerClaims.prefix(WireLimits.reportedOuterClaims)
        encoder.count(sent.count, .enclosing, limit: WireLimits.reportedOuterClaims)
        for claim in sent { encoder.integer(claim) }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        claim = try decoder.integer(UInt64.self)
        processID = try decoder.processID()
        processName = try decoder.text()
        purpose = try decoder.purpose()
        stage = try decoder.raw(ClaimStage.self, .stage)
        since = try decoder.span()
        isStopped = try decoder.bool()
        items = try decoder.list(of: AccessItem.self, .items, limit: WireLimits.items)
        waitsFor = try decoder.list(of: Party.self, .parties, limit: WireLimits.parties)
        waitsForCount = Int(try decoder.integer(UInt32.self))
        label = try decoder.text()
        kind = try decoder.raw(ClaimKind.self, .statusReport)
        outerClaims = []
        for _ in 0..<(try decoder.count(.enclosing, limit: WireLimits.reportedOuterClaims)) {
            outerClaims.append(try decoder.integer(UInt64.self))
        }
    }
}

extension PresenterStatus: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(presenter)
        encoder.processID(processID)
        encoder.text(processName)
        encoder.optional(path) { $0.path($1) }
        encoder.bool(isUnresponsive)
        encoder.bool(isStopped)
        encoder.text(label)
        encoder.raw(watching)
        if !methods.isSubset(of: .known) { encoder.fail(.illegalValue(.methods)) }
        encoder.raw(methods)
        encoder.integer(relinquished.code)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        presenter = try decoder.integer(UInt64.self)
        processID = try decoder.processID()
        processName = try decoder.text()
        path = try decoder.optional { (decoder) throws(WireError) in try decoder.path() }
        isUnresponsive = try decoder.bool()
        isStopped = try decoder.bool()
        label = try decoder.text()
        watching = try decoder.raw(PresenterWatching.self, .statusReport)
        methods = try decoder.raw(PresenterMethods.self, .methods)
        guard methods.isSubset(of: .known) else { throw .illegalValue(.methods) }
        let code = try decoder.integer(UInt8.self)
        guard let kinds = Relinquishments(code: code) else { throw .illegalValue(.statusReport) }
        relinquished = kinds
    }
}

extension Relinquishments {
    /// The byte for these kinds: a bit for each.
    fileprivate var code: UInt8 { reduce(0) { $0 | 1 << $1.rawValue } }

    /// The kinds of a byte; nil if it has other bits.
    fileprivate init?(code: UInt8) {
        self.init(Relinquishment.allCases.filter { code & 1 << $0.rawValue != 0 })
        guard self.code == code else { return nil }
    }
}

extension StatusReport: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(arbiter)
        encoder.list(claims, .statusReport)
        encoder.list(presenters, .statusReport)
        encoder.list(delegations, .statusReport)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        arbiter = try decoder.value(ServerStatus.self)
        claims = try decoder.list(of: ClaimStatus.self, .statusReport)
        presenters = try decoder.list(of: PresenterStatus.self, .statusReport)
        delegations = try decoder.list(of: DelegationStatus.self, .statusReport)
    }
}
