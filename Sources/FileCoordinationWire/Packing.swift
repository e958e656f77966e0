// SPDX-License-Identifier: Apache-2.0
//
// Distributes values among messages. A packet socket preserves message boundaries but limits their
// length. Short values share a message; a long value is sent in parts, which the receiver joins.

extension ServerMessage {
    /// The length of a message without deliveries.
    private static let frame = ServerMessage.deliveries([]).encode().count

    /// Returns the fewest messages for `deliveries`, in order.
    ///
    /// These are ``deliveries(_:)`` messages of at most ``WireLimits/deliveriesBytes``. A single
    /// delivery that is longer (a claim may delete thousands of items in a presented directory) is
    /// sent as ``deliveryPart(_:isLast:)`` messages.
    public static func packing(_ deliveries: [Delivery]) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        var gathered: [Delivery] = []
        var size = frame
        func flush() {
            if !gathered.isEmpty { messages.append(.deliveries(gathered)) }
            gathered = []
            size = frame
        }
        for delivery in deliveries {
            // A path that is longer than the kernel's limit; the server tells of none.
            guard let bytes = try? delivery.encoding(.delivery, limit: WireLimits.deliveryBytes)
            else { continue }
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

    /// Returns the messages for a status report.
    public static func packing(_ report: StatusReport) -> [ServerMessage] {
        pieces(of: report.encode()).map { .statusPart($0.bytes, isLast: $0.isLast) }
    }

    /// Divides bytes into at least one part; the last one is marked.
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

/// Joins the parts of ``ServerMessage/statusPart(_:isLast:)`` or
/// ``ServerMessage/deliveryPart(_:isLast:)`` messages.
///
/// Each kind needs its own assembler.
public struct PartAssembler: Hashable, Sendable {
    private var bytes: [UInt8] = []
    private let field: WireError.Field
    private let limit: Int

    private init(_ field: WireError.Field, limit: Int) {
        self.field = field
        self.limit = limit
    }

    /// An assembler for status reports.
    public static var statusReport: Self {
        Self(.statusReport, limit: WireLimits.statusReportBytes)
    }

    /// An assembler for deliveries.
    public static var delivery: Self { Self(.delivery, limit: WireLimits.deliveryBytes) }

    /// Adds a part.
    ///
    /// Returns the whole value if it was the last part.
    ///
    /// After the last part or an error, the assembler starts again.
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
