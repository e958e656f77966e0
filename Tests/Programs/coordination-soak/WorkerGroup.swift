// SPDX-License-Identifier: Apache-2.0
//
// The workers of a field: started, killed, started again; each life has a name and a journal.

import FileCoordination
import Glibc

/// All processes that work at one time.
final class WorkerGroup {
    private let field: Field
    private let settings: [String: String]
    private let presenting: Int
    private let files: Int
    /// All lives so far.
    private(set) var lives: [Life] = []
    /// Which of them is at each place now.
    private var places: [Int] = []

    /// Starts workers, of whom one in four presents a file.
    ///
    /// - Parameters:
    ///   - field: where they work.
    ///   - size: how many they are.
    ///   - files: the number of files that they share.
    ///   - rate: the accesses of each worker in a second.
    ///   - work: how long accessors on files that all want take at most, in milliseconds.
    /// - Throws: an error if a worker cannot be started.
    init(_ field: Field, size: Int, files: Int, rate: Int, work: Int = 20) throws {
        self.field = field
        self.files = files
        presenting = size / 4
        settings = [
            "directory": field.directory, "seed": "\(field.options.seed)", "files": "\(files)",
            "rate": "\(rate)", "hot": "\(field.options.number("hot", 3))",
            "work": "\(field.options.number("work", work))",
        ]
        for place in 0..<size { places.append(try start(place)) }
    }

    var size: Int { places.count }

    private func start(_ place: Int) throws -> Int {
        let name = "\(place).\(lives.count)"
        var all = settings
        all["name"] = name
        all["stream"] = "\(lives.count)"
        // Some presented files are those that all workers want, and some are others.
        if place < presenting { all["presents"] = "\((place * 7) % files)" }
        lives.append(Life(name: name, process: try field.start("worker", all)))
        return lives.count - 1
    }

    func process(at place: Int) -> pid_t { lives[places[place]].process }

    /// The place of a process; nil if it is none of these.
    func place(of process: pid_t) -> Int? {
        places.firstIndex { lives[$0].process == process }
    }

    /// Kills the one at a place, and starts another one there.
    func replace(_ place: Int) throws {
        lives[places[place]].killed = field.kill(process(at: place))
        lives[places[place]].reaped = Kernel.now
        places[place] = try start(place)
    }

    /// Lets the one at a place exit normally, and starts another one there so long afterwards.
    func exit(_ place: Int, milliseconds pause: Int) throws {
        Glibc.kill(process(at: place), SIGUSR1)
        guard field.reap(process(at: place)) != nil else {
            throw SoakError("\(lives[places[place]].name) does not exit")
        }
        lives[places[place]].reaped = Kernel.now
        Kernel.pause(milliseconds: pause)
        places[place] = try start(place)
    }

    /// Waits until each process has got access once more; returns those that have not in time.
    func awaitProgress(seconds patience: Double) -> [String] {
        let names = places.map { lives[$0].name }
        func accesses(_ name: String) -> UInt64 {
            JournalWriter.progress(directory: field.directory, name: name)
        }
        var waiting = names.map { (name: $0, before: accesses($0)) }
        _ = Kernel.until(seconds: patience) {
            waiting.removeAll { accesses($0.name) > $0.before }
            return waiting.isEmpty
        }
        return waiting.map(\.name)
    }

    /// Records that the one at a place was stopped.
    func note(_ stop: Span, at place: Int) { lives[places[place]].stops.append(stop) }

    /// Asks all to finish what they are at; says who does not within so many seconds.
    func end(seconds: Double = 30) -> (time: Instant, hanging: [String]) {
        let time = Kernel.now
        let deadline = time + UInt64(seconds * 1e9)
        for place in places.indices { Glibc.kill(process(at: place), SIGTERM) }
        var hanging: [String] = []
        for place in places.indices {
            let now = Kernel.now
            let rest = deadline > now ? Double(deadline - now) / 1e9 : 0
            guard let status = field.reap(process(at: place), seconds: rest) else {
                hanging.append("\(lives[places[place]].name) does not come to an end")
                continue
            }
            if status != 0 { hanging.append("\(lives[places[place]].name) ended with \(status)") }
        }
        return (time, hanging)
    }
}
