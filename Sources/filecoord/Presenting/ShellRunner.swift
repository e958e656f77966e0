// SPDX-License-Identifier: Apache-2.0
//
// Runs the shell commands of presenters. A thread of its own waits for each of them, so that none
// blocks a presenter.

import FileCoordinationSystem
import Glibc

/// Runs shell commands.
final class ShellRunner: Sendable {
    private let signalMask: sigset_t
    private let running = Lock<Set<pid_t>>([])

    /// - Parameter signalMask: the signal mask with which commands start.
    init(signalMask: sigset_t) { self.signalMask = signalMask }

    /// Runs `command` with these variables added to this process's environment.
    ///
    /// Calls `completion` on another thread with the exit status as shells give it.
    ///
    /// The command's standard output is redirected to standard error, because this process prints
    /// messages on standard output. Its standard input is empty, because the end of this process's
    /// standard input ends `present`.
    func run(
        _ command: String, environment: [String: String],
        completion: @escaping @Sendable (Int32) -> Void
    ) {
        do {
            try DetachedThread.start(name: "shell") { [self] in
                completion(runToEnd(command, environment))
            }
        } catch {
            Console.say("cannot run \"\(command)\": \(error)")
            completion(ExitStatus.cannotRun.rawValue)
        }
    }

    /// Sends SIGTERM to the running commands.
    func endAll() {
        running.withLock { for child in $0 { kill(child, SIGTERM) } }
    }

    private func runToEnd(_ command: String, _ environment: [String: String]) -> Int32 {
        var child: pid_t = 0
        // The child is entered in the same critical section, so that `endAll` cannot miss it.
        let error = running.withLock { running in
            let error = spawn(command, environment, &child)
            if error == 0 { running.insert(child) }
            return error
        }
        guard error == 0 else {
            Console.say("cannot run \"\(command)\": \(ErrorNumber.reason(error))")
            return ExitStatus.cannotRun.rawValue
        }
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(child), &information, WEXITED | ChildStatus.leavingIt) != 0,
            errno == EINTR
        {}
        running.withLock { _ = $0.remove(child) }
        return ChildStatus.reap(child)
    }

    private func spawn(
        _ command: String, _ environment: [String: String], _ child: inout pid_t
    ) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var mask = signalMask
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = CStringList(["/bin/sh", "-c", command])
        let variables = CStringList(environmentWith: environment)
        return unsafe posix_spawn(
            &child, "/bin/sh", &actions, &attributes, words.pointer, variables.pointer)
    }
}
