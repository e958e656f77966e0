// SPDX-License-Identifier: Apache-2.0
//
// Receives a message as an array. A thread that receives many reuses a buffer: memory for the
// longest message, allocated for each one, would cost more than the message itself.

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

/// Memory for one received message at a time; used by one thread.
@safe public struct MessageBuffer: ~Copyable {
    fileprivate let memory: UnsafeMutableRawBufferPointer

    /// Creates a buffer.
    ///
    /// - Parameter limit: the bytes of the longest message.
    public init(limit: Int) {
        unsafe memory = .allocate(byteCount: limit, alignment: 1)
    }

    deinit { unsafe memory.deallocate() }
}

extension SequencedSocket {
    /// Receives one message, without blocking.
    ///
    /// Descriptors in the message are closed.
    ///
    /// - Parameter buffer: memory for the message; no other thread uses it now.
    /// - Returns: a copy of the message, or why there is none.
    public func receiveMessage(using buffer: borrowing MessageBuffer) -> ReceivedMessage {
        var passed: [Descriptor] = []
        // Something of it is lost.
        return (try? receiveMessage(using: buffer, passing: &passed)) ?? .tooLong
    }

    /// Receives one message and the descriptors in it, without blocking.
    ///
    /// Throws ``ErrorNumber/tooManyOpenFiles`` if descriptors are lost, because this process has no
    /// room for them.
    public func receiveMessage(
        using buffer: borrowing MessageBuffer, passing passed: inout [Descriptor]
    ) throws(SystemError) -> ReceivedMessage {
        switch unsafe receiveOnceMore(into: buffer.memory) {
        case .bytes(let count, let descriptors, let isTruncated):
            passed = descriptors
            guard isTruncated else { return .bytes(unsafe Array(buffer.memory.prefix(count))) }
            // Bytes are lost only where they fill the memory.
            guard unsafe count < buffer.memory.count else { return .tooLong }
            throw SystemError(
                code: ErrorNumber.tooManyOpenFiles, operation: "receive descriptors")
        case .wouldBlock: return .wouldBlock
        case .closed, nil: return .closed
        }
    }

    /// Receives one message of at most `limit` bytes, without blocking.
    ///
    /// Descriptors in the message are closed.
    public func receiveMessage(limit: Int) -> ReceivedMessage {
        receiveMessage(using: MessageBuffer(limit: limit))
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
