// SPDX-License-Identifier: Apache-2.0
//
// Runs another program for what it prints, for `filecoord doctor`. A program that does not answer
// in time is ended.

import FileCoordinationSystem
import Glibc

enum ProgramAnswer {
    /// How long a program may take.
    private static let patience: Duration = .seconds(3)
    /// The most bytes that are read of what it prints.
    private static let longest = 65_536

    /// Runs a program for what it prints.
    ///
    /// - Parameters:
    ///   - words: the program's path and its arguments.
    ///   - environment: variables that are added to those of this process.
    /// - Returns: what the program prints on standard output, or nil if it fails, cannot be run, or
    ///   takes too long.
    static func of(_ words: [String], environment: [String: String] = [:]) -> String? {
        guard let (reading, child) = start(words, environment) else { return nil }
        let output = read(from: reading)
        if output == nil { kill(child, SIGKILL) }
        let status = ChildStatus.reap(child)
        return status == 0 ? output.map { String(decoding: $0, as: UTF8.self) } : nil
    }

    private static func start(
        _ words: [String], _ environment: [String: String]
    ) -> (reading: Descriptor, child: pid_t)? {
        // Without a pipe, there is no answer.
        guard let executable = words.first, let pipe = try? ForkedProcess.pipe() else { return nil }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writing.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let (list, variables) = (CStringList(words), CStringList(environmentWith: environment))
        var child: pid_t = 0
        let error = unsafe posix_spawn(
            &child, executable, &actions, nil, list.pointer, variables.pointer)
        return error == 0 ? (pipe.reading, child) : nil
    }

    /// Reads to the end, or returns nil if that does not come in time.
    private static func read(from descriptor: Descriptor) -> [UInt8]? {
        let end = MonotonicClock.after(patience)
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while result.count < longest {
            let now = MonotonicClock.now
            guard now < end else { return nil }
            var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            let rest = Int32((end - now) / .milliseconds(1)) + 1
            guard unsafe poll(&request, 1, rest) > 0 else { continue }
            let count = unsafe Glibc.read(descriptor.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? result : nil }
            result += buffer[..<count]
        }
        return nil
    }
}
