// SPDX-License-Identifier: Apache-2.0
//
// The tasks of the peers' process: the alternatives with which programs lock files instead. The
// timing loops are in C; this file prepares them and reads their results.

import CPeers
import FileCoordination

/// Tasks that know nothing of coordination.
final class PeerTasks {
    private var files: [String: Int32] = [:]
    private var echo: Int32?
    private var relay: Int32?
    private let answers = OperationQueue()
    private var connections: [String: Int32] = [:]
    private var database: UnsafeMutableRawPointer?
    private var bus: UnsafeMutableRawPointer?

    var tasks: [String: WorkerTask] {
        [
            "echo": timeEcho, "answer": answer, "relay": timeRelay,
            "flock": timeFlock, "ofd": timeRecordLock,
            "open-flock-close": timeOpening, "open-each": timeOpeningEach, "ring": walkRing,
            "flock-contend": contend, "sqlite": timeDatabase, "bus": timeBus, "bus-serve": serveBus,
            "redis": timeRedis, "etcd": timeEtcd, "programs": timePrograms,
        ]
    }

    // MARK: The kernel's locks

    private func file(_ path: String) throws -> Int32 {
        if let file = files[path] { return file }
        let file = try checked(open_lock_file(path))
        files[path] = file
        return file
    }

    private func timeFlock(_ words: [String]) throws -> [Double] {
        [try checked(time_flock_pairs(try file(words.text(0)), Int32(try words.number(1))))]
    }

    private func timeRecordLock(_ words: [String]) throws -> [Double] {
        [try checked(time_ofd_pairs(try file(words.text(0)), Int32(try words.number(1))))]
    }

    private func timeOpening(_ words: [String]) throws -> [Double] {
        [try checked(time_open_flock_close(try words.text(0), Int32(try words.number(1))))]
    }

    private func timeOpeningEach(_ words: [String]) throws -> [Double] {
        [try checked(time_open_flock_close_each(try words.text(0), Int32(try words.number(1))))]
    }

    /// DIRECTORY ROLE BARRIER ROUNDS.
    private func walkRing(_ words: [String]) throws -> [Double] {
        let barrier = try file(words.text(2))
        return [
            try checked(
                walk_flock_ring(
                    try words.text(0), Int32(try words.number(1)), barrier,
                    Int32(try words.number(3))))
        ]
    }

    /// FILE BARRIER MILLISECONDS: how often this process came to have the lock.
    private func contend(_ words: [String]) throws -> [Double] {
        let (lock, barrier) = (try file(words.text(0)), try file(words.text(1)))
        try Barrier.pass(barrier)
        let end = nanoseconds_now() + Int64(try words.number(2)) * 1_000_000
        var count = 0.0
        while nanoseconds_now() < end {
            _ = try checked(time_flock_pairs(lock, 1))
            count += 1
        }
        return [count]
    }

    // MARK: Servers

    /// CPU COUNT.
    private func timeEcho(_ words: [String]) throws -> [Double] {
        let socket: Int32
        if let echo {
            socket = echo
        } else {
            var server: Int32 = 0
            socket = try checked(echo_start(Int32(try words.number(0)), &server))
            echo = socket
        }
        return [try checked(time_echo(socket, Int32(try words.number(1))))]
    }

    /// SOCKET: answers messages of a relay, each in an operation of its own, as presenters do.
    private func answer(_ words: [String]) throws -> [Double] {
        let listener = try checked(answer_listen(try words.text(0)))
        answers.maxConcurrentOperationCount = 1
        Thread.detachNewThread { [answers] in
            let connection = answer_accept(listener)
            if connection < 0 { return Terminal.complain("no relay has connected") }
            while answer_receive(connection) > 0 {
                answers.addOperation { _ = answer_send(connection) }
            }
        }
        return []
    }

    /// SOCKET COUNT: messages by way of a relay to a process that answers them.
    private func timeRelay(_ words: [String]) throws -> [Double] {
        let socket = try relay ?? checked(relay_start(try words.text(0)))
        relay = socket
        return [try checked(time_echo(socket, Int32(try words.number(1))))]
    }

    private func timeDatabase(_ words: [String]) throws -> [Double] {
        var reason: UnsafePointer<CChar>?
        if database == nil { database = sqlite_open_for_locking(try words.text(0), &reason) }
        guard let database else { throw MeasuringError(Self.text(reason)) }
        return [try checked(time_sqlite_pairs(database, Int32(try words.number(1))))]
    }

    private func connectBus(_ address: String) throws -> UnsafeMutableRawPointer {
        var reason: UnsafePointer<CChar>?
        if bus == nil { bus = bus_connect(address, &reason) }
        guard let bus else { throw MeasuringError(Self.text(reason)) }
        return bus
    }

    private func timeBus(_ words: [String]) throws -> [Double] {
        let bus = try connectBus(try words.text(0))
        return [try checked(time_bus_calls(bus, Int32(try words.number(1))))]
    }

    /// Says "ok" when the name is taken; comes back when the bus ends.
    private func serveBus(_ words: [String]) throws -> [Double] {
        _ = try checked(bus_serve(try connectBus(try words.text(0))))
        return []
    }

    private func timeRedis(_ words: [String]) throws -> [Double] {
        let path = try words.text(0)
        let connection = try connections[path] ?? checked(connect_local(path))
        connections[path] = connection
        return [try checked(time_redis_pairs(connection, Int32(try words.number(1))))]
    }

    private func timeEtcd(_ words: [String]) throws -> [Double] {
        let port = try words.text(0)
        let connection = try connections[port] ?? checked(connect_port(Int32(try words.number(0))))
        connections[port] = connection
        return [try checked(time_etcd_pairs(connection, Int32(try words.number(1))))]
    }

    // MARK: Programs

    /// COUNT PROGRAM ARGUMENTS.
    private func timePrograms(_ words: [String]) throws -> [Double] {
        let count = Int32(try words.number(0))
        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let time = withCStrings(Array(words.dropFirst())) { arguments in
            withCStrings(environment) { time_programs(arguments, $0, count) }
        }
        return [try checked(time)]
    }

    private static func text(_ reason: UnsafePointer<CChar>?) -> String {
        reason.map { String(cString: $0) } ?? "unknown"
    }
}

/// Where processes wait until all may begin.
enum Barrier {
    /// Says that this process is here, and waits.
    static func pass(_ file: Int32) throws {
        Worker.say("ready")
        _ = try checked(lock_file(file, 0))
        _ = try checked(lock_file(file, -1))
    }
}
