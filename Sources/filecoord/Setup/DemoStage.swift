// SPDX-License-Identifier: Apache-2.0
//
// Runs the processes of the demonstration in a temporary directory, with a document and a runtime
// directory of its own, and collects what they report.

import FileCoordinationSystem
import FileCoordinationWire
import FileTree
import Glibc

/// The temporary directory and the processes of the demonstration.
final class DemoStage: Sendable {
    private let directory: NativePath
    private let document: NativePath
    private let environment: [String: String]
    private let reports = Monitor<[DemoEvent]>([])
    private let actors = Lock<[Actor]>([])
    private let isTornDown = Lock(false)

    /// A running process of the demonstration.
    struct Actor: Sendable {
        /// The process ID.
        let processID: Int32
        /// The writing end of its standard input.
        ///
        /// Closing it tells the process to end.
        fileprivate let input: Descriptor
    }

    private static let runtimeDirectory = "FILECOORDINATION_RUNTIME_DIR"

    /// How long any step may take.
    ///
    /// If it takes longer, the demonstration fails.
    private static let patience = Duration.seconds(10)

    /// Creates the directory and the document.
    init() throws(Failure) {
        // Signals are blocked before there is anything that would have to be removed.
        Self.blockSignals()
        let parent = CurrentProcess.environmentVariable("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/filecoord-demo-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Failure(errorNumber: errno, doing: "make a directory in", path: parent)
        }
        let path = unsafe template.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe String(cString: $0) } ?? parent
        }
        directory = NativePath(Array(path.utf8))
        document = directory.appending(Array("list.txt".utf8))
        var environment = CurrentProcess.environment
        environment[Self.runtimeDirectory] = "\(path)/run"
        self.environment = environment
        do {
            try DemoDocument.save(DemoScript.beginning, at: document)
        } catch {
            throw Failure(.inputOutput, "cannot write \(document): \(error)")
        }
        try tearDownOnSignal()
    }

    // MARK: The processes

    /// Starts the process that plays `part`.
    func start(_ part: DemoEvent.Part) throws(Failure) -> Actor {
        guard let executable = CurrentProcess.executablePath else {
            throw Failure(.inputOutput, "filecoord's own file is gone: install it again")
        }
        let actor: Actor
        do throws(SystemError) {
            let (input, output) = (try ForkedProcess.pipe(), try ForkedProcess.pipe())
            let words = [executable, DemoPartCommand.name, part.rawValue, document.argument]
            let child = try spawn(words, input: input.reading, output: output.writing)
            actor = Actor(processID: child, input: input.writing)
            try DetachedThread.start(name: "reports") { [self] in collect(from: output.reading) }
        } catch {
            throw Failure(.inputOutput, "cannot start \(executable): \(error)")
        }
        actors.withLock { $0.append(actor) }
        return actor
    }

    private func spawn(
        _ words: [String], input: Descriptor, output: Descriptor
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The children get a process group of their own, so that ^C in the terminal only reaches
        // this process, which then ends them. They start with an empty signal mask.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let directory = environment.filter { $0.key == Self.runtimeDirectory }
        let (list, variables) = (CStringList(words), CStringList(environmentWith: directory))
        var child: pid_t = 0
        let error = unsafe posix_spawn(
            &child, words[0], &actions, &attributes, list.pointer, variables.pointer)
        guard error == 0 else { throw SystemError(code: error, operation: "start") }
        return child
    }

    private func collect(from output: Descriptor) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(output.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                if let event = DemoEvent(line: line) { append(event) }
            }
        }
    }

    private func append(_ event: DemoEvent) {
        reports.withLock { $0.append(event) }
        reports.notifyAll()
    }

    /// Tells a waiting process to go on.
    func nudge(_ actor: Actor) {
        // If the process has died, the missing event will show it.
        try? Console.write(Array("go on\n".utf8), to: actor.input.number)
    }

    // MARK: What happens

    /// The events so far, in order.
    var events: [DemoEvent] {
        reports.withLock { $0.sorted { $0.time < $1.time } }
    }

    /// Waits until `part` reports `kind`.
    func awaitEvent(_ part: DemoEvent.Part, _ kind: DemoEvent.Kind) throws(Failure) {
        let hasCome = reports.wait(until: MonotonicClock.after(Self.patience)) { events in
            events.contains { $0.part == part && $0.kind == kind }
        }
        guard hasCome else {
            throw Failure(
                status: 1,
                lines: ["the \(part.rawValue) did not come to \"\(kind.rawValue)\" in time"])
        }
    }

    /// Waits until the arbiter reports that `waiter` waits for `holder`, and adds that to the
    /// events.
    func awaitWait(of waiter: Actor, for holder: Actor) throws(Failure) {
        let deadline = MonotonicClock.after(Self.patience)
        while MonotonicClock.now < deadline {
            let report = try StatusCommand.ask(environment)
            let waits = (report?.claims ?? []).contains { claim in
                claim.processID == waiter.processID
                    && claim.waitsFor.contains { $0.processID == holder.processID }
            }
            if waits {
                return append(DemoEvent(.writer, .waits, content: DemoEvent.content(of: document)))
            }
            usleep(2000)
        }
        throw Failure(status: 1, lines: ["the writer did not wait for the reader"])
    }

    // MARK: Afterwards

    /// Ends all processes and removes the directory.
    ///
    /// Only the first thread that calls this does it; another thread waits until it is done.
    func tearDown() {
        isTornDown.withLock { isTornDown in
            if !isTornDown { removeAll() }
            isTornDown = true
        }
    }

    private func removeAll() {
        let children = actors.withLock { actors in
            // A child that still runs is told to end by the end of its standard input.
            defer { actors = [] }
            return actors.map(\.processID)
        }
        for child in children { _ = ChildStatus.reap(child) }
        endDaemon()
        // It stays in the directory for temporary files, which the system empties.
        if let parent = try? directory.directory.openDirectory() {
            TreeRemoval.remove(directory.name, from: parent)
        }
    }

    /// Ends the daemon and waits for its end.
    ///
    /// The daemon belongs to this directory and has no other clients. It must be gone before the
    /// directory is removed, because a server whose files vanish creates them again.
    private func endDaemon() {
        // A daemon that cannot be asked or ended leaves by itself when it is idle.
        guard let arbiter = try? StatusCommand.ask(environment)?.arbiter,
            arbiter.kind == .daemon,
            let daemon = try? ProcessHandle(processID: arbiter.processID),
            (try? daemon.kill(signal: SIGTERM)) != nil
        else { return }
        var end = pollfd(fd: daemon.descriptor.number, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&end, 1, 5000)
    }

    @discardableResult
    private static func blockSignals() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        return signals
    }

    private func tearDownOnSignal() throws(Failure) {
        let signals = Self.blockSignals()
        do {
            try DetachedThread.start(name: "signals") { [self, signals] in
                var awaited = signals
                var signal: Int32 = 0
                unsafe sigwait(&awaited, &signal)
                for actor in actors.withLock({ $0 }) { kill(actor.processID, SIGKILL) }
                tearDown()
                _exit(ExitStatus.signal(signal))
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }
}
