// SPDX-License-Identifier: Apache-2.0
//
// Peers that need a server, or a language, of their own. Each is measured if it is installed, and
// otherwise skipped with a word about what is missing. A server runs only while it is its turn.

import CPeers
import FileCoordination

/// Servers that people lock with.
enum Servers {
    static let dbusDaemon = "D-Bus echo over dbus-daemon"
    static let dbusBroker = "D-Bus echo over dbus-broker"
    static let redis = "redis SET NX + DEL"
    static let etcd = "etcd lock + unlock"
    static let filelock = "Python filelock, acquire + release"

    static func contestants(_ bench: Workbench, _ needs: Set<String>) throws -> [Contestant] {
        let makers: [(String, (Workbench) throws -> Contestant)] = [
            (dbusDaemon, overDaemon), (dbusBroker, overBroker), (redis, inRedis), (etcd, inEtcd),
            (filelock, inPython),
        ]
        return makers.filter { needs.contains($0.0) }.map { name, make in
            do {
                return try make(bench)
            } catch {
                return Contestant(name, skipped: "skipped: \(error)")
            }
        }
    }

    /// A contestant whose server sleeps while others are measured.
    private static func idle(_ contestant: Contestant, _ servers: [WorkerProcess]) -> Contestant {
        guard let sample = contestant.sample else { return contestant }
        for server in servers { server.suspend() }
        return Contestant(contestant.name) {
            for server in servers { server.resume() }
            defer { for server in servers { server.suspend() } }
            return try sample()
        }
    }

    private static func program(_ name: String) throws -> String {
        guard let path = Workbench.find(name) else {
            throw MeasuringError("\(name) is not installed")
        }
        return path
    }

    // MARK: Message buses

    /// What a bus of our own is to allow: everything, at one address.
    private static func busConfiguration(_ socket: String, in directory: String) throws -> String {
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(socket)</listen>
            <policy context="default"><allow send_destination="*"/><allow own="*"/>
            <allow receive_sender="*"/></policy></busconfig>
            """
        let path = directory + "/bus.conf"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func overDaemon(_ bench: Workbench) throws -> Contestant {
        let path = try program("dbus-daemon")
        let directory = try bench.directory("bus")
        let socket = directory + "/socket"
        let configuration = try busConfiguration(socket, in: directory)
        let server = try bench.start(
            [path, "--config-file=\(configuration)", "--nofork", "--print-address=1"],
            errorsToo: true)
        // It says its address when it listens.
        guard server.says("unix:path") else { throw MeasuringError("dbus-daemon did not start") }
        server.ignore()
        return try echo(dbusDaemon, bench, server, "unix:path=\(socket)")
    }

    private static func overBroker(_ bench: Workbench) throws -> Contestant {
        let path = try program("dbus-broker-launch")
        let directory = try bench.directory("bus")
        let socket = directory + "/socket"
        let configuration = try busConfiguration(socket, in: directory)
        let server = try bench.start([
            "/bin/sh", "-c", listeningShell, "sh", socket, path, configuration,
        ])
        // A client that connects now waits for the broker, or learns that it has gone.
        guard server.says("listening") else { throw MeasuringError("python3 is not installed") }
        server.ignore()
        do {
            return try echo(dbusBroker, bench, server, "unix:path=\(socket)")
        } catch {
            throw MeasuringError("dbus-broker-launch did not start, it needs systemd (\(error))")
        }
    }

    /// Listens as systemd would, and becomes the launcher: a shell cannot, Python can.
    private static let listeningShell = """
        exec python3 -c 'import os, socket, sys
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1])
        listener.listen()
        print("listening", flush=True)
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execv(sys.argv[2], [sys.argv[2], "--scope", "user", "--config-file", sys.argv[3]])
        ' "$1" "$2" "$3" 2>&1
        """

    private static func echo(
        _ name: String, _ bench: Workbench, _ server: WorkerProcess, _ address: String
    ) throws -> Contestant {
        let service = try bench.peer()
        _ = try service.ask("bus-serve", address)
        let client = try bench.peer()
        return idle(try .task(name, client, "bus", address), [server, service])
    }

    // MARK: Stores

    private static func inRedis(_ bench: Workbench) throws -> Contestant {
        let path = try program("redis-server")
        let socket = try bench.directory("redis") + "/socket"
        let server = try bench.start([
            path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no",
            "--daemonize", "no", "--dir", bench.scratch,
        ])
        guard server.says("eady to accept connections") else {
            throw MeasuringError("redis-server did not start")
        }
        server.ignore()
        let client = try bench.peer()
        return idle(try .task(redis, client, "redis", socket), [server])
    }

    private static func inEtcd(_ bench: Workbench) throws -> Contestant {
        let path = try program("etcd")
        let (port, peerPort) = (free_port(), free_port())
        guard port > 0, peerPort > 0 else { throw MeasuringError("no free port") }
        let (own, peers) = ("http://127.0.0.1:\(port)", "http://127.0.0.1:\(peerPort)")
        let server = try bench.start(
            [
                path, "--data-dir", try bench.directory("etcd"), "--listen-client-urls", own,
                "--advertise-client-urls", own, "--listen-peer-urls", peers,
                "--initial-advertise-peer-urls", peers, "--initial-cluster", "default=\(peers)",
            ], errorsToo: true)
        guard server.says("client requests") else { throw MeasuringError("etcd did not start") }
        server.ignore()
        let client = try bench.peer()
        return idle(try .task(etcd, client, "etcd", "\(port)"), [server])
    }

    // MARK: Python

    /// A worker in Python, which understands one errand: "filelock", FILE and COUNT.
    private static let script = """
        import sys, time
        try:
            import filelock
        except ImportError:
            print("missing", flush=True)
            sys.exit()
        print("ready", flush=True)
        locks = {}
        for line in sys.stdin:
            _, path, count = line.rstrip("\\n").split("\\t")
            lock = locks.setdefault(path, filelock.FileLock(path))
            start = time.monotonic_ns()
            for _ in range(int(count)):
                with lock:
                    pass
            print("ok", time.monotonic_ns() - start, sep="\\t", flush=True)
        """

    private static func inPython(_ bench: Workbench) throws -> Contestant {
        let worker = try bench.start([try program("python3"), "-c", script])
        guard try worker.line() == "ready" else {
            throw MeasuringError("Python's filelock is not installed (pip install filelock)")
        }
        return try .task(filelock, worker, "filelock", try bench.file("python.lock"))
    }
}
