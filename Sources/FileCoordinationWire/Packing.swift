// SPDX-License-Identifier: Apache-2.0
//
// A packet socket keeps messages apart but bounds them. Short things share a message; what is
// longer than one goes in pieces, and is put together again at the other end.

extension ServerMessage {
    /// The fewest messages that carry `deliveries` in their order.
    ///
    /// They are ``deliveries(_:)`` of at most ``WireLimits/deliveriesBytes``, but for a delivery
    /// that alone is longer (a claim may delete thousands of items in a presented directory), which
    /// is sent as ``deliveryPart(_:isLast:)``.
    public static func packing(_ deliveries: [Delivery]) -> [ServerMessage] {
        let frame = ServerMessage.deliveries([]).encode().count
        var messages: [ServerMessage] = []
        var gathered: [Delivery] = []
        var size = frame
        func flush() {
            if !gathered.isEmpty { messages.append(.deliveries(gathered)) }
            gathered = []
            size = frame
        }
        for delivery in deliveries {
            let bytes = delivery.encode()
            if size + bytes.count > WireLimits.deliveriesBytes { flush() }
            guard size + bytes.count <= WireLimits.deliveriesBytes else {
                messages += pieces(of: bytes).map { .deliveryPart($0.bytes, isLast: $0.isLast) }
                continue
            }
            gathered.append(delivery)
            size += bytes.count
        }
        flush()
        return messages
    }

    /// The messages that carry a status report.
    public static func packing(
        _ report: StatusReport, version: UInt16 = ProtocolVersion.current
    ) -> [ServerMessage] {
        pieces(of: report.encode(version: version)).map { .statusPart($0.bytes, isLast: $0.isLast) }
    }

    /// At least one piece; the last is marked.
    private static func pieces(of bytes: [UInt8]) -> [(bytes: [UInt8], isLast: Bool)] {
        var result: [(bytes: [UInt8], isLast: Bool)] = []
        var start = 0
        repeat {
            let end = min(start + WireLimits.statusPartBytes, bytes.count)
            result.append((Array(bytes[start..<end]), end == bytes.count))
            start = end
        } while start < bytes.count
        return result
    }
}

/// Puts pieces together that came as ``ServerMessage/statusPart(_:isLast:)`` or
/// ``ServerMessage/deliveryPart(_:isLast:)``; one assembler for each kind.
public struct PartAssembler: Hashable, Sendable {
    private var bytes: [UInt8] = []
    private let field: WireError.Field
    private let limit: Int

    private init(_ field: WireError.Field, limit: Int) {
        self.field = field
        self.limit = limit
    }

    /// An assembler of status reports.
    public static var statusReport: Self {
        Self(.statusReport, limit: WireLimits.statusReportBytes)
    }

    /// An assembler of deliveries.
    public static var delivery: Self { Self(.delivery, limit: WireLimits.deliveryBytes) }

    /// Adds a piece, and returns the whole if it was the last.
    ///
    /// After the last, or an error, it begins anew.
    public mutating func add(_ part: [UInt8], isLast: Bool) throws(WireError) -> [UInt8]? {
        guard part.count <= limit - bytes.count else {
            bytes = []
            throw .tooLong(field)
        }
        bytes += part
        guard isLast else { return nil }
        defer { bytes = [] }
        return bytes
    }
}
