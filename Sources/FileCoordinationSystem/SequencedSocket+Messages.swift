// SPDX-License-Identifier: Apache-2.0
//
// Sends and receives complete messages.

internal import CFileCoordinationSystem
import Glibc

extension SequencedSocket {
    /// Sends one message, with copies of `descriptors`.
    ///
    /// Returns `false` if the buffer is full and `patience` is `none`. Throws
    /// EPIPE if the other end is closed; the process gets no SIGPIPE.
    public func send(
        _ bytes: UnsafeRawBufferPointer, descriptors: [Int32] = [], patience: WaitMode = .none
    ) throws(SystemError) -> Bool {
        unsafe precondition(!bytes.isEmpty, "An empty message would end the connection")
        let result = unsafe fcs_socket_send(
            descriptor.number, bytes.baseAddress, bytes.count, descriptors,
            Int32(clamping: descriptors.count), patience == .forever ? 1 : 0)
        guard result != -Int(EAGAIN) else { return false }
        try check(result, "send \(bytes.count) bytes")
        return true
    }

    /// Sends one message from an array.
    public func send(
        _ bytes: [UInt8], descriptors: [Int32] = [], patience: WaitMode = .none
    ) throws(SystemError) -> Bool {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in
                try unsafe send(buffer, descriptors: descriptors, patience: patience)
            }
        }
        return try result.get()
    }

    /// The result of ``receive(into:patience:)``.
    public enum ReceiveResult: Sendable {
        /// A message of this many bytes, which is now at the beginning of the buffer, with its
        /// descriptors.
        ///
        /// `truncated` if bytes or descriptors did not fit and are lost.
        case bytes(Int, descriptors: [Descriptor], truncated: Bool)
        /// No message has arrived.
        case wouldBlock
        /// The other end is closed, and everything that it sent has been read.
        case closed
    }

    /// Receives one message.
    public func receive(
        into buffer: UnsafeMutableRawBufferPointer, patience: WaitMode = .none
    ) throws(SystemError) -> ReceiveResult {
        var received = fcs_received()
        let result = unsafe fcs_socket_receive(
            descriptor.number, buffer.baseAddress, buffer.count, patience == .forever ? 1 : 0,
            &received)
        guard result != -Int(EAGAIN) else { return .wouldBlock }
        let count = try check(result, "receive")
        let descriptors = unsafe withUnsafeBytes(of: received.descriptors) { raw in
            unsafe raw.bindMemory(to: Int32.self).prefix(Int(received.descriptor_count))
                .map { Descriptor(adopting: $0) }
        }
        guard count > 0 else { return .closed }
        return .bytes(count, descriptors: descriptors, truncated: received.truncated != 0)
    }
}
