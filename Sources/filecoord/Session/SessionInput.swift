// SPDX-License-Identifier: Apache-2.0
//
// The lines that a session's client writes, of which each is taken whole. A line that is too long
// is passed over and told, so that the next one is understood.

import FileCoordinationSystem
import Glibc

/// Reads lines from standard input.
struct SessionInput {
    private var buffer: [UInt8] = []
    /// What is read at a time.
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)
    /// Where the part of the buffer begins that has not been searched for the end of a line.
    private var searched = 0
    /// Whether the line that is read is too long.
    private var isSkipping = false

    /// A line.
    enum Line {
        /// A line without its end.
        case whole([UInt8])
        /// A line that was too long.
        case tooLong
    }

    private static let end = UInt8(ascii: "\n")

    /// Returns the next line; nil at the end of input.
    mutating func next() -> Line? {
        while true {
            if let end = buffer[searched...].firstIndex(of: Self.end) {
                let line = Array(buffer[..<end])
                buffer.removeSubrange(...end)
                searched = 0
                guard !isSkipping, line.count < SessionOutput.lineLimit else {
                    isSkipping = false
                    return .tooLong
                }
                return .whole(line)
            }
            searched = buffer.count
            if buffer.count > SessionOutput.lineLimit {
                isSkipping = true
                buffer.removeAll(keepingCapacity: true)
                searched = 0
            }
            guard fill() else { return last() }
        }
    }

    /// The line that has no end, because the input ended.
    private mutating func last() -> Line? {
        guard !isSkipping, !buffer.isEmpty else { return nil }
        defer { buffer = [] }
        searched = 0
        return .whole(buffer)
    }

    /// Reads more; returns false at the end of input.
    private mutating func fill() -> Bool {
        while true {
            let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
            if count > 0 {
                buffer += chunk[..<count]
                return true
            }
            guard count < 0 else { return false }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&wanted, 1, -1)
            case _: return false
            }
        }
    }
}
