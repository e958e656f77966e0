// SPDX-License-Identifier: Apache-2.0
//
// A process that is told what to do on its standard input, a line at a time, and answers with a
// line. Words are separated by tabs.

import CPeers
import FileCoordination

/// A started program.
final class WorkerProcess {
    let process: Int32
    private let input: Int32
    private let output: Int32
    private var buffer: [UInt8] = []
    private var isRunning = true
    private var isIgnored = false
    /// The runtime directory that it knows.
    let runtime: String?

    /// How long a process may take for one thing, in milliseconds.
    private static let patience: Int32 = 300_000

    init(_ arguments: [String], _ environment: [String], cpu: Int32, errorsToo: Bool) throws {
        var (input, output): (Int32, Int32) = (-1, -1)
        process = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                start_program(arguments, environment, cpu, errorsToo ? 1 : 0, &input, &output)
            }
        }
        (self.input, self.output) = (input, output)
        runtime = environment.first { $0.hasPrefix(World.setting) }.map {
            String($0.dropFirst(World.setting.count))
        }
        guard process > 0 else {
            throw MeasuringError("\(arguments[0]) cannot be started (\(-process))")
        }
    }

    /// Tells it to do something, and waits for what came of it.
    func ask(_ words: String...) throws -> [Double] {
        try tell(words)
        return try answer()
    }

    /// Tells it to do something.
    func tell(_ words: [String]) throws {
        let line = Array((words.joined(separator: "\t") + "\n").utf8)
        guard write(input, line, line.count) == line.count else {
            throw MeasuringError("\(words[0]): the process has ended")
        }
    }

    /// Waits for its answer.
    func answer() throws -> [Double] {
        let words = try line().split(separator: "\t").map(String.init)
        if words.first == "ok" { return words.dropFirst().compactMap(Double.init) }
        throw MeasuringError(words.dropFirst().joined(separator: " "))
    }

    /// Waits for it to say that it has come to the barrier.
    func awaitReady() throws {
        let word = try line()
        guard word == "ready" else { throw MeasuringError(word) }
    }

    /// Its next line.
    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                return line
            }
            guard wait_readable(output, Self.patience) == 1 else {
                throw MeasuringError("a process did not answer within five minutes")
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { throw MeasuringError("a process has ended unexpectedly") }
            buffer += chunk[..<count]
        }
    }

    /// Waits for a line that contains something; false if it ends before.
    func says(_ text: String) -> Bool {
        while let line = try? line() {
            if line.contains(text) { return true }
        }
        return false
    }

    /// From now on its output is not read, and that does not block it.
    func ignore() {
        isIgnored = true
        let output = output
        Thread.detachNewThread {
            var chunk = [UInt8](repeating: 0, count: 4096)
            while read(output, &chunk, chunk.count) > 0 {}
            close(output)
        }
    }

    /// Has it run no more until `resume()`.
    func suspend() { kill(process, SIGSTOP) }
    /// Has it go on.
    func resume() { kill(process, SIGCONT) }

    /// Ends it.
    func end() {
        guard isRunning else { return }
        isRunning = false
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        close(input)
        if !isIgnored { close(output) }
    }
}

/// Gives out texts as C has them, with a null at the end.
func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = texts.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("It has at least a null") }
        return body(start)
    }
}
