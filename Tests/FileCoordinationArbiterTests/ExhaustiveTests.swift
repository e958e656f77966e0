// SPDX-License-Identifier: Apache-2.0
//
// Everything that can happen in small worlds: three processes, two nested items, in every order,
// with errors, cancels and deaths in every place. After each event the witness has its say.

import FileCoordinationArbiter
import Testing

@Suite struct ExhaustiveTests {
    private func expectNoComplaint(
        _ world: World, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Int {
        let result = explore(world)
        #expect(
            result.complaint == nil,
            "\(world.programs.map(\.outer)) \(result.history.map { "\($0)" })",
            sourceLocation: sourceLocation)
        return result.worlds
    }

    /// Each way to have three processes do one of these things each; their order is tried anyway.
    private func threesomes(_ things: [[AccessItem]]) -> [[Program]] {
        var result: [[Program]] = []
        for first in things.indices {
            for second in things.indices where second >= first {
                for third in things.indices where third >= second {
                    result.append([first, second, third].map { Program(things[$0]) })
                }
            }
        }
        return result
    }

    private static func accesses(_ directory: String, _ file: String) -> [[AccessItem]] {
        [
            .read(directory), .write(directory), .move(directory), .delete(directory),
            .read(file, .withoutChanges), .write(file), .move(file),
            .read(directory) + .write(file),
        ]
    }

    @Test(arguments: [("/d/", "/d/f"), ("/p.rtfd", "/p.rtfd/f")])
    func `Three processes, two nested items, everything goes well`(
        directory: String, file: String
    ) {
        var worlds = 0
        for programs in threesomes(Self.accesses(directory, file)) {
            worlds += expectNoComplaint(World(programs, trouble: []))
        }
        #expect(worlds > 1_000)
    }

    @Test(arguments: [("/d/", "/d/f"), ("/p.rtfd", "/p.rtfd/f")])
    func `Three processes, two nested items, with cancels and deaths`(
        directory: String, file: String
    ) {
        let things: [[AccessItem]] = [
            .read(directory), .move(directory), .delete(directory), .read(file), .write(file),
        ]
        for programs in threesomes(things) {
            _ = expectNoComplaint(World(programs, trouble: [.cancels, .deaths]))
        }
    }

    @Test(arguments: [("/d/", "/d/f"), ("/p.rtfd", "/p.rtfd/f")])
    func `And with a presenter that answers, fails or goes`(directory: String, file: String) {
        let things: [[AccessItem]] = [
            .move(directory), .delete(directory), .read(file), .write(file),
        ]
        for programs in threesomes(things) {
            let world = World(
                programs, presenters: [(file, "editor")], trouble: [.failures, .removals])
            _ = expectNoComplaint(world)
        }
    }

    @Test func `And with a presenter that saves back`() {
        let backs: [[AccessItem]] = [
            .write("/d/f"), .read("/d/f"), .write("/d/f") + .write("/d/g"),
        ]
        let others: [[AccessItem]] = [
            .read("/d/f"), .write("/d/f"), .move("/d/"), .write("/d/f") + .write("/d/g"),
        ]
        for back in backs {
            for first in others.indices {
                for second in others.indices where second >= first {
                    let programs = [
                        Program(back, purpose: "editor"), Program(others[first]),
                        Program(others[second]),
                    ]
                    let world = World(
                        programs, presenters: [("/d/f", "editor")], trouble: [.cancels, .failures])
                    _ = expectNoComplaint(world)
                }
            }
        }
    }

    @Test func `And with two presenters that save back to each other`() {
        let programs = [
            Program(.write("/f"), purpose: "first"), Program(.write("/f"), purpose: "second"),
            Program(.read("/f")),
        ]
        for trouble in [Trouble.cancels, .removals] {
            let world = World(
                programs, presenters: [("/f", "first"), ("/f", "second")], trouble: trouble)
            _ = expectNoComplaint(world)
        }
    }

    @Test func `And with claims inside accessors`() {
        let inners: [[AccessItem]] = [.read("/d/f"), .write("/d/f"), .move("/d/")]
        let others: [[AccessItem]] = [
            .read("/d/f"), .write("/d/f"), .move("/d/"), .write("/d/f") + .write("/d/g"),
        ]
        for outer in [[AccessItem].read("/d/f"), .write("/d/f")] {
            for inner in inners {
                for first in others.indices {
                    for second in others.indices where second >= first {
                        let programs = [
                            Program(outer, inner: inner), Program(others[first]),
                            Program(others[second]),
                        ]
                        _ = expectNoComplaint(World(programs, trouble: .cancels))
                    }
                }
            }
        }
    }

    @Test func `And with claims inside the accessors of save-backs`() {
        for other in [[AccessItem].read("/d/f"), .write("/d/f"), .move("/d/")] {
            let programs = [
                Program(.read("/d/f"), inner: .write("/d/f"), purpose: "editor"),
                Program(.read("/d/f")), Program(other),
            ]
            let world = World(
                programs, presenters: [("/d/f", "editor")], trouble: [.cancels, .deaths, .failures])
            _ = expectNoComplaint(world)
        }
    }
}
