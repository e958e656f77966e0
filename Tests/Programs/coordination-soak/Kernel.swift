// SPDX-License-Identifier: Apache-2.0
//
// The few things that are asked of the kernel: the time, pauses, signals, forks, and who listens on
// a socket.

import FileCoordination
import Glibc

/// Nanoseconds that all processes agree on.
typealias Instant = UInt64

enum Kernel {
    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Lets the load go on for a while: no process waits for this.
    static func pause(milliseconds: Int) { poll(nil, 0, Int32(milliseconds)) }

    /// Waits until something is so, looking often; false if it is not in time.
    static func until(seconds: Double, _ isSo: () -> Bool) -> Bool {
        let end = now + UInt64(seconds * 1e9)
        while !isSo() {
            guard now < end else { return false }
            pause(milliseconds: 2)
        }
        return true
    }

    /// Blocks signals in this thread and in those that it starts.
    static func block(_ signals: [Int32]) {
        var set = sigset(signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Takes one of these signals, which must be blocked.
    static func take(_ signals: [Int32]) -> Int32 {
        var set = sigset(signals)
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    private static func sigset(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }

    /// The number of the calling thread.
    static var thread: Int {
        let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        return name?.split(separator: "/").last.flatMap { Int($0) } ?? 0
    }

    /// The address of the shared futex on which a thread of this process sleeps; nil if it does
    /// not.
    static func sharedSleep(of thread: Int) -> Substring? {
        #if arch(arm64)
        let futex = "98"
        #else
        let futex = "202"
        #endif
        let path = "/proc/self/task/\(thread)/syscall"
        // The number of the system call, the address, the operation.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let words = text.split(separator: " ")
        guard words.count > 2, words[0] == futex,
            let operation = UInt32(words[2].dropFirst(2), radix: 16)
        else { return nil }
        let (waitsForBits, isPrivate): (UInt32, UInt32) = (9, 128)
        guard operation & 0x7F == waitsForBits, operation & isPrivate == 0 else { return nil }
        return words[1]
    }

    /// `fork` is not to be had in Swift, for good reasons that do not apply to a test of it.
    static func fork() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }

    /// The process that listens on a socket; nil if no process does.
    static func listener(at path: String) -> pid_t? {
        let line = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | 0o4_000, 0)
        guard line >= 0 else { return nil }
        defer { close(line) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(line, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { return nil }
        // pid, uid, gid.
        var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
        var length = socklen_t(12)
        let peerCredentials: Int32 = 17
        guard getsockopt(line, SOL_SOCKET, peerCredentials, &credentials, &length) == 0 else {
            return nil
        }
        return credentials.0
    }

    /// Whether a process is gone, or on its way out so far that nothing of it runs any more.
    static func isLeaving(_ process: pid_t) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = line.lastIndex(of: ")")
        else { return true }
        let fields = line[end...].split(separator: " ")
        guard fields.count > 7 else { return true }
        let exiting: UInt64 = 4
        return ["Z", "X"].contains(fields[1]) || (UInt64(fields[7]) ?? 0) & exiting != 0
    }

    /// How many programs there are for each processor, at least 1.
    ///
    /// Everything takes that many times as long as usual.
    static var crowding: Double {
        let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
        let words = text.split(separator: " ")
        guard words.count > 3, let average = Double(words[0]) else { return 1 }
        let running = words[3].split(separator: "/").first.flatMap { Double($0) } ?? 0
        return max(1, max(average, running) / Double(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// What the machine has had to do, in words.
    static var load: String {
        let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? "?"
        return "load \(text.split(separator: " ").prefix(3).joined(separator: " ")), "
            + "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
    }
}

/// Durations, to be summed up.
struct Sample {
    private(set) var values: [UInt64] = []

    mutating func add(_ nanoseconds: UInt64) { values.append(nanoseconds) }

    /// In milliseconds.
    func quantile(_ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let index = min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))
        return Double(sorted[index]) / 1e6
    }

    var text: String {
        func show(_ share: Double) -> String { String(format: "%.2f", quantile(share)) }
        return "p50 \(show(0.5)) ms, p90 \(show(0.9)) ms, p99 \(show(0.99)) ms, "
            + "max \(show(1)) ms (of \(values.count))"
    }
}

/// Says a line at once, whatever happens next.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
