// SPDX-License-Identifier: Apache-2.0
//
// Tries everything that can happen, in every order, depth first. A state that was seen before is
// not tried again; states are remembered by 64 bits of their hash, so two of a few million could be
// taken for one with a probability of about one in a million.

import FileCoordinationLedger

/// What an exploration found.
package struct Exploration {
    package fileprivate(set) var states = 0
    package fileprivate(set) var transitions = 0
    package fileprivate(set) var rests = 0
    package fileprivate(set) var violation: ModelViolation?
    /// The events that led to the violation.
    package fileprivate(set) var schedule: [String] = []
    /// Whether the limit on states was reached first.
    package fileprivate(set) var isCutShort = false

    /// What was tried, and what was found, in words.
    package var summary: String {
        let counts = "\(states) states, \(transitions) transitions, \(rests) ends"
        guard let violation else { return counts }
        return "\(counts): \(violation)\n" + schedule.joined(separator: "\n")
    }
}

/// The search.
package struct Explorer {
    /// A state on the way to the present one, and what remains to be tried from there.
    private struct Frame {
        var world: ModelWorld
        var fingerprint: Int
        var remaining: [ModelEvent]
        var taken: ModelEvent?
    }

    let configuration: ModelConfiguration
    let stateLimit: Int

    package init(_ configuration: ModelConfiguration, stateLimit: Int = .max) {
        self.configuration = configuration
        self.stateLimit = stateLimit
    }

    /// Tries everything.
    package func explore() -> Exploration {
        var result = Exploration()
        var visited: Set<Int> = []
        var path: [Frame] = []
        var onPath: Set<Int> = []

        let start = ModelWorld(configuration)
        visited.insert(start.hashValue)
        onPath.insert(start.hashValue)
        result.states = 1
        path.append(frame(start, start.hashValue))
        while let last = path.indices.last {
            guard let event = path[last].remaining.popLast() else {
                onPath.remove(path[last].fingerprint)
                path.removeLast()
                continue
            }
            path[last].taken = event
            var world = path[last].world
            result.transitions += 1
            do throws(ModelViolation) {
                try world.apply(event, configuration)
                let fingerprint = world.hashValue
                if onPath.contains(fingerprint) { throw .livelock }
                guard visited.insert(fingerprint).inserted else { continue }
                result.states += 1
                try world.check(configuration)
                let next = frame(world, fingerprint)
                if next.remaining.allSatisfy(\.isOptional) {
                    result.rests += 1
                    try world.checkRest(configuration)
                }
                path.append(next)
                onPath.insert(fingerprint)
            } catch {
                result.violation = error
                result.schedule = describe(path, world)
                return result
            }
            if result.states >= stateLimit {
                result.isCutShort = true
                return result
            }
        }
        return result
    }

    private func frame(_ world: ModelWorld, _ fingerprint: Int) -> Frame {
        Frame(
            world: world, fingerprint: fingerprint, remaining: world.events(configuration),
            taken: nil)
    }

    /// The way to the violation, a line for each event: what happened, and the words after it.
    private func describe(_ path: [Frame], _ last: ModelWorld) -> [String] {
        let worlds = path.dropFirst().map(\.world) + [last]
        return zip(path, worlds).compactMap { frame, after in
            frame.taken.map { event in
                "\(describe(event, in: frame.world)) → \(words(of: after))"
            }
        }
    }

    private func describe(_ event: ModelEvent, in world: ModelWorld) -> String {
        guard case .step(let process) = event else { return "\(event)" }
        if process < world.clients.count {
            let client = world.clients[process]
            return "client \(process) \(name(client.phase)): \(text(client.pending))"
        }
        let server = world.servers[process - world.clients.count]
        return
            "server \(process - world.clients.count) \(name(server.phase)): \(text(server.pending))"
    }

    private func name<Phase>(_ phase: Phase) -> String {
        String("\(phase)".prefix { $0 != "(" })
    }

    private func text(_ operation: PlantedOperation?) -> String {
        switch operation {
        case .sound(.compareExchange(.record(let record), let expected, let desired)):
            "swap record \(record) from \(RecordWord(rawValue: expected))"
                + " to \(RecordWord(rawValue: desired))"
        case .sound(.compareExchange(.ticketQueue(let ticketQueue), let expected, let desired)):
            "swap ticket queue \(ticketQueue) from \(TicketQueueWord(rawValue: expected))"
                + " to \(TicketQueueWord(rawValue: desired))"
        case .sound(let other): "\(other)"
        case .some(let other): "\(other)"
        case nil: "a step"
        }
    }

    private func words(of world: ModelWorld) -> String {
        let ticketQueues = (configuration.ticketQueues > 0 ? 0..<configuration.servers : 0..<0).map
        { ticketQueue in
            let word = TicketQueueWord(
                rawValue: world.memory[.word(.ticketQueue(ticketQueue), of: 0)])
            return "ticket queue \(ticketQueue) \(word)"
        }
        let ledgers = world.clients.indices.map { client in
            let epoch = world.memory[.word(.ledgerEpoch, of: client)]
            let records = (0..<configuration.records).map { record in
                "\(world.memory.record(record, of: client))"
            }
            return "ledger \(client) epoch \(epoch): " + records.joined(separator: ", ")
        }
        return (ticketQueues + ledgers).joined(separator: "; ")
    }
}
