// SPDX-License-Identifier: Apache-2.0
//
// Receiving a message as an array, for those who do not reuse a buffer.

/// What came of receiving one message.
public enum ReceivedMessage: Sendable {
    /// A whole message.
    case bytes([UInt8])
    /// A message that was longer than allowed; it is lost.
    case tooLong
    /// Nothing is there now.
    case wouldBlock
    /// The other end is gone, or the connection failed.
    case closed
}

extension SequencedSocket {
    /// Receives one message of at most `limit` bytes, without blocking.
    ///
    /// Descriptors that came with it are closed.
    public func receiveMessage(limit: Int) -> ReceivedMessage {
        var result = ReceivedMessage.closed
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = 0
            switch receiveOnceMore(into: UnsafeMutableRawBufferPointer(buffer)) {
            case .bytes(let received, _, let truncated):
                result = truncated ? .tooLong : .bytes([])
                count = truncated ? 0 : received
            case .wouldBlock: result = .wouldBlock
            case .closed, nil: result = .closed
            }
        }
        if case .bytes = result { return .bytes(bytes) }
        return result
    }

    /// Receives; nil when the connection failed.
    ///
    /// A peer that went without reading everything resets the connection, which is reported once,
    /// before the messages that it had sent.
    private func receiveOnceMore(into buffer: UnsafeMutableRawBufferPointer) -> ReceiveResult? {
        do {
            return try receive(into: buffer)
        } catch {
            guard error.code == ErrorNumber.connectionReset else { return nil }
            return try? receive(into: buffer)
        }
    }
}
