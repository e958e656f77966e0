// SPDX-License-Identifier: Apache-2.0
//
// Receives a message as an array, for callers that do not reuse a buffer.

/// The result of receiving a message.
public enum ReceivedMessage: Sendable {
    /// A complete message.
    case bytes([UInt8])
    /// The message was longer than the limit and is lost.
    case tooLong
    /// No message has arrived.
    case wouldBlock
    /// The other end is gone, or the connection has failed.
    case closed
}

extension SequencedSocket {
    /// Receives one message of at most `limit` bytes, without blocking.
    ///
    /// Descriptors in the message are closed.
    public func receiveMessage(limit: Int) -> ReceivedMessage {
        var result = ReceivedMessage.closed
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = 0
            switch unsafe receiveOnceMore(into: UnsafeMutableRawBufferPointer(buffer)) {
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

    /// Receives; returns nil if the connection has failed.
    ///
    /// A peer that closes its socket without reading everything resets the connection. The kernel
    /// reports that once, before the messages that the peer had sent.
    private func receiveOnceMore(into buffer: UnsafeMutableRawBufferPointer) -> ReceiveResult? {
        do {
            return unsafe try receive(into: buffer)
        } catch {
            guard error.code == ErrorNumber.connectionReset else { return nil }
            // Nothing was left to be read when the connection was reset.
            return try? unsafe receive(into: buffer)
        }
    }
}
